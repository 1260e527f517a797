import ByteReading

@testable import StreamSynthesis

/// The packets of a transport stream from `SyntheticOrigin`, changed in the way of a faulty packager.
struct TransportPackets {
    private var packets: [ArraySlice<UInt8>]

    private static let programPID: UInt16 = 0
    private static let mapPID = TransportStreamWriter.mapPID
    private static let tagPID = TransportStreamWriter.metadataPID

    init(_ bytes: [UInt8]) {
        packets = stride(from: 0, to: bytes.count, by: 188).map { bytes[$0..<min($0 + 188, bytes.count)] }
    }

    var bytes: [UInt8] { packets.flatMap { $0 } }

    private static func pid(_ packet: ArraySlice<UInt8>) -> UInt16 {
        UInt16(packet[packet.startIndex + 1] & 0x1F) << 8 | UInt16(packet[packet.startIndex + 2])
    }

    /// Returns the first program association and program map, with other PIDs for each variant.
    func tables(variant: Int) -> [UInt8] {
        var tables = self
        tables.packets = [Self.programPID, Self.mapPID].compactMap { pid in
            packets.first { Self.pid($0) == pid }
        }
        tables.renumber(variant: variant)
        return tables.bytes
    }

    mutating func removeTables() {
        packets.removeAll { [Self.programPID, Self.mapPID, 0x11].contains(Self.pid($0)) }
    }

    mutating func removeTags() { packets.removeAll { Self.pid($0) == Self.tagPID } }

    mutating func freezeCounters() {
        for index in packets.indices {
            packets[index][packets[index].startIndex + 3] &= 0xF0
        }
    }

    /// Gives all streams and the program map other PIDs; variant 0 has those of the station.
    mutating func renumber(variant: Int) {
        if variant == 0 { return }
        let shift = UInt16(variant * 0x10)
        for index in packets.indices {
            let start = packets[index].startIndex
            let pid = Self.pid(packets[index])
            if pid == Self.programPID || pid == Self.mapPID {
                Self.renumberTable(&packets[index], by: shift, isMap: pid == Self.mapPID)
            }
            if pid >= 0x20, pid != 0x1FFF { Self.write(pid + shift, to: &packets[index], at: start + 1) }
        }
    }

    private static func write(_ pid: UInt16, to packet: inout ArraySlice<UInt8>, at index: Int) {
        packet[index] = packet[index] & 0xE0 | UInt8(pid >> 8)
        packet[index + 1] = UInt8(truncatingIfNeeded: pid)
    }

    private static func shift(_ packet: inout ArraySlice<UInt8>, at index: Int, by shift: UInt16) {
        let pid = UInt16(packet[index] & 0x1F) << 8 | UInt16(packet[index + 1])
        write(pid + shift, to: &packet, at: index)
    }

    private static func renumberTable(_ packet: inout ArraySlice<UInt8>, by shift: UInt16, isMap: Bool) {
        // The packets have no adaptation field, and a pointer of zero.
        let section = packet.startIndex + 5
        let length = Int(packet[section + 1] & 0x0F) << 8 | Int(packet[section + 2])
        let end = section + 3 + length - 4
        if isMap {
            Self.shift(&packet, at: section + 8, by: shift)
            var entry = section + 12 + (Int(packet[section + 10] & 0x0F) << 8 | Int(packet[section + 11]))
            while entry + 5 <= end {
                Self.shift(&packet, at: entry + 1, by: shift)
                entry += 5 + (Int(packet[entry + 3] & 0x0F) << 8 | Int(packet[entry + 4]))
            }
        } else {
            for entry in stride(from: section + 8, to: end, by: 4)
            where packet[entry + 1] | packet[entry] != 0 {
                Self.shift(&packet, at: entry + 2, by: shift)
            }
        }
        let checksum = CRC32MPEG2.of(Array(packet[section..<end]).span)
        for index in 0..<4 {
            packet[end + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * index))
        }
    }
}
