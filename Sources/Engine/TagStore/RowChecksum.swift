internal import CDTVRZlib
internal import TimedMedia

/// The fields of a row that stand beside its body.
struct RowFields: Sendable, Hashable {
    var sequence: Int64
    var id: TagID
    var receivedWall: Int64
    var receivedBoot: Int64
    var epoch: Int64
    var encoding: Int64

    /// CRC-32 (ISO-HDLC, as in zlib) over all fields, big-endian, in the order of declaration, then the body.
    func checksum(body: Span<UInt8>) -> Int64 {
        let words =
            [
                UInt64(bitPattern: sequence).bigEndian, id.high.bigEndian, id.low.bigEndian,
                UInt64(bitPattern: receivedWall).bigEndian, UInt64(bitPattern: receivedBoot).bigEndian,
                UInt64(bitPattern: epoch).bigEndian, UInt64(bitPattern: encoding).bigEndian,
            ] as InlineArray<7, UInt64>
        return Int64(CRC32.of(body, continuing: CRC32.of(bigEndian: words.span)))
    }
}

/// CRC-32 as zlib computes it.
enum CRC32 {
    static func of(_ bytes: Span<UInt8>, continuing start: UInt32 = 0) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            // zlib reads `count` bytes at the address, and both are those of one borrowed buffer; for an empty
            // one the address may be null, to which zlib answers with the start of a new sum.
            guard let address = buffer.baseAddress else { return start }
            return UInt32(truncatingIfNeeded: unsafe crc32(UInt(start), address, UInt32(buffer.count)))
        }
    }

    /// The sum of words as they lie in memory.
    static func of(bigEndian words: Span<UInt64>) -> UInt32 {
        unsafe words.withUnsafeBytes { buffer in
            // As above; the bytes of a word have no padding.
            guard let address = buffer.baseAddress else { return 0 }
            let bytes = unsafe address.assumingMemoryBound(to: UInt8.self)
            return UInt32(truncatingIfNeeded: unsafe crc32(0, bytes, UInt32(buffer.count)))
        }
    }
}

extension TagID {
    /// The sixteen bytes, big-endian.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        appendBytes(to: &bytes)
        return bytes
    }

    /// Appends the sixteen bytes, big-endian.
    func appendBytes(to bytes: inout [UInt8]) {
        for index in 0..<16 {
            let word = index < 8 ? high : low
            bytes.append(UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64(index % 8))))
        }
    }

    /// The id of sixteen bytes; nil for any other count.
    init?(bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(high: bytes.bigEndianUInt64(at: 0), low: bytes.bigEndianUInt64(at: 8))
    }
}
