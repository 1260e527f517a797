/// A playlist of media segments (RFC 8216, 4.3.3).
package struct MediaPlaylist: Sendable, Hashable {
    /// The segments, their media sequence numbers rising by one.
    package internal(set) var segments: [MediaSegment] = []

    /// EXT-X-TARGETDURATION, in seconds; nil where it is absent or unreadable.
    package internal(set) var targetDuration: Int?

    /// The media sequence number of the first segment listed, skipped ones included.
    package internal(set) var mediaSequence = 0

    /// Whether it has an EXT-X-MEDIA-SEQUENCE that can be read; without one it counts from 0.
    package internal(set) var statesMediaSequence = false

    /// The discontinuity sequence number that the first segment would have without a tag of its own.
    package internal(set) var discontinuitySequence = 0

    /// Whether no segment will be added (EXT-X-ENDLIST).
    package internal(set) var isEnded = false

    /// EXT-X-PLAYLIST-TYPE; nil where it is absent or neither of the two.
    package internal(set) var playlistType: PlaylistType?

    /// Whether each segment is one picture (EXT-X-I-FRAMES-ONLY).
    package internal(set) var isIFramesOnly = false

    /// EXT-X-VERSION; nil where it is absent or unreadable, which means 1.
    package internal(set) var version: Int?

    /// The parts of a low-latency playlist.
    package internal(set) var parts: [PartialSegment] = []

    /// How long parts last at most, in seconds (EXT-X-PART-INF).
    package internal(set) var partTargetDuration: Double?

    /// What a client may load ahead.
    package internal(set) var preloadHints: [PreloadHint] = []

    /// What the server can do.
    package internal(set) var serverControl: ServerControl?

    /// How many segments this update of a playlist leaves out at its start (EXT-X-SKIP).
    package internal(set) var skippedSegmentCount = 0

    /// The advertisement breaks that EXT-X-DATERANGE states, in the order of their tags.
    var breakDateRanges = BreakDateRanges()

    /// How many segments stand before the first tag that begins, continues or ends a break; nil without such a tag.
    var segmentCountBeforeCue: Int?

    /// The variables that EXT-X-DEFINE gave a value.
    package internal(set) var variables: [String: String] = [:]

    /// The lines that break a rule.
    package internal(set) var problems = PlaylistProblems()

    /// How the list of segments may change.
    package enum PlaylistType: String, Sendable, Hashable {
        /// Segments are only added.
        case event = "EVENT"
        /// Nothing changes.
        case videoOnDemand = "VOD"
    }

    /// A playlist without segments.
    package init() {}

    /// The sum of the durations, in seconds.
    package var duration: Double { segments.reduce(0) { $0 + $1.duration } }

    /// Whether segments may still be added.
    package var isLive: Bool { !isEnded && playlistType != .videoOnDemand }
}
