/// How a check ended, or how grave one finding is.
///
/// Ordered by gravity: the worst of several is their maximum.
package enum CheckStatus: String, Sendable, Hashable, CaseIterable, Comparable {
    /// There was nothing to look at; the outcome says why.
    case notRun = "not-run"
    /// Looked at, and as it should be; of a finding: information.
    case pass
    /// Not as it should be, and tags still count.
    case warn
    /// Tags are lost, or will not be counted.
    case fail

    /// Whether `lhs` is less grave than `rhs`.
    package static func < (lhs: CheckStatus, rhs: CheckStatus) -> Bool { lhs.gravity < rhs.gravity }

    private var gravity: Int {
        switch self {
        case .notRun: 0
        case .pass: 1
        case .warn: 2
        case .fail: 3
        }
    }
}
