import ByteReading

/// A writer of MPEG-2 transport stream segments, with media packets from libavformat and tag packets between them.
///
/// libavformat 5.1 does not write the metadata_pointer_descriptor that Apple's *Timed Metadata for HTTP Live Streaming*
/// requires. Both descriptors are therefore removed from its PMT and written here, so that the bytes do not depend on
/// its version:
///
///     program loop   25 0F FF FF "ID3 " FF "ID3 " SS 1F PPPP    (ISO/IEC 13818-1, 2.6.58)
///     stream loop    26 0D FF FF "ID3 " FF "ID3 " SS 0F         (2.6.60)
struct TransportStreamWriter: SegmentWriter {
    static let mapPID: UInt16 = 0x1000
    static let videoPID: UInt16 = 0x100
    static let audioPID: UInt16 = 0x101
    static let metadataPID: UInt16 = 0x102
    private static let serviceID: UInt8 = 0
    private static let identifier: [UInt8] = Array("ID3 ".utf8)

    private let muxer: Muxer
    /// The fault, which has an effect here if it is `carriage.pmt-descriptors` or `carriage.stream-type`.
    private let fault: SynthesisFault?
    private var packetizer = MetadataPacketizer()
    private var segment: [UInt8] = []

    /// Opens a writer for the streams of these sources.
    init(
        pictures: borrowing PictureSource?, sound: borrowing SoundSource, fault: SynthesisFault?
    ) throws(SynthesisError) {
        self.fault = fault
        muxer = try Muxer("mpegts")
        try muxer.addStreams(
            pictures: pictures, videoPID: Self.videoPID, sound: sound, audioPID: Self.audioPID)
        try muxer.addTimedID3(pid: Self.metadataPID)
        try muxer.label("service_provider", "DTVRKit")
        try muxer.label("service_name", "Synthetic")
        // Each clock reference precedes its media by the delay, and audio is collected for half the delay: four frames,
        // because a clock reference is required every 100 ms (ISO/IEC 13818-1, 2.7.2).
        muxer.setDelay(microseconds: 150_000)
        try muxer.begin(options: [
            ("mpegts_copyts", "1"), ("mpegts_pmt_start_pid", String(Self.mapPID)), ("pat_period", "1"),
            ("sdt_period", "10"), ("pcr_period", "80"),
        ])
    }

    var initialization: [UInt8]? { nil }

    mutating func beginSegment(at time: Int64) throws(SynthesisError) {
        try muxer.set("mpegts_flags", "resend_headers")
    }

    mutating func add(_ packet: EncodedPacket, isPicture: Bool) throws(SynthesisError) {
        try muxer.write(packet, isPicture: isPicture)
    }

    mutating func add(_ tag: ScheduledTag) throws(SynthesisError) {
        try drain()
        segment += packetizer.packets(for: tag)
    }

    mutating func endSegment() throws(SynthesisError) -> [UInt8] {
        try drain()
        defer { segment = [] }
        return segment
    }

    /// Appends the output of the muxer, so that later packets follow it.
    private mutating func drain() throws(SynthesisError) {
        try muxer.flush()
        let start = segment.count
        segment += muxer.drainBytes()
        try Self.rewriteMaps(in: &segment, from: start, fault: fault)
    }

    /// Rewrites every PMT packet in `bytes` from `start` on, where only whole packets are stored.
    static func rewriteMaps(
        in bytes: inout [UInt8], from start: Int, fault: SynthesisFault?
    ) throws(SynthesisError) {
        guard (bytes.count - start).isMultiple(of: MetadataPacketizer.packetSize) else {
            throw .unexpectedOutput(rule: "transport packets have 188 bytes")
        }
        for offset in stride(from: start, to: bytes.count, by: MetadataPacketizer.packetSize) {
            guard bytes[offset] == 0x47 else { throw .unexpectedOutput(rule: "a packet begins with 0x47") }
            let pid = UInt16(bytes[offset + 1] & 0x1F) << 8 | UInt16(bytes[offset + 2])
            guard pid == mapPID else { continue }
            let packet = Array(bytes[offset..<offset + MetadataPacketizer.packetSize])
            bytes.replaceSubrange(offset..<offset + packet.count, with: try rewritten(packet, fault))
        }
    }

