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
