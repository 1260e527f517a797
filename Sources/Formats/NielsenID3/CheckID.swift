/// The id of a check, such as `tag.checksum`.
///
/// Ids are stable: they stand in reports, metrics and the `problems` of a tag. Each check declares its own; a stored
/// tag may have one of a check that this version does not know.
package struct CheckID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The id as reports have it.
    package let rawValue: String

    /// The id with this text.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The id with this text.
    package init(_ rawValue: String) { self.rawValue = rawValue }

    /// The id as reports have it.
    package var description: String { rawValue }
}