    /// Rewrites a packet that starts with the pointer field and contains one complete section.
    private static func rewritten(
        _ packet: [UInt8], _ fault: SynthesisFault?
    ) throws(SynthesisError) -> [UInt8] {
        let length = Int(packet[6] & 0x0F) << 8 | Int(packet[7])
        let programLength = Int(packet[15] & 0x0F) << 8 | Int(packet[16])
        let end = 8 + length - 4
        guard packet[1] & 0x40 != 0, packet[3] & 0x30 == 0x10, packet[4] == 0, packet[5] == 0x02,
            end <= MetadataPacketizer.packetSize - 4, 17 + programLength <= end
        else { throw .unexpectedOutput(rule: "a PMT section fits in one packet") }
        let program = packet[8..<10]
        var programLoop = withoutID3(packet[17..<17 + programLength])
        if fault != .pmtDescriptors {
            programLoop += [0x25, 0x0F, 0xFF, 0xFF] + identifier + [0xFF] + identifier
            programLoop += [serviceID, 0x1F] + program
        }
        var streamLoop: [UInt8] = []
        var position = 17 + programLength
        while position + 5 <= end {
            let next = position + 5 + (Int(packet[position + 3] & 0x0F) << 8 | Int(packet[position + 4]))
            guard next <= end else { throw .unexpectedOutput(rule: "a stream loop ends with its section") }
            streamLoop += stream(packet[position..<next], fault)
            position = next
        }
        let body =
            packet[8..<15] + (UInt16(0xF000) | UInt16(programLoop.count)).bigEndianBytes + programLoop
            + streamLoop
        var section: [UInt8] = [0x02] + (UInt16(0xB000) | UInt16(body.count + 4)).bigEndianBytes + body
        section += CRC32MPEG2.of(section.span).bigEndianBytes
        guard section.count <= MetadataPacketizer.payloadSize - 1 else {
            throw .unexpectedOutput(rule: "the PMT section stays within its packet")
        }
        return packet[..<5] + section
            + [UInt8](repeating: 0xFF, count: MetadataPacketizer.payloadSize - 1 - section.count)
    }

    /// Rewrites an entry of the stream loop, and adds the descriptor to the metadata stream.
    private static func stream(_ entry: ArraySlice<UInt8>, _ fault: SynthesisFault?) -> [UInt8] {
        let head = Array(entry.prefix(5))
        var descriptors = withoutID3(entry.dropFirst(5))
        var type = head[0]
        if UInt16(head[1] & 0x1F) << 8 | UInt16(head[2]) == metadataPID {
            type = fault == .streamType ? 0x06 : 0x15
            if fault != .pmtDescriptors {
                descriptors += [0x26, 0x0D, 0xFF, 0xFF] + identifier + [0xFF] + identifier
                descriptors += [serviceID, 0x0F]
            }
        }
        return [type] + head[1..<3] + (UInt16(0xF000) | UInt16(descriptors.count)).bigEndianBytes
            + descriptors
    }

    /// Returns a descriptor loop without descriptors 0x25 and 0x26.
    private static func withoutID3(_ loop: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        var rest = loop
        while rest.count >= 2 {
            let length = min(2 + Int(rest[rest.startIndex + 1]), rest.count)
            if rest.first != 0x25, rest.first != 0x26 { kept += rest.prefix(length) }
            rest = rest.dropFirst(length)
        }
        return kept
    }
}

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

    private static let pid = TransportStreamWriter.metadataPID
    private var counter: UInt8

    /// Creates a packetizer whose first packet has this continuity counter, modulo 16.
    init(counter: UInt8 = 0) { self.counter = counter & 0x0F }

    /// Returns the transport packets of one tag.
    mutating func packets(for tag: ScheduledTag) -> [UInt8] {
        var payload = tag.bytes
        // A Nielsen tag of this length still fills two packets, so that its end is the only fault.
        if tag.packetFault == .pesIncomplete { payload.removeSubrange(min(200, payload.count)...) }
        let pes = Self.pes(payload, time: tag.packetFault == .ptsMissing ? nil : tag.time)
        if tag.packetFault == .continuity { counter = (counter + 1) & 0x0F }
        let most = tag.packetFault == .packetsPerTag ? 100 : Self.payloadSize
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
            header = [0x84, 0x80, 5, 0x20, 0, 0, 0, 0]
            write(time, to: &header, timestampAt: 3)
        }
        return [0x00, 0x00, 0x01, 0xBD] + UInt16(header.count + payload.count).bigEndianBytes + header
            + payload
    }

    /// Writes a timestamp: 33 bits in five bytes, with a marker bit after each part (ISO/IEC 13818-1, 2.4.3.6).
    static func write(_ time: Int64, to bytes: inout [UInt8], timestampAt offset: Int) {
        let middle = time >> 14 & 0xFFFE | 1
        let low = time << 1 & 0xFFFE | 1
        bytes[offset] = bytes[offset] & 0xF0 | UInt8(truncatingIfNeeded: time >> 29 & 0x0E) | 1
        bytes[offset + 1] = UInt8(truncatingIfNeeded: middle >> 8)
        bytes[offset + 2] = UInt8(truncatingIfNeeded: middle)
        bytes[offset + 3] = UInt8(truncatingIfNeeded: low >> 8)
        bytes[offset + 4] = UInt8(truncatingIfNeeded: low)
    }

    /// Returns one transport packet, padded with stuffing in an adaptation field (2.4.3.4).
    private mutating func packet(_ payload: ArraySlice<UInt8>, isStart: Bool) -> [UInt8] {
        let spare = Self.payloadSize - payload.count
        var packet: [UInt8] = [0x47, (isStart ? 0x40 : 0x00) | UInt8(Self.pid >> 8), UInt8(Self.pid & 0xFF)]
        packet.append((spare > 0 ? 0x30 : 0x10) | counter)
        counter = (counter + 1) & 0x0F
        if spare > 0 { packet.append(UInt8(spare - 1)) }
        if spare > 1 { packet += [0x00] + [UInt8](repeating: 0xFF, count: spare - 2) }
        return packet + payload
    }
}
