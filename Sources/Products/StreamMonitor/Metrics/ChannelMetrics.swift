import HLSInput
import HLSPlaylist
import ID3v2
import NielsenID3
import StreamHealth
import TextForms

/// The state and the counters of a channel, since the monitor first followed it.
struct ChannelMetrics: Sendable {
    /// The state and the counters that pages show, without the reason of the state.
    var snapshot: ChannelSnapshot
    /// The muted checks.
    let muted: MutedChecks
    /// The open alerts with their consequences, as of the copy for the metrics.
    var alerts: [Episode] = []
    /// The bucket bounds of the spacing: the regular 10 s with some jitter, one missing tag, several missing tags.
    ///
    /// Each bound adds a line per channel to the metrics.
    private static let spacingBounds = [9.5, 10.5, 21, 60]

    /// The number of tags of each kind, without duplicates; those of another kind, or unreadable, are unknown.
    private(set) var tagCounts = (data: UInt64(0), info: UInt64(0), unknown: UInt64(0))
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

    /// Creates the metrics of a channel that has just been added.
    init(_ settings: ChannelSettings) {
        snapshot = ChannelSnapshot(id: settings.id, name: settings.name)
        snapshot.mayEnd = settings.mayEnd
        var muted = MutedChecks()
        muted.ignored = settings.ignoredChecks
        muted.accepted = settings.acceptedChecks
        self.muted = muted
    }

    /// Whether at least one playlist of the channel loads and the channel has not ended.
    var isUp: Bool { snapshot.state != .ended && loads.values.contains(true) }

    /// The number of active alerts of each check; 0 for a check whose alerts are all cleared.
    var alertCounts: [CheckID: Int] {
        var counts = Dictionary(uniqueKeysWithValues: alertedChecks.map { ($0, 0) })
        for alert in alerts { counts[alert.check, default: 0] += 1 }
        return counts
    }

    /// The problems that follow from the check of an active alert and have no alerts of their own.
    var consequences: [(check: CheckID, cause: CheckID)] {
        alerts.flatMap { alert in alert.consequences.map { ($0.check, alert.check) } }
    }

    /// Counts tags, which must not include duplicates.
    mutating func count(_ tags: [TagOccurrence]) {
        snapshot.tagCount += UInt64(tags.count)
        for tag in tags {
            switch tag.tag.kind {
            case .data: tagCounts.data += 1
            case .info: tagCounts.info += 1
            case .unknown, nil: tagCounts.unknown += 1
            }
        }
    }

    /// Counts the media time between two DATA tags.
    mutating func observe(spacing seconds: Double) {
        snapshot.spacing = seconds
        spacing.observe(seconds)
    }

    /// Copies the state of the health.
    mutating func observe(_ health: ChannelHealth) {
        snapshot.state = health.state
        snapshot.isSilent = health.isSilent
        snapshot.lastDataTagTime = health.lastTagTime?.unixMilliseconds
        snapshot.stateTime = health.stateSince.unixMilliseconds
        snapshot.alertCount = health.openAlertCount
        snapshot.backup = health.backupUse.map { .init(since: $0.since.unixMilliseconds, reason: $0.reason) }
    }

    /// Counts a finding of a check.
    mutating func count(_ check: CheckID) {
        snapshot.problemCount += 1
        findingCounts[check, default: 0] += 1
    }

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
