import ByteReading
import CDTVRLibAV

/// Generates an HLS stream with video, audio and timed ID3 tags as files.
///
/// The streams are intended for tests, demonstrations and measurements. All media and tags are generated, contain no
/// third-party material, and include no genuine tags. Only one segment is in memory at a time.
package struct StreamSynthesizer: Sendable {
    private let settings: SynthesisSettings

    /// Creates a synthesizer for one stream.
    package init(_ settings: SynthesisSettings) { self.settings = settings }

    /// Writes the stream as `directory/index.m3u8` with one directory per rendition.
    ///
    /// The directory is created if necessary, and an earlier output in it is replaced. The call blocks while the media
    /// is encoded. After every segment, `progress` receives the completed fraction, 0 to 1. If the task is canceled,
    /// all written files are removed.
    package func write(
        to directory: String, progress: (Double) -> Void = { _ in }
    ) throws(SynthesisError) -> SynthesisReport {
        try settings.validate()
        // Disables the log output of libav* to standard error; failures are reported as errors.
        dtvr_av_log_quiet()
        var output = try OutputDirectory(directory, mayOverwrite: settings.overwrite)
        do throws(SynthesisError) {
            return try write(to: &output, progress)
        } catch {
            if error == .cancelled { try output.removeFiles() }
            throw error
        }
    }

    private func write(
        to output: inout OutputDirectory, _ progress: (Double) -> Void
    ) throws(SynthesisError) -> SynthesisReport {
        var report = SynthesisReport()
        let share = 1 / Double(settings.renditions.count)
        for (index, rendition) in settings.renditions.enumerated() {
            let schedule = TagSchedule(settings, renditionIndex: index)
            if index == 0 { report.tags = schedule.entries.compactMap(SynthesisReport.MadeTag.init) }
            let maker = RenditionMaker(settings: settings, rendition: rendition, schedule: schedule)
            try maker.write(to: &output) { part in progress((Double(index) + part) * share) }
        }
        try output.write(Array(PlaylistText.multivariant(settings.renditions).utf8), to: "index.m3u8")
        report.files = output.files
        return report
    }
}

extension SynthesisReport.MadeTag {
    /// Creates the report entry of a tag, or returns nil for a tag of another owner.
    fileprivate init?(_ entry: TagSchedule.Entry) {
        guard let ownerIdentifier = entry.ownerIdentifier else { return nil }
        pts = UInt64(bitPattern: entry.time) & (1 << 33 - 1)
        self.ownerIdentifier = String(decoding: ownerIdentifier, as: UTF8.self)
        bytes = entry.bytes
    }
}

/// The contents of a generated stream.
package struct SynthesisReport: Sendable, Hashable {
    /// The files in the order of writing, with paths relative to the directory.
    package var files: [File] = []

    /// The tags of the first rendition, in stream order.
    package var tags: [MadeTag] = []

    /// The total size of all files, in bytes.
    package var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }

    /// One file.
    package struct File: Sendable, Hashable {
        /// The path in the directory, such as `v360/seg00000.ts`.
        package let path: String
        /// The size in bytes.
        package let byteCount: Int
    }

    /// One tag of the stream.
    package struct MadeTag: Sendable, Hashable {
        /// The PTS, 33 bits at 90 kHz.
        package let pts: UInt64
        /// The owner identifier, unchanged.
        package let ownerIdentifier: String
        /// The bytes of the complete tag.
        package let bytes: [UInt8]
    }
}

/// Creates one rendition: encodes video and audio in time order and inserts the tags.
struct RenditionMaker {
    let settings: SynthesisSettings
    let rendition: SynthesisSettings.Rendition
    let schedule: TagSchedule

    /// Writes the segments and the media playlist.
    func write(to output: inout OutputDirectory, progress: (Double) -> Void) throws(SynthesisError) {
        try output.makeDirectory(rendition.name)
        let clock = SynthesisClock(settings)
        var coder = try SegmentCoder.open(
            video: rendition.video, container: rendition.container, tagInterval: settings.tagInterval,
            start: clock.start, segmentTicks: clock.segmentTicks)
        switch rendition.container {
        case .transportStream:
            var writer = try TransportStreamWriter.open(
                pictures: coder.pictures, sound: coder.sound, fault: settings.fault)
            try write(clock, &coder, through: &writer, to: &output, progress)
        case .fragmentedMP4:
            var scheme = settings.eventScheme
            if settings.fault == .emsgForm { scheme.uri = "urn:example:synthetic" }
            var writer = try FragmentedMP4Writer.open(
                pictures: coder.pictures, sound: coder.sound, scheme: scheme)
            try write(clock, &coder, through: &writer, to: &output, progress)
        case .packedAudio:
            var writer = PackedAudioWriter()
            try write(clock, &coder, through: &writer, to: &output, progress)
        }
    }

