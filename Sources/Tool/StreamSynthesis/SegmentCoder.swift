/// Encodes the video and audio of a rendition and passes them to a writer in time order.
struct SegmentCoder: ~Copyable {
    /// The video source, or nil for audio only.
    private(set) var pictures: PictureSource?
    /// The audio source.
    private(set) var sound: SoundSource
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
    /// - Parameter segmentTicks: The duration of a segment; nil if the stream is too short for repeats.
    static func open(
        video: SynthesisSettings.Video?, container: SynthesisSettings.Container, tagInterval: Int,
        start: Int64, segmentTicks: Int64? = nil
    ) throws(SynthesisError) -> SegmentCoder {
        let isMP4 = container == .fragmentedMP4
        let sound = try SoundSource(tagInterval: tagInterval, hasGlobalHeader: isMP4)
        var pictures: PictureSource?
        if let video {
            pictures = try PictureSource(video, tagInterval: tagInterval, hasGlobalHeader: isMP4)
        }
        var coder = SegmentCoder(
            pictures: pictures, sound: sound, packet: try EncodedPacket(), start: start)
        if let segmentTicks {
            coder.soundLoop = .sound(tagInterval: tagInterval)
            coder.pictureLoop =
                if let video {
                    .pictures(of: video, tagInterval: tagInterval, segmentTicks: segmentTicks)
                } else {
                    nil
                }
        }
        return coder
    }

    private init(
        pictures: consuming PictureSource?, sound: consuming SoundSource, packet: consuming EncodedPacket,
        start: Int64
    ) {
        self.pictures = pictures
        self.sound = sound
        self.packet = packet
        self.start = start
    }

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

    /// Encodes the media of a segment, with each tag after its audio frame.
    ///
    /// - Parameters:
    ///   - range: The segment, in ticks from the start of the stream.
    ///   - frameCount: The total number of audio frames, if the stream ends with this segment.
    ///   - tags: The remaining tags; the call removes those of the segment.
    mutating func code<Writer: SegmentWriter & ~Copyable>(
        _ range: Range<Int64>, frameCount: Int? = nil, tags: inout ArraySlice<TagSchedule.Entry>,
        to writer: inout Writer
    ) throws(SynthesisError) {
        try writer.beginSegment(at: start + range.lowerBound)
        while true {
            if Task.isCancelled { throw .cancelled }
            let pictureTime = Int64(pictureIndex) * SynthesisClock.pictureTicks
            let soundTime = Int64(audioFrame) * SynthesisClock.audioFrameTicks
            let hasPicture = pictures != nil && pictureTime < range.upperBound
            let hasSound = frameCount.map { audioFrame < $0 } ?? (soundTime < range.upperBound)
            if hasPicture, !hasSound || pictureTime <= soundTime {
                try nextPicture(isFirstOfSegment: pictureTime == range.lowerBound)
                packet.setTime(start + pictureTime, duration: SynthesisClock.pictureTicks)
                try writer.addPicture(packet)
                pictureIndex += 1
            } else if hasSound {
                try nextSound()
                packet.setTime(start + soundTime, duration: SynthesisClock.audioFrameTicks)
                try writer.addSound(packet)
                while let entry = tags.first, entry.audioFrame == audioFrame {
                    try writer.addTag(entry)
                    tags = tags.dropFirst()
                }
                audioFrame += 1
            } else {
                return
            }
        }
    }
}

/// A writer that builds the segments of one rendition from encoded pictures, audio frames and tags in time order.
protocol SegmentWriter: ~Copyable {
    /// The file extension of segments.
    static var fileExtension: String { get }

    /// Returns the initialization segment, or nil if the container has none.
    mutating func initialization() throws(SynthesisError) -> [UInt8]?

    /// Begins a segment whose first access unit is at `time`, in ticks of 90 kHz, not wrapped.
    mutating func beginSegment(at time: Int64) throws(SynthesisError)

    /// Adds an encoded picture.
    mutating func addPicture(_ packet: borrowing EncodedPacket) throws(SynthesisError)

    /// Adds an encoded audio frame.
    mutating func addSound(_ packet: borrowing EncodedPacket) throws(SynthesisError)

    /// Adds a tag for the last audio frame.
    mutating func addTag(_ entry: TagSchedule.Entry) throws(SynthesisError)

    /// Ends the segment and returns its bytes.
    mutating func endSegment() throws(SynthesisError) -> [UInt8]
}
