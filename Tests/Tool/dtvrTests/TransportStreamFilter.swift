import Foundation
import Testing

/// Removes elementary streams from a transport stream and from its PMT (ISO/IEC 13818-1, 2.4.3.2 and 2.4.4.8).
///
/// It supports the streams of this package's synthesizer: packets of 188 bytes, and a PMT that fits into one of them.
struct TransportStreamFilter {
    static let mapPID = 4096
    static let audioPID = 257
    static let metadataPID = 258

    /// The PIDs that are removed.
    let dropped: Set<Int>

    func filter(_ bytes: [UInt8]) throws -> [UInt8] {
        try #require(bytes.count % 188 == 0)
        var kept: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 188) {
            var packet = Array(bytes[start..<start + 188])
            let pid = Int(packet[1] & 0x1F) << 8 | Int(packet[2])
            if dropped.contains(pid) { continue }
            if pid == Self.mapPID { try rewrite(&packet) }
            kept += packet
        }
        return kept
    }

    private func rewrite(_ packet: inout [UInt8]) throws {
        // The packet has no adaptation field, and its payload begins with a pointer of 0 and the section.
        try #require(packet[1] & 0x40 != 0 && packet[3] & 0x30 == 0x10 && packet[4] == 0 && packet[5] == 2)
        let end = 8 + Self.length(packet, at: 6)
        try #require(end <= 188 && Self.checksum(packet[5..<end]) == 0)
        let streams = 17 + Self.length(packet, at: 15)
        var section = Array(packet[5..<streams])
        var position = streams
        while position < end - 4 {
            let next = position + 5 + Self.length(packet, at: position + 3)
            let pid = Int(packet[position + 1] & 0x1F) << 8 | Int(packet[position + 2])
            if !dropped.contains(pid) { section += packet[position..<next] }
            position = next
        }
        let length = section.count + 4 - 3
        section[1] = section[1] & 0xF0 | UInt8(length >> 8)
        section[2] = UInt8(length & 0xFF)
        let checksum = Self.checksum(section[...])
        for shift in [24, 16, 8, 0] { section.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
        packet = packet[..<5] + section + [UInt8](repeating: 0xFF, count: 183 - section.count)
    }

    /// Returns a number of twelve bits.
    private static func length(_ bytes: [UInt8], at place: Int) -> Int {
        Int(bytes[place] & 0x0F) << 8 | Int(bytes[place + 1])
    }

    /// Returns the CRC of annex A, which is 0 over a section that includes its CRC.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in
                sum & 0x8000_0000 == 0 ? sum << 1 : sum << 1 ^ 0x04C1_1DB7
            }
        }
    }
}
