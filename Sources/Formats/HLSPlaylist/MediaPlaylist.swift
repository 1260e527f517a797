/// A playlist of media segments (RFC 8216, 4.3.3).
package struct MediaPlaylist: Sendable, Hashable {
    /// The segments; their media sequence numbers increase by one.
    package internal(set) var segments: [MediaSegment] = []

    /// EXT-X-TARGETDURATION, in seconds; nil if it is absent or invalid.
    package internal(set) var targetDuration: Int?

    /// The media sequence number of the first segment, skipped ones included.
    package internal(set) var mediaSequence = 0

    /// Whether there is a valid EXT-X-MEDIA-SEQUENCE; without one the numbers begin at 0.
    package internal(set) var statesMediaSequence = false

    /// The discontinuity sequence number of the playlist, before any EXT-X-DISCONTINUITY.
    package internal(set) var discontinuitySequence = 0

    /// Whether no more segments will be added (EXT-X-ENDLIST).
    package internal(set) var isEnded = false

    /// EXT-X-PLAYLIST-TYPE; nil if it is absent or invalid.
    package internal(set) var playlistType: PlaylistType?

    /// Whether each segment is a single I-frame (EXT-X-I-FRAMES-ONLY).
    package internal(set) var isIFramesOnly = false

    /// EXT-X-VERSION; nil if it is absent or invalid, which means 1.
    package internal(set) var version: Int?

    /// The parts of a low-latency playlist.
    package internal(set) var parts: [PartialSegment] = []

    /// The maximum duration of a part, in seconds (EXT-X-PART-INF).
    package internal(set) var partTargetDuration: Double?

    /// The resources that a client may load in advance.
    package internal(set) var preloadHints: [PreloadHint] = []

    /// The capabilities of the server.
    package internal(set) var serverControl: ServerControl?

    /// The number of segments that this playlist omits at its start (EXT-X-SKIP).
    package internal(set) var skippedSegmentCount = 0

    /// The advertisement breaks declared by EXT-X-DATERANGE, in tag order.
    var breakDateRanges = BreakDateRanges()

    /// The hash of the keys and initialization segments, with the number of segments before each declaration.
    ///
    /// The hash of a segment leaves them out.
    var declarationHash = 0

    /// The number of segments before the first tag that begins, continues or ends a break; nil without such a tag.
    var segmentCountBeforeCue: Int?

    /// The variables defined by EXT-X-DEFINE.
    package internal(set) var variables: [String: String] = [:]

    /// The invalid lines.
    package internal(set) var problems = PlaylistProblems()

    /// The ways in which the list of segments may change.
    package enum PlaylistType: String, Sendable, Hashable {
        /// Segments are only added.
        case event = "EVENT"
        /// The playlist does not change.
        case videoOnDemand = "VOD"
    }

    /// Creates a playlist without segments.
    package init() {}

    /// Whether more segments may be added.
    package var isLive: Bool { !isEnded && playlistType != .videoOnDemand }
}
