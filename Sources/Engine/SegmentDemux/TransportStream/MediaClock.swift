internal import ID3v2

/// The presentation times of the audio and video PES packets in one program.
struct MediaClock: Sendable, Hashable {
    /// Whether the program has audio; its times then take precedence over those of the video.
    var hasAudio: Bool

    private var audio = Track()
    private var video = Track()

    /// Creates a clock without times for a program with or without audio.
    init(hasAudio: Bool) { self.hasAudio = hasAudio }

    /// Adds the PTS of a PES packet.
    mutating func add(pts: UInt64, isAudio: Bool) {
        if isAudio { audio.add(pts) } else { video.add(pts) }
    }

    /// The most recent PTS, or nil before the first one.
    var last: UInt64? { hasAudio ? audio.last : video.last }

    /// The first and last time in presentation order, also across a wrap, or nil before the first PTS.
    var span: (earliest: MediaTimestamp, latest: MediaTimestamp)? { hasAudio ? audio.span : video.span }

    private struct Track: Sendable, Hashable {
        private var unwrapper = TimestampUnwrapper()
        private var earliest: Int64 = .max
        private var latest: Int64 = .min
        private(set) var last: UInt64?

        init() {}

        mutating func add(_ pts: UInt64) {
            last = pts
            let place = unwrapper.unwrap(pts: pts)
            earliest = min(earliest, place)
            latest = max(latest, place)
        }

        var span: (earliest: MediaTimestamp, latest: MediaTimestamp)? {
            guard last != nil else { return nil }
            return (
                MediaTimestamp(pts: UInt64(bitPattern: earliest)),
                MediaTimestamp(pts: UInt64(bitPattern: latest))
            )
        }
    }
}
