/// A number that a check goes by, which the user may set.
public struct HealthLimit: Sendable {
    /// The key in a configuration file, and the flag without its dashes, as in `limit-gap`.
    public let name: String
    /// What the limit is unless it is set.
    public let defaultValue: Double
    /// What it counts: `s` for seconds, `tags`, `places`, `findings`, `durations` or `target durations`.
    public let unit: String
    /// What the limit is for, in one line.
    public let help: String

    /// A limit.
    init(_ name: String, _ defaultValue: Double, _ unit: String, _ help: String) {
        self.name = name
        self.defaultValue = defaultValue
        self.unit = unit
        self.help = help
    }

    /// All limits that a verdict states: that of reports, then those of the checks in their order.
    package static let all: [HealthLimit] = {
        var all: [HealthLimit] = [.findings]
        for limit in CheckRegistry.declarations.flatMap(\.limits) where !all.contains(limit) {
            all.append(limit)
        }
        return all
    }()

    /// The limits of the monitor only: those of alerts, then those of the checks that have a row there only, in their
    /// order.
    package static let ofMonitorOnly: [HealthLimit] =
        ofAlerts + CheckRegistry.liveDeclarations.flatMap(\.limits)

    /// Whether a tag by itself can break it, so that it acts wherever tags are listed.
    package var isOfSingleTags: Bool {
        CheckRegistry.tagChecks.contains { $0.declaration.limits.contains(self) }
    }

    /// Whether only checks that are never run on recorded input go by it.
    package var isOfLiveInputOnly: Bool {
        if Self.ofMonitorOnly.contains(self) { return true }
        let declarations = CheckRegistry.declarations.filter { $0.limits.contains(self) }
        return !declarations.isEmpty && declarations.allSatisfy { $0.clock == .wall }
    }

    /// How many findings of a check a report keeps.
    public static let findings = HealthLimit(
        "limit-findings", 50, "findings", "how many findings of a check a report keeps")
}

/// A limit is its name: two with one name would be one setting.
extension HealthLimit: Hashable {
    /// Whether two limits have one name.
    public static func == (one: HealthLimit, other: HealthLimit) -> Bool { one.name == other.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
