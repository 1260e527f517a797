/// Segments with a Nielsen tag, each with one number of the container at an extreme.
///
/// Written from ISO/IEC 14496-12, ISO/IEC 23009-1, ISO/IEC 13818-1 and RFC 8216, independently of the demuxer.
public enum ExtremeSegments {
    /// A segment, and the field and value that distinguish it.
    public struct Segment: Sendable {
        /// The field and its value, such as `decodeTime=18446744073709551615`.
        public let name: String
        /// The bytes.
        public let bytes: [UInt8]
    }

    /// Returns all segments: fragmented MP4 for each field, packed audio for each timestamp, and copies of a transport
    /// stream for each PTS.
    public static func all(transportStream: [UInt8]) -> [Segment] {
        fragments + packedAudio + transportStreams(transportStream)
    }

    // MARK: Fragmented MP4

    /// The numbers of a fragmented MP4 segment, each with its usual value.
    private enum Field: String, CaseIterable {
        case movieTimescale, trackSampleDuration, indexTimescale, indexTime, fragmentSampleDuration,
            decodeTime
        case sampleCount, sampleDuration, eventTimescale, eventTime, eventDelta, eventDuration, eventID
        case eventBoxSize, mediaBoxSize

        var bitCount: Int { [.indexTime, .decodeTime, .eventTime, .mediaBoxSize].contains(self) ? 64 : 32 }

        var usual: UInt64 {
            switch self {
            case .movieTimescale, .indexTimescale, .eventTimescale: 48_000
            case .trackSampleDuration, .fragmentSampleDuration, .sampleDuration: 1_024
            case .indexTime, .decodeTime, .eventTime: 480_000
            case .sampleCount: 281
            case .eventDelta, .eventDuration, .eventID: 1
            case .eventBoxSize, .mediaBoxSize: 0
            }
        }
    }

    /// A segment for each field at each extreme, and segments in which every field is at one.
    private static var fragments: [Segment] {
        var segments: [Segment] = []
        for field in Field.allCases {
            for value in ExtremeNumbers.unsigned(bitCount: field.bitCount) {
                let name = "\(field.rawValue)=\(value)"
                segments.append(
                    .init(name: name, bytes: fragment(segments.count) { $0 == field ? value : $0.usual }))
            }
        }
        for value in ExtremeNumbers.unsigned(bitCount: 64) {
            let bytes = fragment(segments.count) { field in
                let isSize = field == .eventBoxSize || field == .mediaBoxSize
                return isSize ? 0 : field.bitCount == 64 ? value : UInt64(UInt32(truncatingIfNeeded: value))
            }
            segments.append(.init(name: "every=\(value)", bytes: bytes))
        }
        return segments
    }

    private static func fragment(_ number: Int, _ value: (Field) -> UInt64) -> [UInt8] {
        func four(_ field: Field) -> [UInt8] { bytes(UInt32(truncatingIfNeeded: value(field))) }
        func eight(_ field: Field) -> [UInt8] { bytes(value(field)) }
        let header = full("tkhd", 0, bytes(UInt64(0)) + bytes(UInt32(1)))
        let media = full("mdhd", 0, bytes(UInt64(0)) + four(.movieTimescale) + bytes(UInt64(0)))
        let handler = full("hdlr", 0, bytes(UInt32(0)) + Array("soun".utf8) + bytes(UInt64(0)))
        let track = box("trak", header + box("mdia", media + handler))
        let defaults = full("trex", 0, bytes(UInt32(1)) + bytes(UInt32(1)) + four(.trackSampleDuration))
        let movie = box("moov", track + box("mvex", defaults))
        let index = full("sidx", 1, bytes(UInt32(1)) + four(.indexTimescale) + eight(.indexTime))
        let tag = tag(number)
        let texts = Array("https://aomedia.org/emsg/ID3".utf8) + [0, 0]
        let end = four(.eventDuration) + four(.eventID)
        let absolute = full("emsg", 1, four(.eventTimescale) + eight(.eventTime) + end + texts + tag)
        var relative = full(
            "emsg", 0, texts + four(.eventTimescale) + four(.eventDelta) + end + self.tag(number + 1))
        if value(.eventBoxSize) != 0 { relative.replaceSubrange(0..<4, with: four(.eventBoxSize)) }
        let fragmentHeader = full("tfhd", 0, flags: 8, bytes(UInt32(1)) + four(.fragmentSampleDuration))
        let time = full("tfdt", 1, eight(.decodeTime))
        let run = full("trun", 0, four(.sampleCount))
        let explicit = full(
            "trun", 0, flags: 0x100, bytes(UInt32(2)) + four(.sampleDuration) + four(.sampleDuration))
        let plain = box("traf", full("tfhd", 0, bytes(UInt32(1))) + time + run)
        let fragment = box("moof", box("traf", fragmentHeader + time + run + explicit + run) + plain)
        let mediaData =
            value(.mediaBoxSize) == 0
            ? box("mdat", [0, 0, 0, 0])
            : bytes(UInt32(1)) + Array("mdat".utf8) + eight(.mediaBoxSize) + [0, 0]
        let start = box("ftyp", Array("cmf2".utf8))
        return start + movie + index + absolute + relative + fragment + mediaData
    }

