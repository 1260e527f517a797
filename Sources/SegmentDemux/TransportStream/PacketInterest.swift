internal import TimedMedia

/// Which packets deserve more than a look at their header, by PID.
struct PacketInterest: Sendable {
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
        var position = start
        let end = bytes.count - needed
        while position <= end {
            let second = bytes[position + 1]
            let pid = Int(second & 0x1F) << 8 | Int(bytes[position + 2])
            let question = second >> 6 & 1 | Self.all
            if bytes[position] ^ TransportPacket.syncByte | table[pid] & question != 0 { return position }
            position += stride
        }
        return min(position, bytes.count)
    }
}
