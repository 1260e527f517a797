/// How a check ended, or how severe one finding is.
///
/// Ordered by severity: the worst of several is their maximum.
public enum CheckStatus: String, Sendable, Hashable, CaseIterable, Comparable {
    /// There was nothing to check; the outcome says why.
    case notRun = "not-run"
    /// Checked, and as it should be; of a finding: information.
    case pass
    /// Not as it should be, and tags still count.
    case warn
    /// Tags are lost, or will not be counted.
    case fail

    /// Whether `lhs` is less severe than `rhs`.
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
