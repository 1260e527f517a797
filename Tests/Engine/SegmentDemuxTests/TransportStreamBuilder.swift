/// Writes transport streams for tests, packet by packet, valid or invalid.
///
/// It is written from ISO/IEC 13818-1 and uses no code of the demuxer.
struct TransportStreamBuilder {
    /// The packets so far, 188 bytes each.
    private(set) var packets: [[UInt8]] = []
    private var counters: [UInt16: UInt8] = [:]

    static let pmtPID: UInt16 = 0x1000
    static let videoPID: UInt16 = 0x100
    static let audioPID: UInt16 = 0x101
    static let metadataPID: UInt16 = 0x102

    /// The metadata_pointer_descriptor of the program loop (ISO/IEC 13818-1, 2.6.58).
    static let pointerDescriptor: [UInt8] =
        [0x25, 0x0F, 0xFF, 0xFF] + Array("ID3 ".utf8) + [0xFF] + Array("ID3 ".utf8) + [
            0x00, 0x1F, 0x00, 0x01,
        ]
    /// The metadata_descriptor for the stream loop.
    static let metadataDescriptor: [UInt8] =
        [0x26, 0x0D, 0xFF, 0xFF] + Array("ID3 ".utf8) + [0xFF] + Array("ID3 ".utf8) + [0x00, 0x0F]

    struct Stream {
        var type: UInt8
        var pid: UInt16
        var descriptors: [UInt8] = []

        static let video = Stream(type: 0x1B, pid: videoPID)
        static let audio = Stream(type: 0x0F, pid: audioPID)
        static let metadata = Stream(type: 0x15, pid: metadataPID, descriptors: metadataDescriptor)
    }

    var bytes: [UInt8] { packets.flatMap { $0 } }

    /// The offset of the next packet.
    var offset: Int { packets.count * 188 }

    /// Returns a builder with the PAT and PMT of one program with video, audio and timed ID3.
    static func withTables() -> TransportStreamBuilder {
        var builder = TransportStreamBuilder()
        builder.tables()
        return builder
    }

    mutating func tables(_ streams: [Stream] = [.video, .audio, .metadata], version: UInt8 = 0) {
        pat([(1, Self.pmtPID)])
        pmt(1, Self.pmtPID, streams, version: version)
    }

    // MARK: Tables

    mutating func pat(
        _ programs: [(number: UInt16, pid: UInt16)], version: UInt8 = 0, part: UInt8 = 0, lastPart: UInt8 = 0
    ) {
        let body = programs.flatMap { Self.two($0.number) + Self.two(0xE000 | $0.pid) }
        section(0, Self.section(0x00, 0x0001, version, part, lastPart, body))
    }

    mutating func pmt(
        _ number: UInt16, _ pid: UInt16, _ streams: [Stream], descriptors: [UInt8] = pointerDescriptor,
        version: UInt8 = 0, payloadSizes: [Int] = []
    ) {
        section(pid, Self.pmtSection(number, streams, descriptors, version), payloadSizes: payloadSizes)
    }

    static func pmtSection(
        _ number: UInt16, _ streams: [Stream], _ descriptors: [UInt8] = pointerDescriptor,
        _ version: UInt8 = 0
    ) -> [UInt8] {
        let loop = streams.flatMap { stream in
            [stream.type] + two(0xE000 | stream.pid) + two(0xF000 | UInt16(stream.descriptors.count))
                + stream.descriptors
        }
        let body = two(0xE000 | (streams.first?.pid ?? 0x1FFF)) + two(0xF000 | UInt16(descriptors.count))
        return section(0x02, number, version, 0, 0, body + descriptors + loop)
    }

    static func section(
        _ table: UInt8, _ id: UInt16, _ version: UInt8, _ part: UInt8, _ lastPart: UInt8, _ body: [UInt8]
    ) -> [UInt8] {
        let bytes =
            [table] + two(0xB000 | UInt16(body.count + 9)) + two(id) + [0xC1 | version << 1, part, lastPart]
            + body
        return bytes + crc(bytes)
    }

