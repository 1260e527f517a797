/// A numeric limit of a check that the user can set.
public struct HealthLimit: Sendable {
    /// The key in a configuration file, and the flag without its dashes, as in `limit-gap`.
    public let name: String
    /// The value that applies if the limit is not set.
    public let defaultValue: Double
    /// The unit: `s` for seconds, `tags`, `places`, `findings`, `durations` or `target durations`.
    public let unit: String
    /// The purpose of the limit, in one line.
    public let help: String

    init(_ name: String, _ defaultValue: Double, _ unit: String, _ help: String) {
        self.name = name
        self.defaultValue = defaultValue
        self.unit = unit
        self.help = help
    }

    /// The limits that verdicts state: the limit of reports, then those of the checks in their order.
    public static let all: [HealthLimit] = {
        var all: [HealthLimit] = [.findings]
        for limit in CheckRegistry.declarations.flatMap(\.limits) where !all.contains(limit) {
            all.append(limit)
        }
        return all
    }()

    /// The limits that only the monitor uses: those of alerts, then those of live checks in their order.
    public static let ofMonitorOnly: [HealthLimit] =
        ofAlerts + CheckRegistry.liveDeclarations.flatMap(\.limits)

    /// Whether a value may have decimals.
    package var takesDecimals: Bool { unit == "target durations" }

    /// Whether a single tag can violate the limit, so that it applies wherever tags are listed.
    package var isOfSingleTags: Bool {
        CheckRegistry.checks(on: .tag).contains { $0.declaration.limits.contains(self) }
    }

    /// Whether only checks that never run on recorded input use the limit.
    package var isOfLiveInputOnly: Bool {
        if Self.ofMonitorOnly.contains(self) { return true }
        let declarations = CheckRegistry.declarations.filter { $0.limits.contains(self) }
        return !declarations.isEmpty && declarations.allSatisfy { $0.clock == .wall }
    }

    /// The maximum number of findings per check in a report.
    public static let findings = HealthLimit(
        "limit-findings", 50, "findings", "maximum number of findings per check in a report")
}

/// Limits are identified by name, because the name is the setting.
extension HealthLimit: Hashable {
    /// Whether two limits have the same name.
    public static func == (one: HealthLimit, other: HealthLimit) -> Bool { one.name == other.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension HealthLimit {
    /// The time within which a second finding raises an alert.
    package static let alertRepeat = HealthLimit(
        "limit-alert-repeat", 60, "s",
        "alerts: a second finding of a check within this time raises an alert")

    /// The time without a finding after which an alert is cleared.
    package static let alertClear = HealthLimit(
        "limit-alert-clear", 10, "s",
        "alerts: time without a finding after which an alert is cleared")

    /// The number of DATA tags without a finding before an alert is cleared.
    package static let alertClearTags = HealthLimit(
        "limit-alert-clear-tags", 2, "tags",
        "alerts: DATA tags without a finding before an alert is cleared, if that takes longer")

    /// The time that a problem must be over before its alert is cleared.
    package static let alertHold = HealthLimit(
        "limit-alert-hold", 30, "s",
        "alerts: time without a problem before its alert is cleared, doubled each time it recurs")

    /// The maximum of the doubled hold.
    package static let alertMaximumHold = HealthLimit(
        "limit-alert-hold-maximum", 3_600, "s",
        "alerts: maximum of the doubled limit-alert-hold; an alert that is raised within it recurs")

    /// The limits of alerts, which no check uses.
    static let ofAlerts = [alertRepeat, alertClear, alertClearTags, alertHold, alertMaximumHold]
}
