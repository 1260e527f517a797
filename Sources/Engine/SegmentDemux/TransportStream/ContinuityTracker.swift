import ByteReading

/// Follows the continuity counter of one PID (ISO/IEC 13818-1, 2.4.3.3).
///
/// Some multiplexers write one value into all packets, or also count packets without payload. Their counters are
/// wrong, but no packet is missing.
struct ContinuityTracker: Sendable {
    private var last: UInt8?
    private var lastPayload: [UInt8] = []
    private var mayJump = false
    /// The counter of the last packet without payload, if the counters since the last payload count such packets.
    private var lastEmpty: UInt8?
    /// Whether the counter has advanced by one.
    private var hasCounted = false
    /// The number of successive packets with the same counter and different payloads.
    private var repetitionCount = 0

    /// The relation of a packet to the previous one.
    enum Step: Hashable {
        case continues
        /// A packet with the same counter and payload: packets may be sent twice.
        case duplicates
        /// The counter is wrong, but it does not show that packets are missing.
        case miscounts(expected: UInt8)
        /// Packets are missing before this one.
        case jumps(expected: UInt8)
    }

    init() {}

    /// Compares the packet at `offset` with the previous one; a packet without payload does not advance the counter.
    mutating func step(_ packet: TransportPacket, in bytes: Span<UInt8>, at offset: Int) -> Step {
        if packet.isDiscontinuous { mayJump = true }
        let counter = packet.continuityCounter
        guard packet.hasPayload else {
            if let before = lastEmpty ?? last, counter == Self.successor(of: before) { lastEmpty = counter }
            return .continues
        }
        let payload = bytes.extracting(offset + packet.payloadStart..<offset + TransportPacket.byteCount)
        let isStill = last == counter
        if isStill, payload.equals(lastPayload.span), packet.startsUnit || !standsStill { return .duplicates }
        let expected = last.map(Self.successor(of:))
        let isExpected = expected == nil || expected == counter || mayJump
        let countsEmpty = lastEmpty.map(Self.successor(of:)) == counter
        last = counter
        lastEmpty = nil
        lastPayload.removeAll(keepingCapacity: true)
        lastPayload.append(payload)
        if expected == counter { hasCounted = true }
        repetitionCount = isStill && !mayJump ? repetitionCount + 1 : 0
        mayJump = false
        guard !isExpected, let expected else { return .continues }
        return isStill && standsStill || countsEmpty
            ? .miscounts(expected: expected) : .jumps(expected: expected)
    }

    /// Whether the multiplexer does not count.
    ///
    /// After a counter that has advanced, one repetition may also mean that 15 packets are missing.
    private var standsStill: Bool { repetitionCount > (hasCounted ? 1 : 0) }

    private static func successor(of counter: UInt8) -> UInt8 { (counter &+ 1) & 0x0F }
}