    private func write<Writer: SegmentWriter & ~Copyable>(
        _ clock: SynthesisClock, _ coder: inout SegmentCoder, through writer: inout Writer,
        to output: inout OutputDirectory, _ progress: (Double) -> Void
    ) throws(SynthesisError) {
        let unit = rendition.video == nil ? SynthesisClock.audioFrameTicks : SynthesisClock.pictureTicks
        var segments: [PlaylistText.Segment] = []
        var tags = schedule.entries[...]
        var hasInitialization = false
        for index in 0..<clock.segmentCount {
            let start = clock.segmentStart(index, unitTicks: unit)
            let end = clock.segmentStart(index + 1, unitTicks: unit)
            // A last segment shorter than one access unit is empty.
            guard start < end else { continue }
            let isLast = index == clock.segmentCount - 1
            try coder.code(
                start..<end, frameCount: isLast ? clock.audioFrameCount : nil, tags: &tags, to: &writer)
            let name = Self.name(index) + "." + Writer.fileExtension
            let bytes = try writer.endSegment()
            if !hasInitialization, let initialization = try writer.initialization() {
                try output.write(initialization, to: "\(rendition.name)/init.mp4")
                hasInitialization = true
            }
            try output.write(bytes, to: "\(rendition.name)/\(name)")
            segments.append(
                PlaylistText.Segment(
                    ticks: end - start, uri: name,
                    programDateTime: settings.programDateTime.map { $0 + start / 90 }))
            progress(Double(index + 1) / Double(clock.segmentCount))
        }
        let playlist = PlaylistText.media(segments, initialization: hasInitialization ? "init.mp4" : nil)
        try output.write(Array(playlist.utf8), to: "\(rendition.name)/index.m3u8")
    }

    /// Returns the file name of a segment without extension, such as `seg00003` for segment 3.
    private static func name(_ index: Int) -> String {
        let digits = String(index)
        return "seg" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }
}

/// A writer of packed audio segments (RFC 8216, section 3.4): an Apple timestamp tag, ADTS frames, and tags between
/// them.
///
/// A tag precedes the audio frame that begins at its PTS, so that its time follows from the preceding audio.
struct PackedAudioWriter: SegmentWriter, ~Copyable {
    static let fileExtension = "aac"

    private var segment: [UInt8] = []
    private var lastFrameStart = 0

    init() {}

    mutating func initialization() -> [UInt8]? { nil }

    mutating func beginSegment(at time: Int64) {
        segment = Self.timestampTag(time)
        lastFrameStart = segment.count
    }

    mutating func addPicture(_ packet: borrowing EncodedPacket) throws(SynthesisError) {
        throw .setting(name: "container", reason: "packed-audio needs a rendition without video")
    }

    mutating func addSound(_ packet: borrowing EncodedPacket) {
        let frame = packet.bytes
        lastFrameStart = segment.count
        segment += Self.header(payloadCount: frame.count) + frame
    }

    mutating func addTag(_ entry: TagSchedule.Entry) {
        segment.insert(contentsOf: entry.bytes, at: lastFrameStart)
        lastFrameStart += entry.bytes.count
    }

    mutating func endSegment() -> [UInt8] { segment }

    /// Returns a PRIV tag with the PTS of the first audio frame, 33 bits in eight bytes.
    static func timestampTag(_ time: Int64) -> [UInt8] {
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
        let body = owner + (UInt64(bitPattern: time) & (1 << 33 - 1)).bigEndianBytes
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }

    /// Returns the seven-byte ADTS header (ISO/IEC 13818-7, 6.2): MPEG-4, no CRC, AAC-LC, 48 kHz, one channel.
    static func header(payloadCount: Int) -> [UInt8] {
        // The field has 13 bits; an AAC frame with one channel has at most 768 bytes.
        let length = UInt32(payloadCount + 7)
        return [
            0xFF, 0xF1, 0x01 << 6 | 0x03 << 2, 0x01 << 6 | UInt8(truncatingIfNeeded: length >> 11 & 0x03),
            UInt8(truncatingIfNeeded: length >> 3), UInt8(truncatingIfNeeded: length << 5) | 0x1F, 0xFC,
        ]
    }
}
