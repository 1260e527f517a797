import ByteReading

/// A synthetic tag in the format of a Nielsen ID3 tag, with random bytes in place of encrypted data.
///
/// The header, owner identifier, times and checksum are valid, so that the tag passes every check that requires no key.
/// The content IDs and blocks are meaningless, and no genuine collection facility can read them.
///
///       0  "ID3" 04 00 20, sync-safe size 261        header of ID3v2.4.0, flag experimental
///      10  "PRIV", sync-safe size 251, 00 00         frame header
///      20  owner identifier, 249 characters          www.nielsen.com/PC/FD/blob/offset/offset/breakout
///     269  00 "A"                                    end of the owner identifier, private data
package struct SyntheticTag: Sendable, Hashable {
    /// The length of a tag, in bytes.
    package static let byteCount = 271

    /// The content ID for "none heard": `X100zdCIGeIlgZnkYj6UvQ==` in the owner identifier.
    package static let nullContentID: [UInt8] = [
        0x5F, 0x5D, 0x34, 0xCD, 0xD0, 0x88, 0x19, 0xE2, 0x25, 0x81, 0x99, 0xE4, 0x62, 0x3E, 0x94, 0xBD,
    ]

    /// The content of a tag.
    package enum Kind: UInt8, Sendable, Hashable {
        /// A description of the inserter.
        case info = 1
        /// The watermarks detected in a time range.
        case data = 2
    }

    /// The content of the tag.
    var kind: Kind
    /// The number in the sequence that INFO and DATA tags share.
    var sequence: UInt16
    /// The start of the tag's time span, in Unix seconds.
    var firstTime: UInt32
    /// The end of the tag's time span, in Unix seconds.
    var lastTime: UInt32
    /// The program content ID, 16 bytes.
    package var pcCID: [UInt8] = SyntheticTag.nullContentID
    /// The final distributor ID, 16 bytes.
    package var fdCID: [UInt8] = SyntheticTag.nullContentID
    /// The offset from the time in the program content ID in seconds, 0 to 99,999.
    package var pcOffset = 0
    /// The offset from the time in the final distributor ID in seconds, 0 to 99,999.
    package var fdOffset = 0
    /// The two digits at the end, 0 to 99; only 0 is valid.
    var breakout = 0
    /// The seven opaque blocks of the blob, 112 bytes in total.
    package var blocks: [UInt8]
    /// The value added to the checksum; any value except 0 makes it invalid.
    var checksumError: UInt16 = 0

    /// Creates a tag with null content IDs and offsets of 0.
    ///
    /// `blocks` must be 112 bytes long and content IDs 16 bytes; otherwise, `bytes` traps.
    package init(kind: Kind, sequence: UInt16, firstTime: UInt32, lastTime: UInt32, blocks: [UInt8]) {
        self.kind = kind
        self.sequence = sequence
        self.firstTime = firstTime
        self.lastTime = lastTime
        self.blocks = blocks
    }

    /// Returns seven blocks as in public samples: opaque blocks, then null blocks, and in an INFO tag a final zero
    /// block.
    static func blocks(kind: Kind, from generator: inout SplitMix64) -> [UInt8] {
        let opaqueCount = kind == .data ? 5 : 4
        var blocks = generator.bytes(16 * opaqueCount)
        blocks += nullContentID + nullContentID
        if kind == .info { blocks += [UInt8](repeating: 0, count: 16) }
        return blocks
    }

    /// The 125 bytes of the third part of the owner identifier, before base64 encoding.
    package var blob: [UInt8] {
        precondition(blocks.count == 112, "a blob has seven blocks of 16 bytes")
        var blob = sequence.bigEndianBytes
        blob.append(kind.rawValue)
        blob += blocks
        blob += firstTime.bigEndianBytes
        blob += lastTime.bigEndianBytes
        let sum = blob.reduce(0) { (sum: UInt16, byte) in sum &+ UInt16(byte) }
        return blob + (sum &+ checksumError).bigEndianBytes
    }

    /// The 249 ASCII characters of the owner identifier.
    package var ownerIdentifier: [UInt8] {
        precondition(pcCID.count == 16 && fdCID.count == 16, "a content id has 16 bytes")
        let pieces = [
            Array("www.nielsen.com".utf8), Base64.urlSafe(pcCID), Base64.urlSafe(fdCID), Base64.urlSafe(blob),
            digits(pcOffset, count: 5), digits(fdOffset, count: 5), digits(breakout, count: 2),
        ]
        return Array(pieces.joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
    }

    /// The complete tag: 271 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = [
            0x49, 0x44, 0x33, 0x04, 0x00, 0x20, 0x00, 0x00, 0x02, 0x05,
            0x50, 0x52, 0x49, 0x56, 0x00, 0x00, 0x01, 0x7B, 0x00, 0x00,
        ]
        bytes += ownerIdentifier
        bytes += [0x00, 0x41]
        return bytes
    }
}

extension SyntheticTag {
    /// Creates a valid tag of the television program that the seed determines.
    ///
    /// The content IDs are constant for a broadcast day and have matching offsets; the blocks are random.
    ///
    /// `index` is the index of the tag among those of its kind.
    init(kind: Kind, sequence: UInt16, firstTime: UInt32, lastTime: UInt32, seed: UInt64, index: Int) {
        // The blocks of a tag are independent of the tags of the other kind.
        var source = SplitMix64(
            seed: seed, stream: 3, index: kind == .data ? UInt64(index) + 1 : 0 &- UInt64(index))
        self.init(
            kind: kind, sequence: sequence, firstTime: firstTime, lastTime: lastTime,
            blocks: Self.blocks(kind: kind, from: &source))
        guard kind == .data else { return }
        pcCID = Self.contentID(seed: seed, stream: 1, at: firstTime)
        fdCID = Self.fdCID(seed: seed, at: firstTime)
        pcOffset = (Int(firstTime) - Self.dayStart) % 86_400
        fdOffset = pcOffset
    }

    /// The start of a broadcast day, 3 a.m., in seconds after midnight.
    private static let dayStart = 3 * 3600

    /// Returns the final distributor ID of the day.
    static func fdCID(seed: UInt64, at time: UInt32) -> [UInt8] { contentID(seed: seed, stream: 2, at: time) }

    /// Returns a program content ID of the day that differs from the regular one.
    static func otherPCCID(seed: UInt64, at time: UInt32) -> [UInt8] {
        contentID(seed: seed, stream: 4, at: time)
    }

    private static func contentID(seed: UInt64, stream: UInt64, at time: UInt32) -> [UInt8] {
        var source = SplitMix64(seed: seed, stream: stream, index: UInt64((Int(time) - dayStart) / 86_400))
        return source.bytes(16)
    }
}

private func digits(_ number: Int, count: Int) -> [UInt8] {
    let text = Array(String(number).utf8)
    precondition(number >= 0 && text.count <= count, "the number does not fit its field")
    return [UInt8](repeating: UInt8(ascii: "0"), count: count - text.count) + text
}
