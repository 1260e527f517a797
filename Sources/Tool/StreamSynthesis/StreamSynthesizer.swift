import CDTVRLibAV

/// Makes a stream with tags: HLS with pictures, sound and timed ID3, as files.
///
/// For tests, demonstrations and measurements. Pictures, sound and tags are drawn and computed here; nothing in
/// them is anybody else's, and no tag in them is genuine. One segment at a time is in memory.
package struct StreamSynthesizer: Sendable {
    private let settings: SynthesisSettings

    /// A synthesizer of one stream.
    package init(_ settings: SynthesisSettings) { self.settings = settings }

    /// Writes the stream, as `directory/index.m3u8` and a directory for each rendition.
    ///
    /// The directory is made where it does not exist; an earlier output in it is replaced. It blocks for as
    /// long as the encoders take. `progress` is told the part that is done, 0 to 1, after every segment. A task that
    /// is cancelled leaves no file of it.
    package func write(
        to directory: String, progress: (Double) -> Void = { _ in }
    ) throws(SynthesisError) -> SynthesisReport {
        try settings.validate()
        // libav* would print on standard error on its own; what matters comes back as an error.
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
    /// The public side of an entry; nil for another owner's tag.
    fileprivate init?(_ entry: TagSchedule.Entry) {
        guard let ownerIdentifier = entry.ownerIdentifier else { return nil }
        pts = UInt64(bitPattern: entry.time) & (1 << 33 - 1)
        self.ownerIdentifier = String(decoding: ownerIdentifier, as: UTF8.self)
        bytes = entry.bytes
    }
}
