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
