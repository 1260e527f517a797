import ByteReading

/// The PIDs from 0x10 to 0x1F that carry DVB tables (ETSI EN 300 468, 5.1.3).
///
/// ISO/IEC 13818-1, table 2-3, allows elementary streams on these PIDs. Until a PMT names them, their content decides:
/// a table begins with a pointer field, a PES packet with the start code 00 00 01.
struct BroadcastTables: Sendable {
    private static let pids: ClosedRange<UInt16> = 0x10...0x1F

    /// One bit for each PID on which a table began.
    private var found: UInt16 = 0

    init() {}

    /// Returns whether the packet at `offset` belongs to a table, as far as the packets so far show.
    mutating func contains(_ packet: TransportPacket, in bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard Self.pids.contains(packet.pid) else { return false }
        let bit = 1 << (packet.pid - Self.pids.lowerBound) as UInt16
        if packet.startsUnit, packet.hasPayload {
            let payload = offset + packet.payloadStart..<offset + TransportPacket.byteCount
            if case .none = PESHeader.read(bytes, payload) { found |= bit } else { found &= ~bit }
        }
        return found & bit != 0
    }
}
