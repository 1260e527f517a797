import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// A synthetic tag and its place: opaque pieces of fixed bytes, clear fields and a valid checksum.
///
/// The blob, in bytes: sequence 2, kind 1, seven blocks of 16, first time 4, last time 4, sum of the preceding bytes 2.
struct TagSample: Sendable {
    static let null: [UInt8] = [
        0x5F, 0x5D, 0x34, 0xCD, 0xD0, 0x88, 0x19, 0xE2, 0x25, 0x81, 0x99, 0xE4, 0x62, 0x3E, 0x94, 0xBD,
    ]
    /// 2023-11-14 12:00:00 UTC.
    static let noon: UInt32 = 1_699_963_200

    var kind: UInt8 = 2
    var sequence: UInt16 = 100
    var firstTime = TagSample.noon
    var lastTime = TagSample.noon + 10
    var pcCID: [UInt8] = Array(1...16)
    var fdCID: [UInt8] = Array(101...116)
    var pcOffset = 1000
    var fdOffset = 2000
    var breakout = "00"
    var unusedBlockCount = 2
    /// The byte that fills the opaque blocks.
    var filling: UInt8 = 7
    var checksumError: UInt16 = 0
    /// Changes the owner identifier, and the bytes of the tag.
    var spoilOwner: @Sendable (inout [UInt8]) -> Void = { _ in }
    var spoil: @Sendable (inout [UInt8]) -> Void = { _ in }

    /// The seconds of media before the tag.
    var position = 10.0
    /// The offset of its PTS from the correct one, in seconds.
    var shift = 0.0
    var hasTime = true
    /// The index of the segment that delivers the tag; nil for the segment at its position.
    var segment: Int?
    var carriage = Carriage.transportStream(pid: 258)
    var packetCount = 2
    var fillsPackets = true
    var streamID: UInt8 = 0xBD
    var isDeclared = true
    /// The offset of the preceding audio from the tag's position, in seconds; nil without audio.
    var audio: Double? = 0
    var isTruncated = false
    var programDateTime: Int64?

    /// Returns the DATA tag at `index` in a clean stream; it ends `10 * (index + 1)` seconds after the start.
    static func data(_ index: Int) -> TagSample {
        var tag = TagSample()
        tag.sequence = 100 &+ UInt16(truncatingIfNeeded: index)
        tag.firstTime = noon + UInt32(10 * index)
        tag.lastTime = tag.firstTime + 10
        tag.pcOffset = 1000 + 10 * index
        tag.fdOffset = 2000 + 10 * index
        tag.position = 10 * Double(index + 1)
        return tag
    }

    /// Returns the DATA tags of a clean stream.
    static func data(_ indices: Range<Int>) -> [TagSample] { indices.map { data($0) } }

    /// Returns a valid INFO tag with a number at a position.
    static func info(sequence: UInt16, position: Double) -> TagSample {
        var tag = TagSample()
        tag.kind = 1
        tag.sequence = sequence
        tag.firstTime = noon + UInt32(position)
        tag.lastTime = tag.firstTime
        tag.pcCID = null
        tag.fdCID = null
        tag.pcOffset = 0
        tag.fdOffset = 0
        tag.position = position
        return tag
    }

    /// Returns the tag with some fields changed.
    func with(_ change: (inout TagSample) -> Void) -> TagSample {
        var tag = self
        change(&tag)
        return tag
    }

    var blob: [UInt8] {
        var blob = Self.bytes(UInt32(sequence)).suffix(2) + [kind]
        for block in 0..<7 {
            blob += block < 7 - unusedBlockCount ? [UInt8](repeating: filling, count: 16) : Self.null
        }
        blob += Self.bytes(firstTime) + Self.bytes(lastTime)
        let sum = blob.reduce(UInt16(0)) { $0 &+ UInt16($1) } &+ checksumError
        return Array(blob) + Self.bytes(UInt32(sum)).suffix(2)
    }

    var owner: [UInt8] {
        var owner = Self.owner(
            pcCID: pcCID, fdCID: fdCID, blob: blob, pcOffset: pcOffset, fdOffset: fdOffset, breakout: breakout
        )
        spoilOwner(&owner)
        return owner
    }

    static func owner(
        pcCID: [UInt8], fdCID: [UInt8], blob: [UInt8], pcOffset: Int, fdOffset: Int, breakout: String
    ) -> [UInt8] {
        func digits(_ number: Int) -> String { String(String(100_000 + number).dropFirst()) }
        let pieces = [
            "www.nielsen.com", base64(pcCID), base64(fdCID), base64(blob), digits(pcOffset), digits(fdOffset),
            breakout,
        ]
        return Array(pieces.joined(separator: "/").utf8)
    }

    /// The bytes of the tag, with sizes that match its owner identifier.
    var bytes: [UInt8] {
        let owner = owner
        func syncSafe(_ number: Int) -> [UInt8] { [0, 0, UInt8(number >> 7), UInt8(number & 0x7F)] }
        var bytes = [0x49, 0x44, 0x33, 4, 0, 0x20] + syncSafe(owner.count + 12)
        bytes += [0x50, 0x52, 0x49, 0x56] + syncSafe(owner.count + 2) + [0, 0] + owner + [0, 0x41]
        spoil(&bytes)
        return bytes
    }

    /// Returns the tag that the decoder reads from the bytes.
    func decoded() throws -> NielsenTag {
        let bytes = bytes
        let tag = NielsenTag(tagBytes: bytes.span)
        return try #require(tag)
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// URL-safe base64 (RFC 4648, section 5), independent of the decoder.
    static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(bits >> UInt32(bitCount) & 0x3F)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(bits << UInt32(6 - bitCount) & 0x3F)]) }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }
}
