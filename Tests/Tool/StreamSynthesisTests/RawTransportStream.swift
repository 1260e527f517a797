import Foundation

/// A transport stream, read byte by byte from the standard's tables, without code from the library.
struct RawTransportStream {
    /// One PES packet on the ID3 PID.
    struct Metadata: Equatable {
        var packetOffsets: [Int]
        var pes: [UInt8]
        var precedingAudioPTS: UInt64?

        var headerLength: Int { 9 + Int(pes[8]) }
        var payload: [UInt8] { Array(pes[headerLength...]) }
        var pts: UInt64? { pes[7] & 0x80 == 0 ? nil : RawTransportStream.pts(pes[9..<14]) }
    }

    var metadata: [Metadata] = []
    var mapSections: [[UInt8]] = []
    var counterErrors: [UInt16] = []
    var audioPTS: [UInt64] = []
    /// The bases of the clock references, each with the number of audio PES packets that began before it.
    var clockReferences: [(base: UInt64, audioCount: Int)] = []
    private var counters: [UInt16: UInt8] = [:]

    static let metadataPID: UInt16 = 0x102
    static let audioPID: UInt16 = 0x101

    init(segments: [[UInt8]]) {
        for segment in segments {
            precondition(segment.count.isMultiple(of: 188), "a segment has whole packets")
            for offset in stride(from: 0, to: segment.count, by: 188) {
                packet(Array(segment[offset..<offset + 188]), at: offset)
            }
        }
    }

    /// Reads the segments of a media playlist in order.
    init(playlist path: String) throws {
        self.init(segments: try Self.segments(of: path).map { try Array(Data(contentsOf: $0)) })
    }

    static func segments(of path: String) throws -> [URL] {
        let playlist = URL(fileURLWithPath: path)
        return try String(contentsOf: playlist, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { playlist.deletingLastPathComponent().appendingPathComponent(String($0)) }
    }

    static func pts(_ field: ArraySlice<UInt8>) -> UInt64 {
        let bits = field.reduce(0) { (bits: UInt64, byte) in bits << 8 | UInt64(byte) }
        let high = (bits >> 33 & 0x7) << 30
        let middle = (bits >> 17 & 0x7FFF) << 15
        return high | middle | (bits >> 1 & 0x7FFF)
    }

    private mutating func packet(_ packet: [UInt8], at offset: Int) {
        let pid = UInt16(packet[1] & 0x1F) << 8 | UInt16(packet[2])
        let hasPayload = packet[3] & 0x10 != 0
        let body = packet[3] & 0x20 != 0 ? Array(packet[(5 + Int(packet[4]))...]) : Array(packet[4...])
        if packet[3] & 0x20 != 0, packet[4] > 0, packet[5] & 0x10 != 0 {
            let base = packet[6..<11].reduce(0) { (bits: UInt64, byte) in bits << 8 | UInt64(byte) } >> 7
            clockReferences.append((base, audioPTS.count))
        }
        // The counter of null packets is undefined.
        guard packet[0] == 0x47, hasPayload, pid != 0x1FFF else { return }
        let counter = packet[3] & 0x0F
        if let last = counters[pid], (last + 1) & 0x0F != counter { counterErrors.append(pid) }
        counters[pid] = counter
        let isStart = packet[1] & 0x40 != 0
        switch pid {
        case 0x1000:
            mapSections.append(Array(body[1..<4 + (Int(body[2] & 0x0F) << 8 | Int(body[3]))]))
        case Self.audioPID where isStart: audioPTS.append(Self.pts(body[9..<14]))
        case Self.metadataPID where isStart:
            metadata.append(Metadata(packetOffsets: [offset], pes: body, precedingAudioPTS: audioPTS.last))
        case Self.metadataPID:
            metadata[metadata.count - 1].packetOffsets.append(offset)
            metadata[metadata.count - 1].pes += body
        default: break
        }
    }
}
