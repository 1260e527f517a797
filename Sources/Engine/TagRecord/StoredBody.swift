import ByteReading
import ID3v2
package import NielsenID3

/// The encoding of a tag as the bytes that the buffer stores.
///
/// The bytes contain only the data that cannot be derived again: the original owner identifier, and where and when the
/// tag was found. The tag's fields are decoded from the identifier again when the tag is sent.
///
///     version   1 byte, 2
///     flags     1 byte: 1 has a time, 2 has seconds, 4 has a segment, 8 has a media sequence,
///               16 has a program date-time, 32 is truncated
///     problems  a varint count, then each check id: a varint length and UTF-8
///     origin    1 byte: 0 a recording; 1 a channel, then its id; 3 a session, then the parts of `SessionPlace`;
///               4 a session of a user who has opted out: the id that replaces the buffer's, then as for 3
///     carriage  1 byte, then the fields of that carriage
///     time      varint ticks, varint timescale
///     seconds   8 bytes, IEEE 754, big-endian
///     texts     each a varint length and UTF-8: source, segment; a varint count of renditions, then each
///     numbers   varint media sequence; 8 bytes program date-time, big-endian
///     owner     varint length and the bytes
///
/// A varint has seven bits per byte, lowest bits first, with the top bit set in all bytes but the last. A body of
/// version 3 or 4 is a `PlayerRecord`, and one of version 5 a `ChannelPeriod`.
package enum StoredBody {
    static let version: UInt8 = 2

    /// An error from decoding stored bytes.
    package enum DecodingError: Error, Sendable, Hashable {
        /// The bytes end at `offset`, before the end of a field.
        case truncated(offset: Int)
        /// The first byte contains an unknown version.
        case unknownVersion(UInt8)
        /// The carriage, number or text at `offset` is invalid.
        case invalid(offset: Int)
        /// The owner identifier is not that of a Nielsen tag.
        case notNielsen
    }

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let time = Flags(rawValue: 1)
        static let seconds = Flags(rawValue: 2)
        static let segment = Flags(rawValue: 4)
        static let mediaSequence = Flags(rawValue: 8)
        static let programDateTime = Flags(rawValue: 16)
        static let truncated = Flags(rawValue: 32)
    }

    /// Encodes a tag for the buffer.
    package static func encode(_ record: TagOccurrence) -> [UInt8] {
        var flags: Flags = []
        if record.time != nil { flags.insert(.time) }
        if record.seconds != nil { flags.insert(.seconds) }
        if record.origin.place.segment != nil { flags.insert(.segment) }
        if record.origin.place.mediaSequence != nil { flags.insert(.mediaSequence) }
        if record.origin.place.programDateTime != nil { flags.insert(.programDateTime) }
        if record.isTruncated { flags.insert(.truncated) }

        var bytes = CompactWriter()
        bytes.byte(version)
        bytes.byte(flags.rawValue)
        bytes.varint(UInt64(record.problems.count))
        for problem in record.problems { bytes.text(problem.rawValue) }
        encode(record.origin, to: &bytes)
        encode(record.carriage, to: &bytes)
        if let time = record.time {
            bytes.varint(time.ticks)
            bytes.varint(UInt64(time.timescale))
        }
        if let seconds = record.seconds { bytes.fixed(seconds.bitPattern) }
        let place = record.origin.place.printable
        bytes.text(place.source)
        if let segment = place.segment { bytes.text(segment) }
        bytes.varint(UInt64(place.renditions.count))
        for rendition in place.renditions { bytes.text(rendition) }
        if let sequence = record.origin.place.mediaSequence { bytes.varint(sequence) }
        if let date = record.origin.place.programDateTime { bytes.fixed(UInt64(bitPattern: date)) }
        bytes.blob(record.tag.ownerIdentifier)
        return bytes.bytes
    }

    /// Decodes a tag from stored bytes.
    package static func decode(_ bytes: Span<UInt8>) throws(DecodingError) -> TagOccurrence {
        occurrence(try StoredTagParts(bytes), bytes)
    }

    /// Returns the tag of the parts of stored bytes.
    static func occurrence(_ parts: StoredTagParts, _ bytes: Span<UInt8>) -> TagOccurrence {
        var origin = parts.origin
        origin.place = TagPlace(
            source: text(bytes, parts.source), renditions: parts.renditions.map { text(bytes, $0) },
            segment: parts.segment.map { text(bytes, $0) }, mediaSequence: parts.mediaSequence,
            programDateTime: parts.programDateTime)
        return TagOccurrence(
            tag: parts.tag, origin: origin, time: parts.time, seconds: parts.seconds,
            carriage: parts.carriage,
            isTruncated: parts.isTruncated, problems: parts.problems)
    }

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        // The closure only reads the buffer, and the span outlives it.
        unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Parses the tag in an owner identifier; an identifier from a player is kept unchanged, including blanks.
    static func tag(of owner: Span<UInt8>, from origin: TagOrigin) -> NielsenTag? {
        if case .session = origin { return NielsenTag(playerIdentifier: owner) }
        return NielsenTag(ownerIdentifier: owner)
    }

    private static func encode(_ origin: TagOrigin, to bytes: inout CompactWriter) {
        switch origin {
        case .recording: bytes.byte(0)
        case .channel(let id, _):
            bytes.byte(1)
            bytes.text(id)
        case .session(let session, _):
            if let store = session.optedOutStore {
                bytes.byte(4)
                bytes.text(store)
            } else {
                bytes.byte(3)
            }
            session.encode(to: &bytes)
        }
    }

    /// Decodes the origin; the caller fills in the place, which follows later.
    static func decodeOrigin(
        _ bytes: Span<UInt8>, _ reader: inout CompactReader
    ) throws(DecodingError) -> TagOrigin {
        let offset = reader.offset
        let place = TagPlace(source: "")
        switch try reader.byte(bytes) {
        case 0: return .recording(place)
        case 1: return .channel(id: try reader.text(bytes), place)
        case 3: return .session(try SessionPlace(bytes, &reader), place)
        case 4:
            let store = try decodeStore(bytes, &reader)
            var session = try SessionPlace(bytes, &reader)
            session.optedOutStore = store
            return .session(session, place)
        default: throw .invalid(offset: offset)
        }
    }

    /// Decodes an id in the form that collectors accept; nil if it is empty and optional.
    static func decodeStore(
        _ bytes: Span<UInt8>, _ reader: inout CompactReader, isOptional: Bool = false
    ) throws(DecodingError) -> String? {
        let offset = reader.offset
        let text = try reader.text(bytes)
        if isOptional, text.isEmpty { return nil }
        guard Hexadecimal.bytes(text)?.count == 16 else { throw .invalid(offset: offset) }
        return text
    }

    static func decodeProblems(
        _ bytes: Span<UInt8>, _ reader: inout CompactReader
    ) throws(DecodingError) -> [CheckID] {
        let count: Int = try reader.number(bytes)
        // Each problem takes at least its length byte.
        guard count <= bytes.count - reader.offset else { throw .truncated(offset: reader.offset) }
        var problems: [CheckID] = []
        for _ in 0..<count { problems.append(CheckID(try reader.text(bytes))) }
        return problems
    }

    private static func encode(_ carriage: Carriage, to bytes: inout CompactWriter) {
        switch carriage {
        case .transportStream(let pid):
            bytes.byte(StoredCarriage.transportStream.rawValue)
            bytes.varint(UInt64(pid))
        case .eventMessage(let message):
            let kind = message.duration == nil ? StoredCarriage.eventMessage : .eventMessageWithDuration
            bytes.byte(kind.rawValue)
            bytes.byte(message.version)
            bytes.varint(UInt64(message.id))
            if let duration = message.duration { bytes.varint(UInt64(duration)) }
            bytes.text(message.schemeIDURI)
            bytes.text(message.value)
        case .packedAudio: bytes.byte(StoredCarriage.packedAudio.rawValue)
        case .segmentFront: bytes.byte(StoredCarriage.segmentFront.rawValue)
        case .metadataBox: bytes.byte(StoredCarriage.metadataBox.rawValue)
        case .player: bytes.byte(StoredCarriage.player.rawValue)
        }
    }

    static func decodeCarriage(
        _ bytes: Span<UInt8>, _ reader: inout CompactReader
    ) throws(DecodingError) -> Carriage {
        let offset = reader.offset
        guard let kind = StoredCarriage(rawValue: try reader.byte(bytes)) else {
            throw .invalid(offset: offset)
        }
        switch kind {
        case .transportStream: return .transportStream(pid: try reader.number(bytes))
        case .eventMessage, .eventMessageWithDuration:
            let version = try reader.byte(bytes)
            let id: UInt32 = try reader.number(bytes)
            let duration: UInt32? = kind == .eventMessageWithDuration ? try reader.number(bytes) : nil
            let scheme = try reader.text(bytes)
            let value = try reader.text(bytes)
            return .eventMessage(
                .init(schemeIDURI: scheme, value: value, version: version, id: id, duration: duration))
        case .packedAudio: return .packedAudio
        case .segmentFront: return .segmentFront
        case .metadataBox: return .metadataBox
        case .player: return .player
        }
    }
}

/// The stored number of a carriage; a number is never used again for another one.
private enum StoredCarriage: UInt8 {
    case transportStream = 0
    case eventMessage = 1
    case packedAudio = 2
    case segmentFront = 3
    case metadataBox = 4
    case eventMessageWithDuration = 5
    case player = 6
}
