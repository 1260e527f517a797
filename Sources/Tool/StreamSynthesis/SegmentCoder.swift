import ByteReading

/// An encoder of one rendition: encodes video and audio, and passes them to the writer of the container in time order.
struct SegmentCoder: ~Copyable {
    /// The video source, or nil for audio only.
    private var pictures: PictureSource?
    private var sound: SoundSource
    private var writer: any SegmentWriter
    private let packet: EncodedPacket
    /// The pictures and the audio frames that repeat; nil if each is encoded.
    private var pictureLoop: EncodedLoop?
    private var soundLoop: EncodedLoop?
    /// The time of the first picture and audio frame, in ticks.
    private let start: Int64
    private var pictureIndex = 0
    private var audioFrame = 0

    /// Opens a coder at the start of its stream.
    ///
    /// - Parameter repeats: Whether the pictures and the sound of a long stream repeat.
    init(
        _ rendition: SynthesisSettings.Rendition, of settings: SynthesisSettings, repeats: Bool
    ) throws(SynthesisError) {
        let isMP4 = rendition.container == .fragmentedMP4
        let interval = settings.tagInterval
        let sound = try SoundSource(tagInterval: interval, hasGlobalHeader: isMP4)
        var pictures: PictureSource?
        if let video = rendition.video {
            pictures = try PictureSource(video, tagInterval: interval, hasGlobalHeader: isMP4)
        }
        let writer: any SegmentWriter =
            switch rendition.container {
            case .transportStream:
                try TransportStreamWriter(pictures: pictures, sound: sound, fault: settings.fault)
            case .fragmentedMP4:
                try FragmentedMP4Writer(
                    pictures: pictures, sound: sound, scheme: settings.eventScheme, fault: settings.fault)
            case .packedAudio: PackedAudioWriter()
            }
        let packet = try EncodedPacket()
        self.pictures = pictures
        self.sound = sound
        self.writer = writer
        self.packet = packet
        start = Int64(settings.startPTS)
        guard repeats else { return }
        soundLoop = .sound(tagInterval: interval)
        pictureLoop = rendition.video.flatMap {
            .pictures(of: $0, tagInterval: interval, segmentTicks: settings.segmentTicks)
        }
    }

    /// The initialization segment, or nil if the container has none.
    var initialization: [UInt8]? { writer.initialization }

    private mutating func nextPicture(isFirstOfSegment: Bool) throws(SynthesisError) {
        if try pictureLoop?.reuse(pictureIndex, in: packet) == true { return }
        try pictures?.picture(pictureIndex, isFirstOfSegment: isFirstOfSegment, into: packet)
        try pictureLoop?.keep(pictureIndex, in: packet)
    }

    private mutating func nextSound() throws(SynthesisError) {
        if try soundLoop?.reuse(audioFrame, in: packet) == true { return }
        try sound.next(into: packet)
        try soundLoop?.keep(audioFrame, in: packet)
    }

    /// Returns the next segment, with each tag after its audio frame.
    ///
    /// - Parameters:
    ///   - range: The segment, in ticks from the start of the stream.
    ///   - frameCount: The total number of audio frames, if the stream ends with this segment.
    ///   - tags: The remaining tags; the call removes those of the segment.
    mutating func segment(
        _ range: Range<Int64>, frameCount: Int? = nil, tags: inout ArraySlice<ScheduledTag>
    ) throws(SynthesisError) -> [UInt8] {
        try writer.beginSegment(at: start + range.lowerBound)
        while true {
            if Task.isCancelled { throw .cancelled }
            let pictureTime = Int64(pictureIndex) * SynthesisSettings.pictureTicks
            let soundTime = Int64(audioFrame) * SynthesisSettings.audioFrameTicks
            let hasPicture = pictures != nil && pictureTime < range.upperBound
            let hasSound = frameCount.map { audioFrame < $0 } ?? (soundTime < range.upperBound)
            if hasPicture, !hasSound || pictureTime <= soundTime {
                try nextPicture(isFirstOfSegment: pictureTime == range.lowerBound)
                packet.setTime(start + pictureTime, duration: SynthesisSettings.pictureTicks)
                try writer.add(packet, isPicture: true)
                pictureIndex += 1
            } else if hasSound {
                try nextSound()
                packet.setTime(start + soundTime, duration: SynthesisSettings.audioFrameTicks)
                try writer.add(packet, isPicture: false)
                while let tag = tags.first, tag.audioFrame == audioFrame {
                    try writer.add(tag)
                    tags = tags.dropFirst()
                }
                audioFrame += 1
            } else {
                return try writer.endSegment()
            }
        }
    }
}

/// A writer that builds the segments of one rendition from encoded pictures, audio frames and tags in time order.
protocol SegmentWriter {
    /// The initialization segment, or nil if the container has none.
    var initialization: [UInt8]? { get }

    /// Begins a segment whose first access unit is at `time`, in ticks of 90 kHz, not wrapped.
    mutating func beginSegment(at time: Int64) throws(SynthesisError)

    /// Adds an encoded picture or audio frame.
    mutating func add(_ packet: EncodedPacket, isPicture: Bool) throws(SynthesisError)

    /// Adds a tag for the last audio frame.
    mutating func add(_ tag: ScheduledTag) throws(SynthesisError)

    /// Ends the segment and returns its bytes.
    mutating func endSegment() throws(SynthesisError) -> [UInt8]
}

/// A writer of packed audio segments (RFC 8216, section 3.4): an Apple timestamp tag, ADTS frames, and tags between
/// them.
///
/// A tag precedes the audio frame that begins at its PTS, so that its time follows from the preceding audio.
struct PackedAudioWriter: SegmentWriter {
    private var segment: [UInt8] = []
    private var lastFrameStart = 0

    init() {}

    var initialization: [UInt8]? { nil }

    mutating func beginSegment(at time: Int64) {
        segment = Self.timestampTag(time)
        lastFrameStart = segment.count
    }

    mutating func add(_ packet: EncodedPacket, isPicture: Bool) throws(SynthesisError) {
        guard !isPicture else {
            throw .setting(name: "container", reason: "packed-audio needs a rendition without video")
        }
        let frame = packet.bytes
        lastFrameStart = segment.count
        segment += Self.header(payloadCount: frame.count) + frame
    }

    mutating func add(_ tag: ScheduledTag) {
        segment.insert(contentsOf: tag.bytes, at: lastFrameStart)
        lastFrameStart += tag.bytes.count
    }

    mutating func endSegment() -> [UInt8] { segment }

    /// Returns a PRIV tag with the PTS of the first audio frame, 33 bits in eight bytes.
    private static func timestampTag(_ time: Int64) -> [UInt8] {
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
        let body = owner + (UInt64(bitPattern: time) & (1 << 33 - 1)).bigEndianBytes
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }

    /// Returns the seven-byte ADTS header (ISO/IEC 13818-7, 6.2): MPEG-4, no CRC, AAC-LC, 48 kHz, one channel.
    private static func header(payloadCount: Int) -> [UInt8] {
        // The field has 13 bits; an AAC frame with one channel has at most 768 bytes.
        let length = UInt32(payloadCount + 7)
        return [
            0xFF, 0xF1, 0x01 << 6 | 0x03 << 2, 0x01 << 6 | UInt8(truncatingIfNeeded: length >> 11 & 0x03),
            UInt8(truncatingIfNeeded: length >> 3), UInt8(truncatingIfNeeded: length << 5) | 0x1F, 0xFC,
        ]
    }
}
