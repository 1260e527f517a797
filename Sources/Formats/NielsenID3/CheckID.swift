/// The identifier of a check, such as `tag.checksum`.
///
/// Identifiers are stable because they appear in reports, in metrics and in the `problems` of a tag. Each check
/// declares its own. A stored tag may name a check that this version does not know.
public struct CheckID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The identifier as it appears in reports.
    public let rawValue: String

    /// Creates an identifier from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an identifier from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The identifier as it appears in reports.
    public var description: String { rawValue }
}

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
