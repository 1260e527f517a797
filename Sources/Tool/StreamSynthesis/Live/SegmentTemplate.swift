import CDTVRLibAV

/// A segment that is encoded once and copied for every segment of every channel, with individual timestamps and tags.
protocol SegmentTemplate: Sendable {
    /// The file extension of segments.
    var fileExtension: String { get }

    /// The initialization segment, or nil if the container has none.
    var initialization: [UInt8]? { get }

    /// The length of a segment without tags, in bytes.
    var byteCount: Int { get }

    /// Returns a segment with its timestamps and tags, which must be in time order.
    func segment(_ stamp: SegmentStamp, tags: [TagSchedule.Entry]) -> [UInt8]
}

/// The individual values of a segment, except its tags.
struct SegmentStamp {
    /// The number of earlier segments in the channel.
    var index: Int64
    /// The time of its first picture and audio frame in ticks, not wrapped.
    var time: Int64
    /// The number of earlier tags in the channel.
    var tagCount: Int64
}

extension LiveSettings {
    /// Encodes the template segment of a rendition.
    func template(of rendition: Rendition) throws(SynthesisError) -> any SegmentTemplate {
        // Disables the log output of libav* to standard error; failures are reported as errors.
        dtvr_av_log_quiet()
        // Leaves room for a clock reference before the first picture.
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
