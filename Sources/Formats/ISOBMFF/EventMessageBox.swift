import ByteReading

/// An event message box with a borrowed message (ISO/IEC 23009-1, 5.10.3.3; ISO/IEC 23009-1:2022, 5.10.3.3.3).
///
///     version 0: scheme_id_uri\0 value\0 timescale (4) presentation_time_delta (4)
///                event_duration (4) id (4) message_data
///     version 1: timescale (4) presentation_time (8) event_duration (4) id (4)
///                scheme_id_uri\0 value\0 message_data
package struct EventMessageBox: ~Escapable {
    /// The presentation time of an event.
    package enum Time: Sendable, Hashable {
        /// Ticks since the earliest presentation time of the segment (version 0).
        case presentationTimeDelta(UInt32)
        /// Ticks on the media timeline (version 1).
        case presentationTime(UInt64)
    }

    private let bytes: Span<UInt8>
    private let schemeRange: Range<Int>
    private let valueRange: Range<Int>

    /// The version, 0 or 1.
    package let version: UInt8

    /// Ticks per second of the box's times; 0 if the box states no valid one, and its times are unknown.
    package let timescale: UInt32

    /// The presentation time of the event.
    package let time: Time

    /// The duration of the event in ticks; nil if it is 0xFFFFFFFF (unknown).
    package let duration: UInt32?

    /// The id that all repeats of an event share.
    package let id: UInt32

    /// The offset of the message in the payload.
    package let messageOffset: Int

    /// Reads the payload of the box; a truncated message is kept up to its last byte.
    @_lifetime(copy payload)
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .eventMessage, newestVersion: 1)
        version = reader.version
        switch reader.version {
        case 0:
            schemeRange = try reader.readText()
            valueRange = try reader.readText()
            timescale = try reader.readUInt32()
            time = .presentationTimeDelta(try reader.readUInt32())
            duration = Self.duration(try reader.readUInt32())
            id = try reader.readUInt32()
        default:
            timescale = try reader.readUInt32()
            time = .presentationTime(try reader.readUInt64())
            duration = Self.duration(try reader.readUInt32())
            id = try reader.readUInt32()
            schemeRange = try reader.readText()
            valueRange = try reader.readText()
        }
        messageOffset = reader.position
        bytes = payload
    }

    /// The URI of the event scheme, with invalid UTF-8 replaced.
    package var schemeIDURI: String { String(decoding: bytes.copy(schemeRange), as: UTF8.self) }

    /// The value that the scheme defines, with invalid UTF-8 replaced.
    package var value: String { String(decoding: bytes.copy(valueRange), as: UTF8.self) }

    /// The message.
    package var messageData: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(messageOffset..<bytes.count) }
    }

    private static func duration(_ ticks: UInt32) -> UInt32? { ticks == .max ? nil : ticks }
}
