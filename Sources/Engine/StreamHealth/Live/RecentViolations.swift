import NielsenID3
import TimedMedia

/// The last violation of each check, which decides whether a channel is degraded.
struct RecentViolations: Sendable {
    /// The number of seconds after a violation during which the channel counts as degraded.
    private let window: Double
    private var violations: [CheckID: Violation] = [:]

    private struct Violation: Sendable {
        var time: SteadyTime
        var severity: CheckStatus
        var detail: String
    }

    init(window: Double) { self.window = window }

    /// Records a violation; its severity is the worst of its check within the window.
    mutating func observe(_ violation: ChannelViolation, at time: SteadyTime) {
        let last = violations[violation.check]
        let severity = last.map { isRecent($0, at: time) ? $0.severity : .pass } ?? .pass
        violations[violation.check] = Violation(
            time: time, severity: max(violation.severity, severity), detail: violation.detail)
    }

    /// Returns the last violation of a check, to repeat it; nil if there is none.
    func last(of check: CheckID) -> (severity: CheckStatus, detail: String)? {
        violations[check].map { ($0.severity, $0.detail) }
    }

    /// Records that the last violation of a check is not over.
    mutating func extend(_ check: CheckID, at time: SteadyTime) { violations[check]?.time = time }

    /// Forgets the violations of the given checks, or of all checks for nil.
    mutating func forget(_ checks: Set<CheckID>?) {
        violations = violations.filter { !(checks?.contains($0.key) ?? true) }
    }

    /// Returns the worst recent violation as half a sentence, or nil when there is none.
    func worst(at time: SteadyTime) -> String? {
        violations.filter { isRecent($0.value, at: time) }
            .max { ($0.value.severity, $1.key.rawValue) < ($1.value.severity, $0.key.rawValue) }
            .map { "\($0.key.rawValue): \($0.value.detail)" }
    }

    private func isRecent(_ violation: Violation, at time: SteadyTime) -> Bool {
        time - violation.time <= window
    }
}
