package import NielsenID3
package import TextForms

/// What a body in the buffer stands for.
package enum StoredRecord: Sendable, Hashable {
    /// A tag.
    case tag(TagOccurrence)
    /// How an asset was played, in a session without tags.
    case summary(AssetSummary)

    /// The record that a stored body was made from.
    package static func decode(_ bytes: Span<UInt8>) throws(StoredBody.DecodingError) -> StoredRecord {
        var reader = CompactReader(count: bytes.count)
        guard try reader.byte(bytes) == AssetSummary.bodyVersion else {
            return .tag(try StoredBody.decode(bytes))
        }
        return .summary(try AssetSummary(bytes, &reader))
    }

    /// The bytes that the buffer keeps.
    package var storedBody: [UInt8] {
        switch self {
        case .tag(let occurrence): StoredBody.encode(occurrence)
        case .summary(let summary): summary.storedBody
        }
    }

    /// The id that stands for the buffer's, of a user who has opted out; nil of any other.
    package var optedOutStore: String? {
        switch self {
        case .tag(let occurrence):
            guard case .session(let session, _) = occurrence.origin else { return nil }
            return session.optedOutStore
        case .summary(let summary): return summary.session.optedOutStore
        }
    }

    /// Writes the members of the object that a collector receives, so that others can follow.
    ///
    /// - Parameters:
    ///   - id: the record's unique id, 32 hexadecimal digits.
    ///   - received: when it was accepted, in Unix milliseconds.
    package func writeWireMembers(id: String, received: Int64, to writer: inout JSONWriter) {
        switch self {
        case .tag(let occurrence): occurrence.writeWireMembers(id: id, received: received, to: &writer)
        case .summary(let summary): summary.writeWireMembers(id: id, received: received, to: &writer)
        }
    }
}