    // MARK: Packed audio

    private static var packedAudio: [Segment] {
        ExtremeNumbers.unsigned(bitCount: 64).enumerated().map { number, value in
            let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
            // An ADTS frame of AAC at 44.1 kHz without content (ISO/IEC 13818-7, 6.2).
            let frame: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x01, 0x1F, 0xFC, 0x00]
            let frames = Array(repeatElement(frame, count: 20).joined())
            return Segment(
                name: "timestamp=\(value)",
                bytes: tag(frame: owner + bytes(value)) + frames + tag(1_000 + number) + frames)
        }
    }

    // MARK: Transport streams

    /// Returns copies of a transport stream in which each PTS, or each second one, has an extreme value.
    private static func transportStreams(_ stream: [UInt8]) -> [Segment] {
        let values = ExtremeNumbers.unsigned(bitCount: 33)
        return values.flatMap { value in
            [1, 2].map { step in
                var bytes = stream
                var count = 0
                for start in Swift.stride(from: 0, to: bytes.count - 187, by: 188)
                where bytes[start + 1] & 0x40 != 0 {
                    let field = bytes[start + 3] & 0x20 != 0 ? Int(bytes[start + 4]) + 1 : 0
                    let pes = start + 4 + field
                    guard pes + 14 <= start + 188, bytes[pes..<pes + 3] == [0, 0, 1],
                        bytes[pes + 7] & 0x80 != 0
                    else { continue }
                    count += 1
                    if count.isMultiple(of: step) {
                        bytes.replaceSubrange(pes + 9..<pes + 14, with: timestamp(value))
                    }
                }
                return Segment(name: "pts=\(value) of each \(step)", bytes: bytes)
            }
        }
    }

    private static func timestamp(_ pts: UInt64) -> [UInt8] {
        [
            0x21 | UInt8(pts >> 29 & 0x0E), UInt8(pts >> 22 & 0xFF), 1 | UInt8(pts >> 14 & 0xFE),
            UInt8(pts >> 7 & 0xFF), 1 | UInt8(pts << 1 & 0xFE),
        ]
    }

    // MARK: Bytes

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        bytes(UInt32(payload.count + 8)) + Array(type.utf8) + payload
    }

    private static func full(_ type: String, _ version: UInt8, flags: UInt32 = 0, _ payload: [UInt8])
        -> [UInt8]
    {
        box(type, bytes(UInt32(version) << 24 | flags) + payload)
    }

    /// Returns a tag whose owner identifier ends with a number, so that tags differ.
    private static func tag(_ number: Int) -> [UInt8] {
        let digits = String(number % 100 + 100).dropFirst()
        let owner =
            "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/pI-X5FFk07770SXf2ZbI6g==/CE0C61TsDo0jIrNn9N2yTPe6nVG3dHZHfgS52fJeQ"
            + "jf9fJCga9tj4OW4NXPZ9fI1mx0gfYUPBXnjqolHemZPtn_FCoNg8Dqw8-Auruf15fU04pJfXTTN0IgZ4iWBmeRiPpS9X100zdCIGeIlgZ"
            + "nkYj6UvVjmPIdY5jyRQTA=/00000/21778/\(digits)"
        return tag(frame: Array(owner.utf8) + [0, 0x41])
    }

    /// Returns an ID3v2.4 tag with one PRIV frame.
    private static func tag(frame content: [UInt8]) -> [UInt8] {
        let frame = Array("PRIV".utf8) + syncSafe(content.count) + [0, 0] + content
        return Array("ID3".utf8) + [4, 0, 0] + syncSafe(frame.count) + frame
    }

    private static func syncSafe(_ value: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7F) }
    }
}
