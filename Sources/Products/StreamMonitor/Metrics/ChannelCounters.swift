import HLSInput
import HLSPlaylist
import NielsenID3
import StreamHealth

/// What is counted of a channel since it was followed first, for the metrics.
struct ChannelCounters: Sendable {
    /// The bounds of the spacing: the regular 10 s with some jitter, one tag missing, several missing.
    ///
    /// Each is a line for every channel.
    private static let spacingBounds = [9.5, 10.5, 21, 60]

    /// How many tags there were of each kind, copies left out.
    private(set) var tagCounts: [TagKindLabel: UInt64] = [:]
    /// Seconds of media between the DATA tags of a rendition.
    private(set) var spacing = Histogram(bounds: spacingBounds)
    /// How many findings each check had.
    private(set) var findingCounts: [CheckID: UInt64] = [:]
    /// The checks that have raised an alert: their number of active alerts is told from then on, also when it is 0.
    private(set) var alertedChecks: Set<CheckID> = []
    /// How many segments the playlist said are not there, or removed before a load listed them.
    var skippedSegmentCount: UInt64 = 0
    /// The bytes of media playlists that were received.
    private(set) var playlistByteCount: UInt64 = 0
    /// The bytes of segments that were received.
    var segmentByteCount: UInt64 = 0

    /// Whether the newest load of each rendition's playlist worked.
    private var loads: [Int: Bool] = [:]
    /// Whether the channel was tried once, with whatever result.
    private(set) var isTried = false

    /// Whether a playlist of the channel can be followed.
    var isUp: Bool { loads.values.contains(true) }

    /// Counts tags that are no copies.
    mutating func count(_ tags: [TagOccurrence]) {
        for tag in tags { tagCounts[TagKindLabel(tag.tag.kind), default: 0] += 1 }
    }

    /// Counts the media between two DATA tags.
    mutating func observe(spacing seconds: Double) { spacing.observe(seconds) }

    /// Counts what follows from a change of the health.
    mutating func count(_ event: ChannelEvent) {
        switch event {
        case .state: break
        case .finding(let check, _): findingCounts[check, default: 0] += 1
        case .alert(_, let alert): alertedChecks.insert(alert.check)
        }
    }

    /// Counts a load of a rendition's playlist.
    mutating func observe(_ load: LivePlaylistLoad, of rendition: Int) {
        loads[rendition] = load.failure == nil
        isTried = true
        playlistByteCount += UInt64(load.byteCount)
        for case .sequenceGap(let expected, let found) in load.update.events {
            // A larger gap is a stream that started over: nobody removed that many segments.
            skippedSegmentCount += UInt64(clamping: min(found - expected, PlaylistLimit.segments.maximum))
        }
    }

    /// Takes that the channel could not be opened.
    mutating func observeFailureToOpen() {
        loads = [:]
        isTried = true
    }
}

/// The kinds of tags that metrics tell apart.
enum TagKindLabel: String, Sendable, Hashable, CaseIterable {
    case data
    case info
    /// Of another kind, or of a blob that cannot be read.
    case unknown

    init(_ kind: NielsenTag.Kind?) {
        switch kind {
        case .data: self = .data
        case .info: self = .info
        case .unknown, nil: self = .unknown
        }
    }
}
