import ByteReading
internal import TimedMedia

/// Says, by PID, which packets deserve more than a look at their header.
///
/// Of a thousand packets some ten do, so the loop over the others is where the time of a scan goes: a load of the
/// header, a load from a table of 8 KiB, one test.
struct PIDFilter: Sendable {
    /// Passes the packets in which a PES packet or a section begins.
    static let starts: UInt8 = 0b01
    /// Passes all packets.
    ///
    /// This bit alone is enough, as the loop asks for it with every packet.
    static let all: UInt8 = 0b10

    private var table = [UInt8](repeating: 0, count: TransportPacket.pidCount)

    init() {}

    /// Which packets of a PID pass: none (0), `starts` or `all`.
    subscript(pid: UInt16) -> UInt8 {
        get { table[Int(pid & 0x1FFF)] }
        set { table[Int(pid & 0x1FFF)] = newValue }
    }

    /// Sets which packets pass for every PID.
    mutating func reset(to value: UInt8) {
        for index in table.indices { table[index] = value }
    }

    /// The first place, from `start` in steps of `stride`, with a packet that passes or with no sync byte.
    ///
    /// Where there is none, the first place with fewer than `needed` bytes after it.
    func firstMatch(_ bytes: Span<UInt8>, from start: Int, stride: Int, needed: Int) -> Int {
        let table = table.span
        // Checked once here, so that the compiler need not compare each 13-bit PID with the count below.
        precondition(table.count == TransportPacket.pidCount)
        let sync = UInt32(TransportPacket.syncByte) << 24
        var position = start
        let end = bytes.count - needed
        while position <= end {
            // sync_byte: 8 | transport_error_indicator | payload_unit_start_indicator | priority | PID: 13 | …
            let header = bytes.bigEndianUInt32(at: position)
            let pid = Int(truncatingIfNeeded: header >> 8 & 0x1FFF)
            let question = UInt8(truncatingIfNeeded: header >> 22) & Self.starts | Self.all
            // A wrong sync byte and a packet that passes are one test.
            if (header ^ sync) & 0xFF00_0000 | UInt32(table[pid] & question) != 0 { return position }
            // No sum of two lengths of bytes in memory overflows.
            position &+= stride
        }
        return min(position, bytes.count)
    }
}
