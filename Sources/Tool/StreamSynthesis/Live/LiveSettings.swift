/// What live channels are to be like.
package struct LiveSettings: Sendable, Hashable {
    /// How many channels there are, 1 to 10,000: `ch1`, `ch2` and so on.
    package var channelCount = 1

    /// The length of a segment in seconds, 1.92 to 60: a multiple of 0.32, which are whole pictures and whole frames of
    /// sound, so that every segment is as long as the next.
    package var segmentDuration = 6.4

    /// How many segments a playlist lists, 3 to 1,000.
    package var windowSegmentCount = 6

    /// Where the tags and the timestamps of all channels come from.
    package var seed: UInt64 = 0x4454_5652

    /// The media sequence number of the first segment.
    package var firstMediaSequence = 1_000

    /// The PTS of the first segment, 33 bits; nil for one that each channel has of its own, so that some wrap every hour.
    package var startPTS: UInt64?

    /// The bytes around pictures and sound: a transport stream, or fragmented MP4.
    package var container = SynthesisSettings.Container.transportStream

    /// The renditions; with more than one, a channel has a multivariant playlist.
    package var renditions = [Rendition(name: "main")]

    /// One channel with one rendition.
    package init() {}

    /// One version of a channel.
    package struct Rendition: Sendable, Hashable {
        /// Its folder: letters, digits, `-` and `_`.
        package var name: String
        /// Its pictures; nil for sound alone.
        package var video: SynthesisSettings.Video?
        /// The bits a second that a segment is filled up to; nil for as many as it takes.
        package var bitrate: Int?
        /// Whether it has the tags.
        package var carriesTags: Bool

        /// A rendition of small pictures unless others are given.
        package init(
            name: String, video: SynthesisSettings.Video? = Self.smallVideo, bitrate: Int? = nil,
            carriesTags: Bool = true
        ) {
            self.name = name
            self.video = video
            self.bitrate = bitrate
            self.carriesTags = carriesTags
        }

        /// Pictures that are cheap to code.
        package static let smallVideo = SynthesisSettings.Video(
            width: 320, height: 180, maximumBitrate: 100_000)
    }

    /// How long a segment lasts at least for whole pictures and whole frames of sound.
    static let unitMilliseconds: Int64 = 320

    /// The length of a segment in milliseconds.
    var segmentMilliseconds: Int64 { Int64((segmentDuration * 1_000).rounded()) }

    /// The length of a segment in ticks.
    var segmentTicks: Int64 { segmentMilliseconds * 90 }

    /// Refuses settings that make no stream, so that everything after may compute without fear of overflow.
    func validate() throws(SynthesisError) {
        try check((1...10_000).contains(channelCount), "channels", "must be 1 to 10000")
        try check(
            segmentDuration.isFinite && (1.92...60).contains(segmentDuration)
                && segmentMilliseconds.isMultiple(of: Self.unitMilliseconds), "segmentDuration",
            "must be a multiple of 0.32 seconds, 1.92 to 60")
        try check((3...1_000).contains(windowSegmentCount), "windowSegmentCount", "must be 3 to 1000")
        try check((0...1_000_000_000).contains(firstMediaSequence), "firstMediaSequence", "must be 0 to 10^9")
        // So many ticks are a whole number of samples.
        try check(
            startPTS.map { $0 < 1 << 33 && $0.isMultiple(of: 15) } ?? true, "startPTS",
            "must fit 33 bits and be a multiple of 15")
        try check(container != .packedAudio, "container", "must be ts or fmp4 for live channels")
        for rendition in renditions {
            try check(
                rendition.bitrate.map { (1_000...100_000_000).contains($0) } ?? true, "bitrate",
                "must be 1 kbit/s to 100 Mbit/s")
        }
        var files = SynthesisSettings()
        files.renditions = renditions.map { .init(name: $0.name, video: $0.video, container: container) }
        try files.validate()
    }

    private func check(_ holds: Bool, _ name: String, _ reason: String) throws(SynthesisError) {
        guard holds else { throw .setting(name: name, reason: reason) }
    }
}
