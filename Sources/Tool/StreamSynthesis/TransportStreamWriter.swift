import ByteReading

/// A writer of MPEG-2 transport stream segments, with media packets from libavformat and tag packets between them.
struct TransportStreamWriter: SegmentWriter, ~Copyable {
    static let fileExtension = "ts"

    static let mapPID: UInt16 = 0x1000
    static let videoPID: UInt16 = 0x100
    static let audioPID: UInt16 = 0x101
    static let metadataPID: UInt16 = 0x102

    private var muxer: Muxer
    private var packetizer = MetadataPacketizer(pid: metadataPID)
    private let map: ProgramMapRewriter
    private let videoStream: Int32
    private let audioStream: Int32
    private var segment: [UInt8] = []

    private init(
        muxer: consuming Muxer, map: ProgramMapRewriter, videoStream: Int32, audioStream: Int32
    ) {
        self.muxer = muxer
        self.map = map
        self.videoStream = videoStream
        self.audioStream = audioStream
    }

    /// Opens a writer for the streams of these sources.
    static func open(
        pictures: borrowing PictureSource?, sound: borrowing SoundSource, fault: SynthesisFault?
    ) throws(SynthesisError) -> TransportStreamWriter {
        var muxer = try Muxer.open("mpegts")
        let map = ProgramMapRewriter(mapPID: mapPID, metadataPID: metadataPID, fault: fault)
        let videoStream = try muxer.addStream(pid: Int32(videoPID), of: pictures)
        let audioStream = try muxer.addStream(pid: Int32(audioPID), of: sound.encoder)
        try muxer.addTimedID3(pid: Int32(metadataPID))
        try muxer.label("service_provider", "DTVRKit")
        try muxer.label("service_name", "Synthetic")
        // Each clock reference precedes its media by the delay, and audio is collected for half the delay: four frames,
        // because a clock reference is required every 100 ms (ISO/IEC 13818-1, 2.7.2).
        muxer.setDelay(microseconds: 150_000)
        try muxer.begin(options: [
            ("mpegts_copyts", "1"), ("mpegts_pmt_start_pid", String(mapPID)), ("pat_period", "1"),
            ("sdt_period", "10"), ("pcr_period", "80"),
        ])
        return TransportStreamWriter(
            muxer: muxer, map: map, videoStream: videoStream, audioStream: audioStream)
    }

    mutating func initialization() -> [UInt8]? { nil }

    mutating func beginSegment(at time: Int64) throws(SynthesisError) {
        segment = []
        try muxer.set("mpegts_flags", "resend_headers")
    }

    mutating func addPicture(_ packet: borrowing EncodedPacket) throws(SynthesisError) {
        try muxer.write(packet, stream: videoStream)
    }

    mutating func addSound(_ packet: borrowing EncodedPacket) throws(SynthesisError) {
        try muxer.write(packet, stream: audioStream)
    }

    mutating func addTag(_ entry: TagSchedule.Entry) throws(SynthesisError) {
        try drain()
        segment += packetizer.packets(for: entry)
    }

    mutating func endSegment() throws(SynthesisError) -> [UInt8] {
        try drain()
        let finished = segment
        segment = []
        return finished
    }

    /// Appends the output of the muxer, so that later packets follow it.
    private mutating func drain() throws(SynthesisError) {
        try muxer.flush()
        let start = segment.count
        segment += muxer.drainBytes()
        try map.rewrite(&segment, from: start)
    }
}

/// Adds the descriptors required by Apple's *Timed Metadata for HTTP Live Streaming* to the PMT from libavformat.
///
/// libavformat 5.1 does not write a metadata_pointer_descriptor. Both descriptors are therefore removed from its output
/// and written here, so that the bytes do not depend on its version:
///
///     program loop   25 0F FF FF "ID3 " FF "ID3 " SS 1F PPPP    (ISO/IEC 13818-1, 2.6.58)
///     stream loop    26 0D FF FF "ID3 " FF "ID3 " SS 0F         (2.6.60)
struct ProgramMapRewriter {
    let mapPID: UInt16
    let metadataPID: UInt16
    /// The fault, which has an effect here if it is `carriage.pmt-descriptors` or `carriage.stream-type`.
    let fault: SynthesisFault?

    private static let serviceID: UInt8 = 0
    private static let identifier: [UInt8] = Array("ID3 ".utf8)

    /// Rewrites every PMT packet in `bytes` from `start` on, where only whole packets are stored.
    func rewrite(_ bytes: inout [UInt8], from start: Int) throws(SynthesisError) {
        guard (bytes.count - start).isMultiple(of: MetadataPacketizer.packetSize) else {
            throw .unexpectedOutput(rule: "transport packets have 188 bytes")
        }
        for offset in stride(from: start, to: bytes.count, by: MetadataPacketizer.packetSize) {
            guard bytes[offset] == 0x47 else { throw .unexpectedOutput(rule: "a packet begins with 0x47") }
            let pid = UInt16(bytes[offset + 1] & 0x1F) << 8 | UInt16(bytes[offset + 2])
            guard pid == mapPID else { continue }
            let packet = Array(bytes[offset..<offset + MetadataPacketizer.packetSize])
            bytes.replaceSubrange(offset..<offset + packet.count, with: try rewritten(packet))
        }
    }

    /// Rewrites a packet that starts with the pointer field and contains one complete section.
    private func rewritten(_ packet: [UInt8]) throws(SynthesisError) -> [UInt8] {
        let length = Int(packet[6] & 0x0F) << 8 | Int(packet[7])
        let programLength = Int(packet[15] & 0x0F) << 8 | Int(packet[16])
        let end = 8 + length - 4
        guard packet[1] & 0x40 != 0, packet[3] & 0x30 == 0x10, packet[4] == 0, packet[5] == 0x02,
            end <= MetadataPacketizer.packetSize - 4, 17 + programLength <= end
        else { throw .unexpectedOutput(rule: "a PMT section fits in one packet") }
        let program = packet[8..<10]
        var programLoop = withoutID3(packet[17..<17 + programLength])
        if fault != .pmtDescriptors {
            programLoop += [0x25, 0x0F, 0xFF, 0xFF] + Self.identifier + [0xFF] + Self.identifier
            programLoop += [Self.serviceID, 0x1F] + program
        }
        var streamLoop: [UInt8] = []
        var position = 17 + programLength
        while position + 5 <= end {
            let next = position + 5 + (Int(packet[position + 3] & 0x0F) << 8 | Int(packet[position + 4]))
            guard next <= end else { throw .unexpectedOutput(rule: "a stream loop ends with its section") }
            streamLoop += stream(packet[position..<next])
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
    private func stream(_ entry: ArraySlice<UInt8>) -> [UInt8] {
        let head = Array(entry.prefix(5))
        var descriptors = withoutID3(entry.dropFirst(5))
        var type = head[0]
        if UInt16(head[1] & 0x1F) << 8 | UInt16(head[2]) == metadataPID {
            type = fault == .streamType ? 0x06 : 0x15
            if fault != .pmtDescriptors {
                descriptors += [0x26, 0x0D, 0xFF, 0xFF] + Self.identifier + [0xFF] + Self.identifier
                descriptors += [Self.serviceID, 0x0F]
            }
        }
        return [type] + head[1..<3] + (UInt16(0xF000) | UInt16(descriptors.count)).bigEndianBytes
            + descriptors
    }

    /// Returns a descriptor loop without descriptors 0x25 and 0x26.
    private func withoutID3(_ loop: ArraySlice<UInt8>) -> [UInt8] {
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
