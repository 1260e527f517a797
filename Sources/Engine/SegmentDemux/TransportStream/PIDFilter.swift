import ByteReading
internal import ID3v2

/// A table that selects, by PID, the packets that need more than a check of their header.
///
/// About ten packets in a thousand are selected, so the loop over all other packets dominates the cost of a scan. It
/// loads the header, loads an entry from a table of 8 KiB, and performs one test.
struct PIDFilter: Sendable {
    /// Selects the packets in which a PES packet or a section begins.
    static let starts: UInt8 = 0b01
    /// Selects all packets.
    ///
    /// This bit is sufficient alone, because the loop tests it for every packet.
    static let all: UInt8 = 0b10

    private var table = [UInt8](repeating: 0, count: TransportPacket.pidCount)

    init() {}

    /// The packets selected for a PID: none (0), `starts` or `all`.
    subscript(pid: UInt16) -> UInt8 {
        get { table[Int(pid & 0x1FFF)] }
        set { table[Int(pid & 0x1FFF)] = newValue }
    }

    /// Sets the selection of every PID.
    mutating func reset(to value: UInt8) {
        for index in table.indices { table[index] = value }
    }

    /// Returns the first position, from `start` in steps of `stride`, with a selected packet or without a sync byte.
    ///
    /// If there is no such position, returns the first one with fewer than `needed` bytes after it.
    func firstMatch(_ bytes: Span<UInt8>, from start: Int, stride: Int, needed: Int) -> Int {
        let table = table.span
        // Checked once here, so that the compiler can omit the bounds check for each 13-bit PID below.
        precondition(table.count == TransportPacket.pidCount)
        let sync = UInt32(TransportPacket.syncByte) << 24
        var position = start
        let end = bytes.count - needed
        while position <= end {
            // sync_byte: 8 | transport_error_indicator | payload_unit_start_indicator | priority | PID: 13 | …
            let header = bytes.bigEndianUInt32(at: position)
            let pid = Int(truncatingIfNeeded: header >> 8 & 0x1FFF)
            let question = UInt8(truncatingIfNeeded: header >> 22) & Self.starts | Self.all
            // One test covers a wrong sync byte and a selected packet.
            if (header ^ sync) & 0xFF00_0000 | UInt32(table[pid] & question) != 0 { return position }
            // The sum of two lengths in memory cannot overflow.
            position &+= stride
        }
        return min(position, bytes.count)
    }
}
