import HLSInput
import HLSPlaylist
import NielsenID3
import StreamHealth
import TextForms

/// The counters of a channel for the metrics, since the monitor first followed it.
struct ChannelCounters: Sendable {
    /// The bucket bounds of the spacing: the regular 10 s with some jitter, one missing tag, several missing tags.
    ///
    /// Each bound adds a line per channel to the metrics.
    private static let spacingBounds = [9.5, 10.5, 21, 60]

    /// The number of tags of each kind, without duplicates.
    private(set) var tagCounts: [TagKindLabel: UInt64] = [:]
    /// The seconds of media between the DATA tags of a rendition.
    private(set) var spacing = Histogram(bounds: spacingBounds)
    /// The number of findings of each check.
    private(set) var findingCounts: [CheckID: UInt64] = [:]
    /// The checks that have raised an alert, whose number of active alerts is reported from then on, even if it is 0.
    private(set) var alertedChecks: Set<CheckID> = []
    /// The number of segments that the playlist marked as gaps, or removed before the monitor loaded it.
    var skippedSegmentCount: UInt64 = 0
    /// The number of media playlist bytes received.
    private(set) var playlistByteCount: UInt64 = 0
    /// The number of segment bytes received.
    var segmentByteCount: UInt64 = 0

    /// Whether the last load of each rendition's playlist succeeded.
    private var loads: [RenditionID: Bool] = [:]
    /// Whether the channel was attempted at least once, successfully or not.
    private(set) var isTried = false

    /// Whether at least one playlist of the channel loads.
    var isUp: Bool { loads.values.contains(true) }

    /// Counts tags, which must not include duplicates.
    mutating func count(_ tags: [TagOccurrence]) {
        for tag in tags { tagCounts[TagKindLabel(tag.tag.kind), default: 0] += 1 }
    }

    /// Counts the media time between two DATA tags.
    mutating func observe(spacing seconds: Double) { spacing.observe(seconds) }

    /// Counts a finding of a check.
    mutating func count(_ check: CheckID) { findingCounts[check, default: 0] += 1 }

    /// Records that a check has raised an alert.
    mutating func count(alertOf check: CheckID) { alertedChecks.insert(check) }

    /// Counts a load of a rendition's playlist.
    mutating func observe(_ load: LivePlaylistLoad, of rendition: RenditionID) {
        loads[rendition] = load.failure == nil
        isTried = true
        playlistByteCount += UInt64(load.byteCount)
        for case .sequenceGap(let expected, let found) in load.update.events {
            // A larger gap means that the stream restarted, not that so many segments were removed.
            skippedSegmentCount += UInt64(clamping: min(found - expected, PlaylistLimit.segments.maximum))
        }
    }

    /// Counts a failure to open the channel.
    mutating func observeFailureToOpen() {
        loads = [:]
        isTried = true
    }
}

/// The kinds of tags in the metrics.
enum TagKindLabel: String, Sendable, Hashable, CaseIterable {
    case data
    case info
    /// A tag of another kind, or an unreadable one.
    case unknown

    init(_ kind: NielsenTag.Kind?) {
        switch kind {
        case .data: self = .data
        case .info: self = .info
        case .unknown, nil: self = .unknown
        }
    }
}

/// The values of a channel for the metrics, at one moment.
struct ChannelMetrics: Sendable {
    /// The current state.
    let snapshot: ChannelSnapshot
    /// The counters.
    let counters: ChannelCounters
    /// The number of active alerts of each check; 0 for a check whose alerts are all cleared.
    let alertCounts: [CheckID: Int]
    /// The problems that follow from the check of an active alert and have no alerts of their own.
    let consequences: [(check: CheckID, cause: CheckID)]
    /// The muted checks.
    let muted: MutedChecks

    /// Creates the metrics of a channel from its record.
    init(_ record: ChannelRecord) {
        snapshot = record.status.snapshot
        counters = record.status.counters
        muted = record.health.settings.muted
        var counts = Dictionary(uniqueKeysWithValues: record.status.counters.alertedChecks.map { ($0, 0) })
        let alerts = record.health.openAlerts
        for alert in alerts { counts[alert.check, default: 0] += 1 }
        alertCounts = counts
        consequences = alerts.flatMap { alert in alert.consequences.map { ($0.check, alert.check) } }
    }
}
