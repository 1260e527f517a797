/// The id of a check, such as `tag.checksum`.
///
/// Ids are stable: they stand in reports, metrics and the `problems` of a tag. Each check declares its own; a stored
/// tag may have one of a check that this version does not know.
public struct CheckID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The id as reports have it.
    public let rawValue: String

    /// The id with this text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The id with this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The id as reports have it.
    public var description: String { rawValue }
}
