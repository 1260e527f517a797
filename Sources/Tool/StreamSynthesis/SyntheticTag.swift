import ByteReading

/// A made tag with the outer form of a Nielsen ID3 tag and random bytes where a genuine one is encrypted.
///
/// Header, owner identifier, times and checksum are right, so that it passes every check that needs no key;
/// content ids and blocks mean nothing, and no collection facility of the real thing can read them.
///
///       0  "ID3" 04 00 20, sync-safe size 261        header of ID3v2.4.0, flag experimental
///      10  "PRIV", sync-safe size 251, 00 00         frame header
///      20  owner identifier, 249 characters          www.nielsen.com/PC/FD/blob/offset/offset/breakout
///     269  00 "A"                                    its end, and the private data
package struct SyntheticTag: Sendable, Hashable {
    /// How many bytes a tag has.
    package static let byteCount = 271

    /// The content id that says "none heard": `X100zdCIGeIlgZnkYj6UvQ==` in the owner identifier.
    package static let nullContentID: [UInt8] = [
        0x5F, 0x5D, 0x34, 0xCD, 0xD0, 0x88, 0x19, 0xE2, 0x25, 0x81, 0x99, 0xE4, 0x62, 0x3E, 0x94, 0xBD,
    ]

    /// What a tag reports.
    package enum Kind: UInt8, Sendable, Hashable {
        /// The description of the inserter.
        case info = 1
        /// The watermarks heard between two times.
        case data = 2
    }

    /// What the tag reports.
    package var kind: Kind
    /// The place in the one sequence that INFO and DATA tags share.
    package var sequence: UInt16
    /// Unix seconds at which the tag's span begins.
    package var firstTime: UInt32
    /// Unix seconds at which it ends.
    package var lastTime: UInt32
    /// The programme content id, 16 bytes.
    package var pcCID: [UInt8] = SyntheticTag.nullContentID
    /// The final distributor id, 16 bytes.
    package var fdCID: [UInt8] = SyntheticTag.nullContentID
    /// Seconds since the time in the programme content id, 0 to 99,999.
    package var pcOffset = 0
    /// Seconds since the time in the final distributor id, 0 to 99,999.
    package var fdOffset = 0
    /// The two digits at the end, 0 to 99; anything but 0 is wrong.
    package var breakout = 0
    /// The seven opaque blocks of the blob, 112 bytes in all.
    package var blocks: [UInt8]
    /// What is added to the right checksum; anything but 0 is wrong.
    package var checksumError: UInt16 = 0

    /// A tag with null content ids and offsets of 0.
    ///
    /// `blocks` must have 112 bytes, and a content id that is set later 16; `bytes` traps otherwise.
    package init(kind: Kind, sequence: UInt16, firstTime: UInt32, lastTime: UInt32, blocks: [UInt8]) {
        self.kind = kind
        self.sequence = sequence
        self.firstTime = firstTime
        self.lastTime = lastTime
        self.blocks = blocks
    }

    /// Seven blocks as public samples fill them: opaque ones first, then null ones, and an INFO tag's last is zero.
    static func blocks(kind: Kind, from generator: inout SplitMix64) -> [UInt8] {
        let opaqueCount = kind == .data ? 5 : 4
        var blocks = generator.bytes(16 * opaqueCount)
        blocks += nullContentID + nullContentID
        if kind == .info { blocks += [UInt8](repeating: 0, count: 16) }
        return blocks
    }

    /// The 125 bytes that the third piece of the owner identifier holds in base64.
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

    /// The 249 characters of the owner identifier, in ASCII.
    package var ownerIdentifier: [UInt8] {
        precondition(pcCID.count == 16 && fdCID.count == 16, "a content id has 16 bytes")
        let pieces = [
            Array("www.nielsen.com".utf8), Base64.urlSafe(pcCID), Base64.urlSafe(fdCID), Base64.urlSafe(blob),
            digits(pcOffset, count: 5), digits(fdOffset, count: 5), digits(breakout, count: 2),
        ]
        return Array(pieces.joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
    }

    /// The tag as it stands in a stream: 271 bytes.
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

private func digits(_ number: Int, count: Int) -> [UInt8] {
    let text = Array(String(number).utf8)
    precondition(number >= 0 && text.count <= count, "the number does not fit its field")
    return [UInt8](repeating: UInt8(ascii: "0"), count: count - text.count) + text
}