    /// Writes sections, one after another, into their own packets.
    mutating func section(_ pid: UInt16, _ bytes: [UInt8], payloadSizes: [Int] = []) {
        payload(
            pid, [0x00] + bytes, sizes: payloadSizes, filler: payloadSizes.isEmpty ? .trailing : .adaptation)
    }

    static func crc(_ bytes: [UInt8]) -> [UInt8] {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            for bit in (0..<8).reversed() {
                let top = crc >> 31 ^ UInt32(byte >> bit & 1)
                crc = crc << 1 ^ (top == 1 ? 0x04C1_1DB7 : 0)
            }
        }
        return two(UInt16(crc >> 16)) + two(UInt16(crc & 0xFFFF))
    }

    // MARK: PES packets

    enum Length {
        case exact
        case zero
        case value(UInt16)
    }

    static func pes(
        _ payload: [UInt8], pts: UInt64?, streamID: UInt8 = 0xBD, length: Length = .exact, stuffing: Int = 0
    ) -> [UInt8] {
        let time = pts.map { timestamp($0) } ?? []
        let rest =
            [0x84, pts == nil ? 0x00 : 0x80, UInt8(time.count + stuffing)] + time
            + [UInt8](repeating: 0xFF, count: stuffing) + payload
        let count: UInt16 =
            switch length {
            case .exact: UInt16(rest.count)
            case .zero: 0
            case .value(let value): value
            }
        return [0, 0, 1, streamID] + two(count) + rest
    }

    /// Adds a PES packet; `sizes` are the payload sizes of its first transport packets, and the rest are full.
    mutating func pes(
        _ payload: [UInt8], pts: UInt64?, pid: UInt16 = metadataPID, streamID: UInt8 = 0xBD,
        length: Length = .exact, stuffing: Int = 0, sizes: [Int] = []
    ) {
        self.payload(
            pid, Self.pes(payload, pts: pts, streamID: streamID, length: length, stuffing: stuffing),
            sizes: sizes)
    }

    /// Adds an audio PES packet in one transport packet.
    mutating func audio(pts: UInt64, pid: UInt16 = audioPID) {
        pes([UInt8](repeating: 0x21, count: 100), pts: pts, pid: pid, streamID: 0xC0)
    }

    /// Adds a video PES packet in two transport packets.
    mutating func video(pts: UInt64, pid: UInt16 = videoPID) {
        pes([UInt8](repeating: 0x09, count: 300), pts: pts, pid: pid, streamID: 0xE0, length: .zero)
    }

    private static func timestamp(_ pts: UInt64) -> [UInt8] {
        [UInt8(0x21 | pts >> 29 & 0x0E)] + two(UInt16(1 | pts >> 14 & 0xFFFE))
            + two(UInt16(1 | pts << 1 & 0xFFFE))
    }

    // MARK: Packets

    enum Filler {
        /// An adaptation field before the payload, as in PES packets.
        case adaptation
        /// 0xFF after the payload, as in sections.
        case trailing
    }

    /// Splits bytes into packets of one PID; with `startsUnit`, the first one starts a unit.
    mutating func payload(
        _ pid: UInt16, _ bytes: [UInt8], sizes: [Int] = [], startsUnit: Bool = true,
        filler: Filler = .adaptation
    ) {
        var rest = bytes[...]
        var sizes = sizes[...]
        var isFirst = startsUnit
        while !rest.isEmpty {
            let size = min(sizes.popFirst() ?? 184, rest.count, 184)
            packet(pid, Array(rest.prefix(size)), startsUnit: isFirst, filler: filler)
            rest = rest.dropFirst(size)
            isFirst = false
        }
    }

    mutating func packet(
        _ pid: UInt16, _ payload: [UInt8], startsUnit: Bool, filler: Filler = .adaptation,
        isDiscontinuous: Bool = false
    ) {
        let counter = counters[pid, default: 0]
        counters[pid] = (counter + 1) & 0x0F
        let missing = 184 - payload.count
        let pidBytes = Self.two((startsUnit ? 0x4000 : 0) | pid)
        var field: [UInt8] = []
        if filler == .adaptation, missing > 0 {
            field = [UInt8(missing - 1)]
            if missing > 1 {
                field += [isDiscontinuous ? 0x80 : 0x00] + [UInt8](repeating: 0xFF, count: missing - 2)
            }
        }
        let control: UInt8 = field.isEmpty ? 0x10 : 0x30
        var packet = [0x47] + pidBytes + [control | counter] + field + payload
        packet += [UInt8](repeating: 0xFF, count: 188 - packet.count)
        packets.append(packet)
    }

    /// Adds a packet unchanged.
    mutating func raw(_ packet: [UInt8]) { packets.append(packet) }

    mutating func removePacket(at index: Int) { packets.remove(at: index) }

    mutating func repeatPacket(at index: Int) { packets.insert(packets[index], at: index) }

    mutating func changePacket(at index: Int, _ change: (inout [UInt8]) -> Void) { change(&packets[index]) }

    mutating func setCounter(of pid: UInt16, to value: UInt8) { counters[pid] = value & 0x0F }

    /// Returns the indices of the packets of one PID.
    func indices(of pid: UInt16) -> [Int] {
        packets.indices.filter { UInt16(packets[$0][1] & 0x1F) << 8 | UInt16(packets[$0][2]) == pid }
    }

    /// The stream with a time code before each packet, 192 bytes apart.
    var timeCodedBytes: [UInt8] {
        packets.enumerated().flatMap {
            [0x00, 0x47, UInt8($0.offset >> 8), UInt8($0.offset & 0xFF)] + $0.element
        }
    }

    /// The stream with parity bytes after each packet, 204 bytes apart.
    var parityBytes: [UInt8] {
        packets.enumerated().flatMap { $0.element + (0..<16).map { UInt8($0 &* 15 & 0xFF) } }
    }

    static func two(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
}

