import ByteReading
import CDTVRLibAV
import ISOBMFF

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

/// An encoded segment of fragmented MP4, with the positions that differ in each copy.
struct FragmentedMP4Template: SegmentTemplate {
    let fileExtension = FragmentedMP4Writer.fileExtension
    let initialization: [UInt8]?

    private static let fragmentHeader = BoxType("mfhd")

    private let bytes: [UInt8]
    /// The offset of the four-byte fragment number.
    private let numberOffset: Int
    /// The offset of each track's eight-byte decode time, with the fraction that converts ticks of 90 kHz to its
    /// timescale.
    private let decodeTimes: [(offset: Int, numerator: Int64, denominator: Int64)]

    /// Locates the variable positions in a segment without tags, and pads it with a free box.
    init(
        _ segment: [UInt8], initialization: [UInt8], hasPictures: Bool, minimumByteCount: Int
    ) throws(SynthesisError) {
        var numbers: [Int] = []
        var times: [Int] = []
        var walker = BoxWalker()
        var position = 0
        do throws(ISOBMFFError) {
            while let step = try walker.next(in: segment.span, at: &position) {
                guard case .box(let box) = step else { continue }
                // Skips the version and the flags.
                let content = Int(box.payloadOffset) + 4
                switch box.header.type {
                case .movieFragment, .trackFragment: try walker.descend()
                case Self.fragmentHeader: numbers.append(content)
                case .trackFragmentDecodeTime where segment[content - 4] == 1: times.append(content)
                default: break
                }
            }
        } catch {
            throw .unexpectedOutput(rule: "a fragment is a tree of boxes")
        }
        guard numbers.count == 1, times.count == (hasPictures ? 2 : 1) else {
            throw .unexpectedOutput(
                rule: "a segment has one fragment, and a decode time of 64 bits for each track")
        }
        numberOffset = numbers[0]
        decodeTimes = times.enumerated().map { index, offset in
            // The video track comes first, in 90 kHz; the audio timescale is the sample rate.
            hasPictures && index == 0 ? (offset, 1, 1) : (offset, 8, 15)
        }
        let missing = minimumByteCount - segment.count
        let filling =
            missing < 8
            ? []
            : UInt32(missing).bigEndianBytes + Array("free".utf8)
                + [UInt8](repeating: 0, count: missing - 8)
        bytes = segment + filling
        self.initialization = initialization
    }

    var byteCount: Int { bytes.count }

    func segment(_ stamp: SegmentStamp, tags: [TagSchedule.Entry]) -> [UInt8] {
        var segment = bytes
        Self.write(UInt64(truncatingIfNeeded: stamp.index + 1), byteCount: 4, to: &segment, at: numberOffset)
        for (offset, numerator, denominator) in decodeTimes {
            let time = UInt64(stamp.time * numerator / denominator)
            Self.write(time, byteCount: 8, to: &segment, at: offset)
        }
        var messages: [UInt8] = []
        for (index, tag) in tags.enumerated() {
            messages += SyntheticEventMessage.box(
                scheme: .aomedia, id: UInt32(truncatingIfNeeded: stamp.tagCount + Int64(index)),
                time: tag.time,
                segmentTime: stamp.time, message: tag.bytes)
        }
        segment.insert(contentsOf: messages, at: SyntheticEventMessage.segmentType.count)
        return segment
    }

    private static func write(_ value: UInt64, byteCount: Int, to bytes: inout [UInt8], at offset: Int) {
        for index in 0..<byteCount {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byteCount - 1 - index)))
        }
    }
}
