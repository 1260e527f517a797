import HLSInput
import HostSystem
import ID3v2
import NielsenID3
import Reporting
import StreamHealth
import TagRecord

/// The health of a channel, with the counters and the recent history that follow from it.
struct ChannelRecord: Sendable {
    var health: ChannelHealth
    /// The state and the counters.
    var metrics: ChannelMetrics
    /// The last tags without duplicates with the times at which they were read, newest last.
    private(set) var lastTags: [(time: WallTime, tag: TagOccurrence)] = []
    /// The maximum number of last tags.
    private static let maximumLastTagCount = 10
    /// The plots of the renditions.
    private(set) var tracks: [RenditionID: LiveTrack] = [:]
    /// The maximum number of renditions with a plot.
    private static let maximumTrackCount = 4
    /// The media time of the last DATA tag in each rendition.
    private var lastSeconds: [RenditionID: Double] = [:]
    /// Whether another runner has taken over the channel, so that late results are ignored.
    var isRetired = false
    private let scope: Alert.Scope
    private var periods: ChannelPeriods

    /// Creates the record of a channel that is followed from a moment.
    ///
    /// - Parameters:
    ///   - monitor: The id of the buffer, for records of breaks and outages.
    ///   - memory: The episodes that were open, and the findings known, when the channel was last followed.
    init(
        _ settings: ChannelSettings, monitor: String = "",
        memory: (open: [Episode], findings: [FindingGroup]) = ([], []),
        at moment: ClockMoment
    ) {
        metrics = ChannelMetrics(settings)
        periods = ChannelPeriods(channel: settings.id, monitor: monitor)
        var healthSettings = ChannelHealthSettings()
        healthSettings.expectsTagsInBreaks = settings.expectsTagsInBreaks
        healthSettings.hasBackup = settings.backup != nil
        healthSettings.quietHours = settings.quiet
        healthSettings.muted = metrics.muted
        healthSettings.minuteOfDay = { SystemClock.minuteOfDay(unixSeconds: $0.unixSeconds) }
        health = ChannelHealth(
            policy: settings.policy, settings: healthSettings, open: memory.open, findings: memory.findings,
            at: moment)
        // Until the monitor has compared its clock with the tags of all channels.
        health.expect(.monitorClock, true)
        scope = .channel(settings.id)
        metrics.observe(health)
    }

    // MARK: Segments

    /// Measures no spacing across this point, because other renditions are followed.
    mutating func restartSpacing() { lastSeconds = [:] }

    /// Counts a segment, and adds it and its tags to the plot of the rendition.
    mutating func observe(_ read: ReadSegment) {
        metrics.observe(read)
        let rendition = read.rendition
        guard tracks[rendition] != nil || tracks.count < Self.maximumTrackCount else { return }
        let name = health.renditionName(of: rendition)
        // Take the track out of the dictionary to avoid a copy.
        var track = tracks.removeValue(forKey: rendition) ?? LiveTrack(name: name)
        // The name changes if the playlists are opened again under other addresses.
        track.name = name
        let observation = read.live.reading.observation
        track.append(
            observation.segment, tags: observation.tags + observation.trailingTags,
            clockGoesOn: read.isClockContinuous, behindLive: read.behindLive, at: read.wallTime)
        tracks[rendition] = track
    }

    /// Counts the tags of a segment that was just read; `new` are those that are not duplicates.
    mutating func countTags(_ new: [TagOccurrence], of read: ReadSegment, at reading: ClockReading) {
        let rendition = read.rendition
        if !read.isClockContinuous { lastSeconds[rendition] = nil }
        metrics.count(new)
        guard !read.tags.isEmpty else { return }
        metrics.snapshot.lastTagTime = read.wallTime.unixMilliseconds
        lastTags += new.map { (read.wallTime, $0) }
        lastTags.removeFirst(max(0, lastTags.count - Self.maximumLastTagCount))
        if let time = new.last(where: { $0.validKind == .data })?.tag.lastTime {
            metrics.snapshot.tagTime = .init(live: Double(time) + read.behindLive, reading: reading)
        }
        for tag in read.tags where tag.tag.kind == .data {
            guard let seconds = tag.seconds else { continue }
            if let last = lastSeconds[rendition], seconds > last { metrics.observe(spacing: seconds - last) }
            lastSeconds[rendition] = seconds
        }
    }

    /// Returns the periods for reports that have ended.
    ///
    /// - Parameter isEnd: Whether the channel is not followed any more.
    mutating func takePeriods(isEnd: Bool = false) -> [ChannelPeriod] {
        periods.observe(&health, name: metrics.snapshot.name, isEnd: isEnd)
    }

    // MARK: Views

    /// Handles the events of the health since the last call, and updates the metrics and the plots.
    ///
    /// - Returns: The events to report, the notes to write, and the changes of alerts that may be published.
    mutating func drain() -> (events: [MonitorEvent.Kind], notes: [String], alerts: [AlertChange]) {
        let (events, alerts) = health.drain()
        for case .finding(let check, let finding) in events {
            metrics.count(check)
            if let rendition = finding.place.renditionID { tracks[rendition]?.mark(check, finding) }
        }
        for change in alerts { metrics.count(alertOf: change.check) }
        metrics.observe(health)
        return (
            events.compactMap(MonitorEvent.Kind.init), events.compactMap(\.note),
            alerts.map { AlertChange($0, of: scope) }
        )
    }

    /// The open alerts, oldest first.
    var openAlerts: [Alert] { health.openAlerts.map { Alert($0, of: scope) } }

    /// The state and the counters with the open alerts.
    var currentMetrics: ChannelMetrics {
        var current = metrics
        current.alerts = health.openAlerts
        return current
    }

    /// The current state with its reason.
    var snapshot: ChannelSnapshot {
        var snapshot = metrics.snapshot
        snapshot.reason = health.reason
        return snapshot
    }
}

extension ChannelMetrics {
    /// Counts a segment that was read or given up.
    fileprivate mutating func observe(_ read: ReadSegment) {
        segmentByteCount += read.live.byteCount
        if read.isGap {
            skippedSegmentCount += 1
        } else if read.live.failure != nil {
            snapshot.failedSegmentCount += 1
        } else {
            snapshot.segmentCount += 1
        }
        snapshot.secondsBehindLive = read.behindLive
    }
}

extension MonitorEvent.Kind {
    /// Creates the event of a channel; nil for one that is a note.
    fileprivate init?(_ event: ChannelEvent) {
        switch event {
        case .state(let from, let to, let reason): self = .state(from: from, to: to, reason: reason)
        case .finding(let check, let finding): self = .finding(check, finding)
        case .backup: return nil
        }
    }
}

extension ChannelEvent {
    /// The note about the event; nil for one that is reported otherwise.
    fileprivate var note: String? {
        guard case .backup(let use) = self else { return nil }
        return use ?? "on the primary again"
    }
}
