import CDTVRLibAV

/// One segment of pictures and sound, coded once, of which every segment of every channel is a copy with timestamps and
/// tags of its own.
protocol SegmentTemplate: Sendable {
    /// What the segments' names end with.
    var fileExtension: String { get }

    /// The initialization segment; nil where the container has none.
    var initialization: [UInt8]? { get }

    /// How many bytes a segment without tags has.
    var byteCount: Int { get }

    /// A segment with its timestamps and its tags, which come in the order of time.
    func segment(_ stamp: SegmentStamp, tags: [TagSchedule.Entry]) -> [UInt8]
}

/// What a segment has of its own beside its tags.
struct SegmentStamp {
    /// How many segments the channel has had before it.
    var index: Int64
    /// The time of its first picture and sound in ticks, not wrapped.
    var time: Int64
    /// How many tags the channel has had before it.
    var tagCount: Int64
}

extension LiveSettings {
    /// Codes the one segment of a rendition.
    func template(of rendition: Rendition) throws(SynthesisError) -> any SegmentTemplate {
        // libav* would print on standard error on its own; what matters comes back as an error.
        dtvr_av_log_quiet()
        // Late enough for a clock reference before the first picture.
        let start: Int64 = 900_000
        var coder = try SegmentCoder.open(
            video: rendition.video, container: container, tagInterval: LiveTagSequence.tagSeconds,
            start: start
        )
        var noTags: ArraySlice<TagSchedule.Entry> = []
        let size = rendition.bitrate.map { Int(Int64($0) / 8 * segmentMilliseconds / 1_000) } ?? 0
        switch container {
        case .transportStream:
            var writer = try TransportStreamWriter.open(
                pictures: coder.pictures, sound: coder.sound, fault: nil)
            try coder.code(0..<segmentTicks, tags: &noTags, to: &writer)
            return try TransportStreamTemplate(
                try writer.endSegment(), start: start, minimumByteCount: size)
        case .fragmentedMP4:
            var writer = try FragmentedMP4Writer.open(
                pictures: coder.pictures, sound: coder.sound, scheme: .aomedia)
            try coder.code(0..<segmentTicks, tags: &noTags, to: &writer)
            return try FragmentedMP4Template(
                try writer.endSegment(), initialization: writer.initialization() ?? [],
                hasPictures: rendition.video != nil, minimumByteCount: size)
        case .packedAudio: throw .setting(name: "container", reason: "must be ts or fmp4 for live channels")
        }
    }
}
