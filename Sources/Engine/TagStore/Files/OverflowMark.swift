internal import ByteReading

/// The record of the tags in memory, for the next owner.
///
///     0               8               16       20      24
///     | lost so far   | last sequence | "DTVL" | crc-32 of the first 20 |
struct OverflowMark: Sendable, Hashable {
    static let byteCount = 24

    /// The number of tags lost from memory since the buffer was created, including those in memory now.
    let lostCount: Int64
    /// The last sequence assigned to any tag.
    let lastSequence: Int64

    init(lostCount: Int64, lastSequence: Int64) {
        self.lostCount = lostCount
        self.lastSequence = lastSequence
    }

    /// Decodes a record; nil if it is damaged.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= Self.byteCount, bytes.hasASCII("DTVL", at: 16),
            bytes.bigEndianUInt32(at: 20) == CRC32.of(bytes.extracting(0..<20))
        else { return nil }
        lostCount = Int64(bitPattern: bytes.bigEndianUInt64(at: 0))
        lastSequence = Int64(bitPattern: bytes.bigEndianUInt64(at: 8))
        let possible = 0...StoreTotals.maximumCount
        guard possible.contains(lostCount), possible.contains(lastSequence) else { return nil }
    }

    /// The encoded record.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(bigEndian: lostCount)
        bytes.append(bigEndian: lastSequence)
        bytes += Array("DTVL".utf8)
        bytes.append(bigEndian: CRC32.of(bytes.span))
        return bytes
    }
}
