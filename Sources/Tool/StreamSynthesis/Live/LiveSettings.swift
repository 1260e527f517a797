/// The settings of live channels.
package struct LiveSettings: Sendable, Hashable {
    /// The number of channels, 1 to 10,000: `ch1`, `ch2` and so on.
    package var channelCount = 1

    /// The segment duration in seconds, 1.92 to 60.
    ///
    /// It is a multiple of 0.32, which is a whole number of pictures and audio frames, so that all segments have equal
    /// durations.
    package var segmentDuration = 6.4

    /// The number of segments in a playlist, 3 to 1,000.
    package var windowSegmentCount = 6

    /// The seed for the tags and timestamps of all channels.
    package var seed: UInt64 = 0x4454_5652

    /// The media sequence number of the first segment.
    package var firstMediaSequence = 1_000

    /// The PTS of the first segment, 33 bits, or nil for a random value per channel, so that some channels wrap every
    /// hour.
    package var startPTS: UInt64?

    /// The container of all renditions: a transport stream or fragmented MP4.
    package var container = SynthesisSettings.Container.transportStream

    /// The renditions; with more than one, a channel has a multivariant playlist.
    package var renditions = [SynthesisSettings.Rendition(name: "main")]

    /// Creates the settings for one channel with one rendition.
    package init() {}

    /// The smallest duration of whole pictures and whole audio frames, in milliseconds.
    static let unitMilliseconds: Int64 = 320

    /// The segment duration in milliseconds.
    var segmentMilliseconds: Int64 { Int64((segmentDuration * 1_000).rounded()) }

    /// The segment duration in ticks of 90 kHz.
    var segmentTicks: Int64 { segmentMilliseconds * 90 }

    /// Rejects invalid settings, so that later computations cannot overflow.
    func validate() throws(SynthesisError) {
        try check((1...10_000).contains(channelCount), "channels", "must be 1 to 10000")
        try check(
            segmentDuration.isFinite && (1.92...60).contains(segmentDuration)
                && segmentMilliseconds.isMultiple(of: Self.unitMilliseconds), "segmentDuration",
            "must be a multiple of 0.32 seconds from 1.92 to 60")
        try check((3...1_000).contains(windowSegmentCount), "windowSegmentCount", "must be 3 to 1000")
        try check((0...1_000_000_000).contains(firstMediaSequence), "firstMediaSequence", "must be 0 to 10^9")
        // A multiple of 15 ticks corresponds to a whole number of samples.
        try check(
            startPTS.map { $0 < 1 << 33 && $0.isMultiple(of: 15) } ?? true, "startPTS",
            "must fit in 33 bits and be a multiple of 15")
        try check(container != .packedAudio, "container", "must be ts or fmp4 for live channels")
        for rendition in renditions {
            try check(
                rendition.bitrate.map { (1_000...100_000_000).contains($0) } ?? true, "bitrate",
                "must be 1 kbit/s to 100 Mbit/s")
        }
        var files = SynthesisSettings()
        files.renditions = renditions
        try files.validate()
    }

    private func check(_ holds: Bool, _ name: String, _ reason: String) throws(SynthesisError) {
        guard holds else { throw .setting(name: name, reason: reason) }
    }
}
