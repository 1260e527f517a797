import ByteReading

/// Follows the continuity counter of one PID (ISO/IEC 13818-1, 2.4.3.3).
struct ContinuityTracker: Sendable {
    private var last: UInt8?
    private var lastPayload: [UInt8] = []
    private var mayJump = false

    /// The relation of a packet to the previous one.
    enum Step: Hashable {
        case continues
        /// A packet with the same counter and payload: packets may be sent twice.
        case duplicates
        /// Packets are missing before this one.
        case jumps(expected: UInt8)
    }

    init() {}

    /// Compares the packet at `offset` with the previous one; a packet without payload does not advance the counter.
    mutating func step(_ packet: TransportPacket, in bytes: Span<UInt8>, at offset: Int) -> Step {
        if packet.isDiscontinuous { mayJump = true }
        guard packet.hasPayload else { return .continues }
        let payload = bytes.extracting(offset + packet.payloadStart..<offset + TransportPacket.byteCount)
        let expected = last.map { ($0 &+ 1) & 0x0F }
        if last == packet.continuityCounter, payload.equals(lastPayload.span) { return .duplicates }
        let isExpected = expected == nil || expected == packet.continuityCounter || mayJump
        last = packet.continuityCounter
        lastPayload.removeAll(keepingCapacity: true)
        lastPayload.append(payload)
        mayJump = false
        guard !isExpected, let expected else { return .continues }
        return .jumps(expected: expected)
    }
}
