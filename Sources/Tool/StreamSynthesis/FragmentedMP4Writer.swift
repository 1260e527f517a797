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
        messages += EventMessage.box(
            scheme: scheme, id: messageCount, time: entry.time, segmentTime: segmentTime, message: entry.bytes
        )
        messageCount &+= 1
    }

    mutating func endSegment() throws(SynthesisError) -> [UInt8] {
        try muxer.flush()
        return EventMessage.segmentType + messages + muxer.drainBytes()
    }
}
