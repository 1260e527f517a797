import TextForms

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
        try openLibAV()
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
            let tags = settings.tags(ofRendition: index)
            if index == 0 { report.tags = tags.filter { !$0.isOfAnotherOwner } }
            try write(rendition, rendition.carriesTags ? tags : [], to: &output) { part in
                progress((Double(index) + part) * share)
            }
        }
        try output.write(Array(PlaylistText.multivariant(settings.renditions).utf8), to: "index.m3u8")
        report.files = output.files
        return report
    }

    /// Writes the segments and the media playlist of one rendition.
    private func write(
        _ rendition: SynthesisSettings.Rendition, _ tags: [ScheduledTag], to output: inout OutputDirectory,
        progress: (Double) -> Void
    ) throws(SynthesisError) {
        try output.makeDirectory(rendition.name)
        let unit = rendition.video == nil ? SynthesisSettings.audioFrameTicks : SynthesisSettings.pictureTicks
        var coder = try SegmentCoder(rendition, of: settings, repeats: true)
        let initialization = coder.initialization
        if let initialization { try output.write(initialization, to: "\(rendition.name)/init.mp4") }
        var segments: [PlaylistText.Segment] = []
        var tags = tags[...]
        for index in 0..<settings.segmentCount {
            let start = settings.segmentStart(index, unitTicks: unit)
            let end = settings.segmentStart(index + 1, unitTicks: unit)
            // A last segment shorter than one access unit is empty.
            guard start < end else { continue }
            let isLast = index == settings.segmentCount - 1
            let name =
                "seg" + DecimalText.padded(index, digits: 5) + "." + rendition.container.fileExtension
            let bytes = try coder.segment(
                start..<end, frameCount: isLast ? settings.audioFrameCount : nil, tags: &tags)
            try output.write(bytes, to: "\(rendition.name)/\(name)")
            segments.append(
                PlaylistText.Segment(
                    ticks: end - start, uri: name,
                    programDateTime: settings.programDateTime.map { $0 + start / 90 }))
            progress(Double(index + 1) / Double(settings.segmentCount))
        }
        let playlist = PlaylistText.media(
            segments, initialization: initialization == nil ? nil : "init.mp4")
        try output.write(Array(playlist.utf8), to: "\(rendition.name)/index.m3u8")
    }
}

/// The contents of a generated stream.
package struct SynthesisReport: Sendable, Hashable {
    /// The files in the order of writing, with paths relative to the directory.
    package var files: [File] = []

    /// The tags of the first rendition, in stream order.
    package var tags: [ScheduledTag] = []

    /// The total size of all files, in bytes.
    package var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }

    /// One file.
    package struct File: Sendable, Hashable {
        /// The path in the directory, such as `v360/seg00000.ts`.
        package let path: String
        /// The size in bytes.
        package let byteCount: Int
    }
}
