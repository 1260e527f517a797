import ByteReading

/// Packetizes ID3 tags as PES packets in transport packets of 188 bytes.
///
/// The muxer of libavformat could write the PES packets, but it inserts PAT, PMT and null packets between the transport
/// packets of one PES packet. It also cannot omit a PTS or end a packet early. A Nielsen tag must fill exactly two
/// consecutive packets:
///
///     47 4P PP 1C | 00 00 01 BD length 84 80 05 PTS | 170 bytes of the tag
///     47 0P PP 3C | 52 00 FF… (82 bytes of adaptation field) | 101 bytes of the tag
struct MetadataPacketizer {
    static let packetSize = 188
    static let payloadSize = 184

    let pid: UInt16
    private var counter: UInt8

    /// Creates a packetizer whose first packet has this continuity counter, modulo 16.
    init(pid: UInt16, counter: UInt8 = 0) {
        self.pid = pid
        self.counter = counter & 0x0F
    }

    /// Returns the transport packets of one tag.
    mutating func packets(for entry: TagSchedule.Entry) -> [UInt8] {
        var payload = entry.bytes
        // A Nielsen tag of this length still fills two packets, so that its end is the only fault.
        if entry.packetFault == .truncated { payload.removeSubrange(min(200, payload.count)...) }
        let pes = Self.pes(payload, time: entry.packetFault == .noPTS ? nil : entry.time)
        if entry.packetFault == .lostPacketBefore { counter = (counter + 1) & 0x0F }
        let most = entry.packetFault == .threePackets ? 100 : Self.payloadSize
        var packets: [UInt8] = []
        var position = 0
        while position < pes.count {
            let end = min(position + most, pes.count)
            packets += packet(pes[position..<end], isStart: position == 0)
            position = end
        }
        return packets
    }

    /// Returns a PES packet of private_stream_1 with data_alignment_indicator (ISO/IEC 13818-1, 2.4.3.6).
    static func pes(_ payload: [UInt8], time: Int64?) -> [UInt8] {
        var header: [UInt8] = [0x84, 0x00, 0x00]
        if let time {
            let pts = UInt64(bitPattern: time) & (1 << 33 - 1)
            header[1] = 0x80
            header[2] = 5
            header.append(0x21 | UInt8(pts >> 29 & 0x0E))
            header += (UInt16(pts >> 14 & 0xFFFE) | 1).bigEndianBytes
            header += (UInt16(pts << 1 & 0xFFFE) | 1).bigEndianBytes
        }
        return [0x00, 0x00, 0x01, 0xBD] + UInt16(header.count + payload.count).bigEndianBytes + header
            + payload
    }

    /// Returns one transport packet, padded with stuffing in an adaptation field (2.4.3.4).
    private mutating func packet(_ payload: ArraySlice<UInt8>, isStart: Bool) -> [UInt8] {
        let spare = Self.payloadSize - payload.count
        var packet: [UInt8] = [0x47, (isStart ? 0x40 : 0x00) | UInt8(pid >> 8), UInt8(pid & 0xFF)]
        packet.append((spare > 0 ? 0x30 : 0x10) | counter)
        counter = (counter + 1) & 0x0F
        if spare > 0 { packet.append(UInt8(spare - 1)) }
        if spare > 1 { packet += [0x00] + [UInt8](repeating: 0xFF, count: spare - 2) }
        return packet + payload
    }
}