/// Tags for tests, in the form of Nielsen tags but without meaning.
enum SyntheticTag {
    /// Returns a tag of 271 bytes with an owner identifier that contains `number` and is unique to it.
    static func nielsen(_ number: Int) -> [UInt8] {
        let digits = String(repeating: "0", count: 8 - String(number).count) + String(number)
        let owner = Array(("www.nielsen.com/" + digits).utf8) + [UInt8](repeating: 0x78, count: 225)
        return tag(id: "PRIV", Array(owner) + [0x00, 0x41], flags: 0x20)
    }

    /// Returns a tag with a text of `byteCount` bytes.
    static func text(byteCount: Int) -> [UInt8] {
        tag(id: "TXXX", [0x00, 0x00] + (0..<byteCount).map { UInt8(0x41 + $0 % 26) })
    }

    /// Returns a tag whose PRIV frame states a PTS in Apple's form.
    static func timestamp(_ pts: UInt64) -> [UInt8] {
        let time = (0..<8).reversed().map { UInt8(truncatingIfNeeded: pts >> (8 * $0)) }
        return tag(id: "PRIV", Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0x00] + time)
    }

    static func tag(id: String, _ content: [UInt8], flags: UInt8 = 0, hasFooter: Bool = false) -> [UInt8] {
        let frame = Array(id.utf8) + syncSafe(content.count) + [0, 0] + content
        let flags = flags | (hasFooter ? 0x10 : 0)
        let header = [0x04, 0x00, flags] + syncSafe(frame.count)
        return Array("ID3".utf8) + header + frame + (hasFooter ? Array("3DI".utf8) + header : [])
    }

    static func syncSafe(_ value: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7F) }
    }
}
