import ByteReading

/// A writer of fragmented MP4 segments, with fragments from libavformat and event messages between `styp` and `moof`.
struct FragmentedMP4Writer: SegmentWriter {
    private let muxer: Muxer
    private var scheme: SynthesisSettings.EventScheme
    let initialization: [UInt8]?
    private var segmentTime: Int64 = 0
    private var messages: [UInt8] = []
    private var messageCount: UInt32 = 0

    /// Opens a writer for the streams of these sources.
    init(
        pictures: borrowing PictureSource?, sound: borrowing SoundSource,
        scheme: SynthesisSettings.EventScheme, fault: SynthesisFault?
    ) throws(SynthesisError) {
        self.scheme = scheme
        if fault == .emsgForm { self.scheme.uri = "urn:example:synthetic" }
        muxer = try Muxer("mp4")
        try muxer.addStreams(pictures: pictures, videoPID: 1, sound: sound, audioPID: 2)
        try muxer.begin(options: [
            // Absolute times in `tfdt`, and one fragment per segment.
            ("movflags", "empty_moov+default_base_moof+frag_custom+frag_discont"), ("use_editlist", "0"),
            ("video_track_timescale", "90000"),
        ])
        try muxer.flush()
        initialization = muxer.drainBytes()
    }

    mutating func beginSegment(at time: Int64) {
        segmentTime = time
        messages = []
    }

    mutating func add(_ packet: EncodedPacket, isPicture: Bool) throws(SynthesisError) {
        try muxer.write(packet, isPicture: isPicture)
    }

    mutating func add(_ tag: ScheduledTag) {
        messages += Self.message(tag, scheme: scheme, id: messageCount, segmentTime: segmentTime)
        messageCount &+= 1
    }

    mutating func endSegment() throws(SynthesisError) -> [UInt8] {
        try muxer.flush()
        return Self.segmentType + messages + muxer.drainBytes()
    }

    /// A `styp` box of brand `msdh` (ISO/IEC 14496-12, 8.16.2).
    static let segmentType: [UInt8] =
        UInt32(24).bigEndianBytes + Array("stypmsdh".utf8) + UInt32(0).bigEndianBytes + Array("msdhmsix".utf8)

    /// Returns the event message box of a tag (ISO/IEC 23009-1, 5.10.3.3), with an event duration of 0.
    static func message(
        _ tag: ScheduledTag, scheme: SynthesisSettings.EventScheme, id: UInt32, segmentTime: Int64
    ) -> [UInt8] {
        let names = Array(scheme.uri.utf8) + [0] + Array(scheme.value.utf8) + [0]
        let timescale = UInt32(SynthesisSettings.ticksPerSecond).bigEndianBytes
        var body: [UInt8] = [scheme.version, 0, 0, 0]
        if scheme.version == 0 {
            // The delta of version 0 is unsigned: a tag before its segment is moved to the start of the segment.
            let delta = UInt32(clamping: tag.time - segmentTime)
            body += names + timescale + delta.bigEndianBytes + UInt32(0).bigEndianBytes + id.bigEndianBytes
        } else {
            body += timescale + tag.time.bigEndianBytes + UInt32(0).bigEndianBytes + id.bigEndianBytes + names
        }
        body += tag.bytes
        return UInt32(body.count + 8).bigEndianBytes + Array("emsg".utf8) + body
    }
}
