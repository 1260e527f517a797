import ByteReading

/// A writer of fragmented MP4 segments, with fragments from libavformat and event messages between `styp` and `moof`.
struct FragmentedMP4Writer: SegmentWriter, ~Copyable {
    static let fileExtension = "m4s"

    private var muxer: Muxer
    private let videoStream: Int32
    private let audioStream: Int32
    private let scheme: SynthesisSettings.EventScheme
    private let header: [UInt8]
    private var segmentTime: Int64 = 0
    private var messages: [UInt8] = []
    private var messageCount: UInt32 = 0

    private init(
        muxer: consuming Muxer, videoStream: Int32, audioStream: Int32, header: [UInt8],
        scheme: SynthesisSettings.EventScheme
    ) {
        self.muxer = muxer
        self.videoStream = videoStream
        self.audioStream = audioStream
        self.header = header
        self.scheme = scheme
    }

    /// Opens a writer for the streams of these sources.
    static func open(
        pictures: borrowing PictureSource?, sound: borrowing SoundSource,
        scheme: SynthesisSettings.EventScheme
    ) throws(SynthesisError) -> FragmentedMP4Writer {
        var muxer = try Muxer.open("mp4")
        let videoStream = try muxer.addStream(pid: 1, of: pictures)
        let audioStream = try muxer.addStream(pid: 2, of: sound.encoder)
        try muxer.begin(options: [
            // Absolute times in `tfdt`, and one fragment per segment.
            ("movflags", "empty_moov+default_base_moof+frag_custom+frag_discont"), ("use_editlist", "0"),
            ("video_track_timescale", "90000"),
        ])
        try muxer.flush()
        let header = muxer.drainBytes()
        return FragmentedMP4Writer(
            muxer: muxer, videoStream: videoStream, audioStream: audioStream, header: header, scheme: scheme)
    }

    mutating func initialization() -> [UInt8]? { header }

    mutating func beginSegment(at time: Int64) {
        segmentTime = time
        messages = []
    }

    mutating func addPicture(_ packet: borrowing EncodedPacket) throws(SynthesisError) {
        try muxer.write(packet, stream: videoStream)
    }

    mutating func addSound(_ packet: borrowing EncodedPacket) throws(SynthesisError) {
        try muxer.write(packet, stream: audioStream)
    }

    mutating func addTag(_ entry: TagSchedule.Entry) {
        messages += SyntheticEventMessage.box(
            scheme: scheme, id: messageCount, time: entry.time, segmentTime: segmentTime, message: entry.bytes
        )
        messageCount &+= 1
    }

    mutating func endSegment() throws(SynthesisError) -> [UInt8] {
        try muxer.flush()
        return SyntheticEventMessage.segmentType + messages + muxer.drainBytes()
    }
}

/// Builds event message boxes (ISO/IEC 23009-1, 5.10.3.3) and segment type boxes.
enum SyntheticEventMessage {
    /// A `styp` box of brand `msdh` (ISO/IEC 14496-12, 8.16.2).
    static let segmentType: [UInt8] =
        UInt32(24).bigEndianBytes + Array("stypmsdh".utf8) + UInt32(0).bigEndianBytes + Array("msdhmsix".utf8)

    /// Returns an event message box with times in ticks of 90 kHz and an event duration of 0.
    static func box(
        scheme: SynthesisSettings.EventScheme, id: UInt32, time: Int64, segmentTime: Int64, message: [UInt8]
    ) -> [UInt8] {
        let names = Array(scheme.uri.utf8) + [0] + Array(scheme.value.utf8) + [0]
        let timescale = UInt32(SynthesisClock.ticksPerSecond).bigEndianBytes
        var body: [UInt8] = [scheme.version, 0, 0, 0]
        if scheme.version == 0 {
            // The delta of version 0 is unsigned: a tag before its segment is moved to the start of the segment.
            let delta = UInt32(clamping: time - segmentTime)
            body += names + timescale + delta.bigEndianBytes + UInt32(0).bigEndianBytes + id.bigEndianBytes
        } else {
            body += timescale + time.bigEndianBytes + UInt32(0).bigEndianBytes + id.bigEndianBytes + names
        }
        body += message
        return UInt32(body.count + 8).bigEndianBytes + Array("emsg".utf8) + body
    }
}
