import ByteReading

/// Packets on PIDs that no map lists yet.
struct UnmappedPackets: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var offsets: [Int] = []
    /// The number of packets dropped because the buffer was full, and the offset of the first one.
    private(set) var droppedCount = 0
    private(set) var firstDroppedOffset = 0

    var isEmpty: Bool { offsets.isEmpty }

    /// Whether a packet was dropped.
    var isFull: Bool { droppedCount > 0 }

    init() {}

    /// Appends the packet at `position`, or returns false if the buffer would exceed `limit` bytes.
    mutating func append(_ span: Span<UInt8>, at position: Int, segmentOffset: Int, limit: Int) -> Bool {
        guard bytes.count + TransportPacket.byteCount <= limit, !isFull else {
            if droppedCount == 0 { firstDroppedOffset = segmentOffset }
            droppedCount += 1
            return false
        }
        bytes.append(span.extracting(position..<position + TransportPacket.byteCount))
        offsets.append(segmentOffset)
        return true
    }

    /// Removes all packets, and returns them in order.
    mutating func removeAll() -> (bytes: [UInt8], offsets: [Int]) {
        defer {
            bytes = []
            offsets = []
        }
        return (bytes, offsets)
    }
}
