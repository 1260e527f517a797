import ByteReading
import ID3v2

/// The state of the ID3 tag around an owner identifier: its framing, its errors and its deviations.
struct Envelope {
    /// Whether the first 20 bytes are those of a Nielsen tag.
    var hasValidHeader = true
    /// Whether the tag has 271 bytes and ends in a zero byte and `A`.
    var hasValidTail = true
    var malformation: ID3Error?
    var deviations = ID3Deviations()

    /// The length of a Nielsen tag in bytes, header and tail included.
    static let tagLength = 271
    /// The position of the owner identifier in a valid tag.
    static let ownerRange = 20..<269

    /// Creates the envelope of a valid tag, or of an owner identifier without a tag.
    init() {}

    /// Creates an envelope from a tag's first 20 bytes, tail, deviations and truncation.
    init(of tag: borrowing ID3Tag) {
        let bytes = tag.bytes
        hasValidHeader = Self.hasHeader(bytes)
        hasValidTail = bytes.count == Self.tagLength && Self.hasTail(bytes)
        deviations = tag.deviations
        if tag.isTruncated {
            record(.tagTruncated(at: 0, declared: tag.header.tagLength, available: bytes.count))
        }
    }

    /// Records an error, unless an earlier one is already recorded.
    mutating func record(_ error: ID3Error) {
        if malformation == nil { malformation = error }
    }

    /// Adds deviations to those already recorded.
    mutating func record(_ deviations: ID3Deviations) { self.deviations.formUnion(deviations) }

    /// Returns whether a tag begins with the 20 bytes of a Nielsen tag.
    ///
    ///     "ID3" 04 00 20 | 261 sync-safe | "PRIV" | 251 sync-safe | 00 00
    @inline(__always)
    static func hasHeader(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 20 && bytes.bigEndianUInt64(at: 0) == 0x4944_3304_0020_0000
            && bytes.bigEndianUInt64(at: 8) == 0x0205_5052_4956_0000
            && bytes.bigEndianUInt32(at: 16) == 0x017B_0000
    }

    /// Returns whether a tag ends in a zero byte and `A`.
    @inline(__always)
    static func hasTail(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 2 && bytes.bigEndianUInt16(at: bytes.count - 2) == 0x0041
    }
}
