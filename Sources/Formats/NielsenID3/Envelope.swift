import ByteReading
import ID3v2

/// What is wrong with the ID3 tag around an owner identifier.
struct Envelope {
    var problems: TagProblems = []
    var malformation: ID3Error?
    var deviations: ID3Deviations = []

    /// How many bytes a Nielsen tag has, header and tail included.
    static let tagLength = 271
    /// Where the owner identifier of a right tag lies.
    static let ownerRange = 20..<269

    /// Nothing is wrong, or there is no tag around it.
    init() {}

    /// What the bytes of a whole tag show by themselves: its 20 leading bytes and its tail.
    init(of tag: borrowing ID3Tag) {
        let bytes = tag.bytes
        if !Self.hasHeader(bytes) { problems.insert(.header) }
        if bytes.count != Self.tagLength || !Self.hasTail(bytes) { problems.insert(.tail) }
        deviations = tag.deviations
        if tag.isTruncated {
            note(.tagTruncated(at: 0, declared: tag.header.tagLength, available: bytes.count))
        }
        if !deviations.isEmpty { problems.insert(.malformed) }
    }

    /// Notes an error; the first is kept.
    mutating func note(_ error: ID3Error) {
        if malformation == nil { malformation = error }
        problems.insert(.malformed)
    }

    /// Notes deviations.
    mutating func note(_ deviations: ID3Deviations) {
        guard !deviations.isEmpty else { return }
        self.deviations.formUnion(deviations)
        problems.insert(.malformed)
    }

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
