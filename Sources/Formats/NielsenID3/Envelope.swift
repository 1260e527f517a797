import ByteReading
import ID3v2

/// The ID3 tag around an owner identifier: how it is written, and what it breaks.
struct Envelope {
    /// Whether the 20 leading bytes are those of a Nielsen tag.
    var hasValidHeader = true
    /// Whether there are 271 bytes that end in a zero byte and `A`.
    var hasValidTail = true
    var malformation: ID3Error?
    var deviations: ID3Deviations = []

    /// How many bytes a Nielsen tag has, header and tail included.
    static let tagLength = 271
    /// Where the owner identifier of a valid tag lies.
    static let ownerRange = 20..<269

    /// A valid tag, or none around it.
    init() {}

    /// What the bytes of a tag show by themselves: its 20 leading bytes and its tail.
    init(of tag: borrowing ID3Tag) {
        let bytes = tag.bytes
        hasValidHeader = Self.hasHeader(bytes)
        hasValidTail = bytes.count == Self.tagLength && Self.hasTail(bytes)
        deviations = tag.deviations
        if tag.isTruncated {
            record(.tagTruncated(at: 0, declared: tag.header.tagLength, available: bytes.count))
        }
    }

    /// Notes an error; the first is kept.
    mutating func record(_ error: ID3Error) {
        if malformation == nil { malformation = error }
    }

    /// Notes deviations.
    mutating func record(_ deviations: ID3Deviations) { self.deviations.formUnion(deviations) }

    /// Whether a tag begins with the 20 bytes of a Nielsen tag.
    ///
    ///     "ID3" 04 00 20 | 261 sync-safe | "PRIV" | 251 sync-safe | 00 00
    @inline(__always)
    static func hasHeader(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 20 && bytes.bigEndianUInt64(at: 0) == 0x4944_3304_0020_0000
            && bytes.bigEndianUInt64(at: 8) == 0x0205_5052_4956_0000
            && bytes.bigEndianUInt32(at: 16) == 0x017B_0000
    }

    /// Whether a tag ends in a zero byte and `A`.
    @inline(__always)
    static func hasTail(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 2 && bytes.bigEndianUInt16(at: bytes.count - 2) == 0x0041
    }
}
