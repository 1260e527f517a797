package import NielsenID3
package import TextForms

/// A decoded body of the buffer.
///
/// It is indirect because valgrind reports the copy of an enum with payloads of different sizes as a use of
/// uninitialized values, which would hide a real one.
package indirect enum StoredRecord: Sendable, Hashable {
    /// A tag.
    case tag(TagOccurrence)
    /// A record of a player beside its tags.
    case player(PlayerRecord)
    /// A time of a channel, for reports.
    case period(ChannelPeriod)

    /// Decodes a record from a stored body.
    package static func decode(_ bytes: Span<UInt8>) throws(StoredBody.DecodingError) -> StoredRecord {
        var reader = CompactReader(count: bytes.count)
        let version = try reader.byte(bytes)
        if version == ChannelPeriod.bodyVersion { return .period(try ChannelPeriod(bytes, &reader)) }
        guard PlayerRecord.isVersion(version) else { return .tag(try StoredBody.decode(bytes)) }
        return .player(try PlayerRecord(bytes, version: version, &reader))
    }

    /// Writes the members of the object that a collector receives, straight from a stored body.
    ///
    /// - Returns: The id that replaces the buffer's for a user who has opted out; nil for other users.
    package static func writeWireMembers(
        of body: Span<UInt8>, id: String, received: Int64, to writer: inout JSONWriter
    ) throws(StoredBody.DecodingError) -> String? {
        guard body.isEmpty || body[0] == StoredBody.version else {
            let record = try decode(body)
            record.writeWireMembers(id: id, received: received, to: &writer)
            return record.optedOutStore
        }
        let parts = try StoredTagParts(body)
        parts.writeWireMembers(of: body, id: id, received: received, to: &writer)
        guard case .session(let session, _) = parts.origin else { return nil }
        return session.optedOutStore
    }

    /// Whether the record is a tag.
    package var isTag: Bool {
        if case .tag = self { true } else { false }
    }

    /// The encoded body for the buffer.
    package var storedBody: [UInt8] {
        switch self {
        case .tag(let occurrence): StoredBody.encode(occurrence)
        case .player(let record): record.storedBody
        case .period(let period): period.storedBody
        }
    }

    /// The id that replaces the buffer's for a user who has opted out; nil for other users.
    package var optedOutStore: String? {
        switch self {
        case .tag(let occurrence):
            guard case .session(let session, _) = occurrence.origin else { return nil }
            return session.optedOutStore
        case .player(let record): return record.place.optedOutStore
        case .period: return nil
        }
    }

    /// Writes the members of the object that a collector receives; the caller may add others.
    ///
    /// - Parameters:
    ///   - id: The unique id of the record, 32 hexadecimal digits.
    ///   - received: The time when the record was accepted, in Unix milliseconds.
    package func writeWireMembers(id: String, received: Int64, to writer: inout JSONWriter) {
        switch self {
        case .tag(let occurrence): occurrence.writeWireMembers(id: id, received: received, to: &writer)
        case .player(let record): record.writeWireMembers(id: id, received: received, to: &writer)
        case .period(let period): period.writeWireMembers(id: id, received: received, to: &writer)
        }
    }
}
