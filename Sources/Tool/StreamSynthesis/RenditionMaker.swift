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
