/// The result of a check, or the severity of one finding.
///
/// Statuses are ordered by severity: the maximum of several is the worst.
public enum CheckStatus: String, Sendable, Hashable, CaseIterable, Comparable {
    /// There was nothing to check; the outcome gives the reason.
    case notRun = "not-run"
    /// The check passed; for a finding, information only.
    case pass
    /// A problem that does not prevent tags from counting.
    case warn
    /// Tags are lost, or will not be counted.
    case fail

    /// Returns whether `lhs` is less severe than `rhs`.
    public static func < (lhs: CheckStatus, rhs: CheckStatus) -> Bool { lhs.severity < rhs.severity }

    private var severity: Int {
        switch self {
        case .notRun: 0
        case .pass: 1
        case .warn: 2
        case .fail: 3
        }
    }
}
