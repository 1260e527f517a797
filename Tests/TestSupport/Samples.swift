import ByteReading

/// The public sample owner identifiers, and tags around them.
public enum Samples {
    /// A DATA tag of 2017 without a PC CID.
    public static let data2017 =
        "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/pI-X5FFk07770SXf2ZbI6g==/CE0C61TsDo0jIrNn9N2yTPe6nVG3dHZHf"
        + "gS52fJeQjf9fJCga9tj4OW4NXPZ9fI1mx0gfYUPBXnjqolHemZPtn_FCoNg8Dqw8-Auruf15fU04pJfXTTN0IgZ4iWBmeRi"
        + "PpS9X100zdCIGeIlgZnkYj6UvVjmPIdY5jyRQTA=/00000/21778/00"
    /// An INFO tag of 2013, the first of its encoder.
    public static let info2013 =
        "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/X100zdCIGeIlgZnkYj6UvQ==/AAAB2Jz2_k74GXSzx4npHuI_JwJd3QSUp"
        + "W30rDkGTcbHEzIMWleCzM-uvNOP9fzJcQMWQLJqzXMCAxParOb5sGijSV9dNM3QiBniJYGZ5GI-lL1fXTTN0IgZ4iWBmeRi"
        + "PpS9AAAAAAAAAAAAAAAAAAAAAFJWFM5SVhTONNU=/00000/00000/00"
    /// A DATA tag of 2015 with both CIDs.
    public static let data2015 =
        "www.nielsen.com/065H2g6E7ZyQ5UdmMAbbpg==/_EMc37zfVgq_8KB7baUYfg==/ADQCAmgV1Xyvnynyg60kZO_Ejkcn2KLSr"
        + "TzyJpZZ-QeRn8GpMGTWI7-HrEKzghxyzCyBEoIDv2kA2g1QJmeYOl5GnwfrLDVK2bNLTbQxr1z9VBfxahBcQP5tqbjhyMzd"
        + "VqrMKuvvJO1jhtSXa9AroChb11ZUnG1WVJx2O4M=/33648/22847/00"

    /// All samples.
    public static let all = [data2017, info2013, data2015]

    /// Returns the 271 bytes of the tag with this owner identifier.
    public static func tag(_ owner: String) -> [UInt8] { tag(Array(owner.utf8)) }

    /// Returns the bytes of the tag with this owner identifier.
    public static func tag(_ owner: [UInt8]) -> [UInt8] {
        [0x49, 0x44, 0x33, 4, 0, 0x20, 0, 0, 2, 5, 0x50, 0x52, 0x49, 0x56, 0, 0, 1, 0x7B, 0, 0] + owner
            + [0, 0x41]
    }

    /// Returns a transport stream whose first tag has lost its first five bytes, and has stuffing instead; nil without
    /// a tag.
    public static func withoutFirstFiveBytes(ofTagIn bytes: [UInt8]) -> [UInt8]? {
        // Without slices of the array: in a debug build each asks the runtime for its type, under a lock.
        let span = bytes.span
        let tag: StaticString = "ID3\u{4}\u{0}\u{20}"
        var place = span.firstIndex(of: tag)
        while place < span.count, !span.hasASCII("PRIV", at: place + 10) {
            place += 1 + span.extracting((place + 1)...).firstIndex(of: tag)
        }
        guard place < span.count else { return nil }
        let start = place / 188 * 188
        var packet = Array(bytes[start..<start + 188])
        let payload = packet[3] & 0x20 == 0 ? 4 : 5 + Int(packet[4])
        // The length of the PES packet, reduced by the removed bytes.
        let length = Int(packet[payload + 4]) << 8 | Int(packet[payload + 5])
        if length >= 5 {
            packet[payload + 4] = UInt8((length - 5) >> 8)
            packet[payload + 5] = UInt8((length - 5) & 0xFF)
        }
        packet.removeSubrange(place - start..<place - start + 5)
        if payload == 4 {
            packet[3] |= 0x20
            packet.insert(contentsOf: [4, 0, 0xFF, 0xFF, 0xFF], at: 4)
        } else {
            packet[4] += 5
            packet.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF], at: payload)
        }
        return bytes[..<start] + packet + bytes[(start + 188)...]
    }
}

/// A synthetic tag: opaque pieces of fixed bytes, clear fields, and a valid checksum.
public struct SyntheticTag {
    /// The bytes of the null CID.
    public static let null: [UInt8] = [
        0x5F, 0x5D, 0x34, 0xCD, 0xD0, 0x88, 0x19, 0xE2, 0x25, 0x81, 0x99, 0xE4, 0x62, 0x3E, 0x94, 0xBD,
    ]

    /// The 16 bytes of the PC CID.
    public var pcCID: [UInt8] = Array(1...16)
    /// The 16 bytes of the FD CID.
    public var fdCID: [UInt8] = Array(101...116)
    /// The sequence number.
    public var sequence: UInt16 = 7
    /// The kind: 1 for INFO, 2 for DATA.
    public var kind: UInt8 = 2
    /// The number of blocks, of seven, that are the null CID.
    public var unusedBlockCount = 2
    /// The blocks with bytes other than their number.
    public var blocks: [Int: [UInt8]] = [:]
    /// The first time, in Unix seconds.
    public var firstTime: UInt32 = 1_700_000_000
    /// The last time, in Unix seconds.
    public var lastTime: UInt32 = 1_700_000_010
    /// The difference of the stored from the computed checksum.
    public var checksumError: UInt16 = 0
    /// The PC offset, as text.
    public var pcOffset = "00100"
    /// The FD offset, as text.
    public var fdOffset = "00200"
    /// The breakout, as text.
    public var breakout = "00"

    /// Creates a valid DATA tag.
    public init() {}

    /// A valid INFO tag.
    public static var info: SyntheticTag {
        var tag = SyntheticTag()
        tag.kind = 1
        tag.pcCID = null
        tag.fdCID = null
        tag.pcOffset = "00000"
        tag.fdOffset = "00000"
        return tag
    }

    /// The 125 bytes of the blob.
    public var blob: [UInt8] {
        var blob = Self.bytes(UInt32(sequence)).suffix(2) + [kind]
        for block in 0..<7 {
            let used = blocks[block] ?? [UInt8](repeating: UInt8(block), count: 16)
            blob += block < 7 - unusedBlockCount ? used : Self.null
        }
        blob += Self.bytes(firstTime) + Self.bytes(lastTime)
        let sum = blob.reduce(UInt16(0)) { $0 &+ UInt16($1) } &+ checksumError
        return Array(blob) + Self.bytes(UInt32(sum)).suffix(2)
    }

    /// The owner identifier.
    public var owner: String {
        let pieces = [
            "www.nielsen.com", Self.base64(pcCID), Self.base64(fdCID), Self.base64(blob), pcOffset, fdOffset,
            breakout,
        ]
        return pieces.joined(separator: "/")
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Returns URL-safe base64, encoded bit by bit, independent of the decoder.
    public static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        while bits.count % 6 != 0 { bits.append(0) }
        var text = ""
        for start in stride(from: 0, to: bits.count, by: 6) {
            text.append(alphabet[bits[start..<start + 6].reduce(0) { 2 * $0 + Int($1) }])
        }
        while text.count % 4 != 0 { text.append("=") }
        return text
    }
}
