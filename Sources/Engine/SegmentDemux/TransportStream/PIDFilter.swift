internal import TimedMedia

/// Which packets deserve more than a look at their header, by PID.
struct PIDFilter: Sendable {
    /// Those in which a PES packet or a section begins.
    static let starts: UInt8 = 0b01
    /// All of them: bit 1 alone says so too, as a packet is asked for with bit 1 always set.
    static let all: UInt8 = 0b10

    private var table = [UInt8](repeating: 0, count: TransportPacket.pidCount)

    init() {}

    subscript(pid: UInt16) -> UInt8 {
        get { table[Int(pid & 0x1FFF)] }
        set { table[Int(pid & 0x1FFF)] = newValue }
    }

    /// Sets the interest in every PID.
    mutating func reset(to value: UInt8) {
        for index in table.indices { table[index] = value }
    }

    /// The first place, from `start` in steps of `stride`, with an interesting packet or no sync byte.
    ///
    /// Where there is none, the first place behind which fewer than `needed` bytes stand.
    func firstMatch(_ bytes: Span<UInt8>, from start: Int, stride: Int, needed: Int) -> Int {
        let table = table.span
        // Said once here, so that no PID of 13 bits has to be compared with it below.
        precondition(table.count == TransportPacket.pidCount)
        let sync = UInt32(TransportPacket.syncByte) << 24
        var position = start
        let end = bytes.count - needed
        while position <= end {
            // sync_byte: 8 | transport_error_indicator | payload_unit_start_indicator | priority | PID: 13 | …
            let header = bytes.bigEndianUInt32(at: position)
            let pid = Int(truncatingIfNeeded: header >> 8 & 0x1FFF)
            let question = UInt8(truncatingIfNeeded: header >> 22) & Self.starts | Self.all
            if (header ^ sync) & 0xFF00_0000 | UInt32(table[pid] & question) != 0 { return position }
            // No sum of two lengths of bytes in memory overflows.
            position &+= stride
        }
        return min(position, bytes.count)
    }
}
