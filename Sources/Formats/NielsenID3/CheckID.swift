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
