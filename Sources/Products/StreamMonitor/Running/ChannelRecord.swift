import HLSInput
import HLSPlaylist
import HostSystem
import NielsenID3
import Reporting
import StreamHealth

/// The state and history of a channel while it is followed.
struct ChannelRecord: Sendable {
    var health: ChannelHealth
    /// The rules that raise and clear the channel's alerts.
    private(set) var rules: AlertRules
    private var quota: AlertQuota
    var snapshot: ChannelSnapshot
    /// Removes the channel's secrets from texts; `health` uses the original names, including signed queries.
    let redaction: Redaction
    /// The newest tags; nil until the ones from before a restart are loaded.
    var recent: RecentTags?
    var counters = ChannelCounters()
    /// The channel's use of rate limits.
    var use: ChannelUse
    /// The maximum number of renditions that may be followed.
    var maximumRenditionCount = 1
    /// The condition of the primary, and the playlists of it that are followed.
    var primary = SourceCondition()
    private(set) var primaryPlaces: [LiveRenditionPlace] = []
    /// The names of the followed renditions of the primary.
    var primaryNames: [String?] { primaryPlaces.map(\.name) }
    /// Whether another runner has taken over the channel, so that late results are ignored.
    var isRetired = false
    /// Whether the backup is read because the primary is failing.
    var isBackupRead = false
    /// The last tags without duplicates, newest last.
    private(set) var lastTags: [ReadTag] = []
    /// The maximum number of last tags.
    private static let maximumLastTagCount = 10

    /// A tag with the time when it was read.
    struct ReadTag: Sendable {
        /// The time in Unix milliseconds.
        let time: Int64
        /// The tag.
        let tag: TagOccurrence
    }

    /// The plots of the renditions, by rendition index.
    private(set) var tracks: [Int: LiveTrack] = [:]
    /// The maximum number of renditions with a plot.
    private static let maximumTrackCount = 4

    /// The media time of the last DATA tag in each rendition.
    private var lastSeconds: [Int: Double] = [:]

    /// Creates the record of a channel that is followed from `time`, in Unix seconds.
    ///
    /// - Parameter openAlerts: The alerts that were open when the channel was last followed.
    init(_ settings: ChannelSettings, openAlerts: [Alert] = [], at time: Double) {
        var healthSettings = ChannelHealthSettings()
        healthSettings.expectsTagsInBreaks = settings.expectsTagsInBreaks
        healthSettings.quietHours = settings.quiet
        healthSettings.minuteOfDay = { LocalTime.minuteOfDay(unixSeconds: $0) }
        health = ChannelHealth(
            policy: settings.policy, settings: healthSettings,
            violations: openAlerts.map {
                ChannelViolation(check: $0.check, severity: $0.severity, detail: $0.detail)
            }, at: time)
        rules = AlertRules(
            channel: settings.id, settings: AlertRules.Settings(settings.policy), open: openAlerts, at: time)
        quota = AlertQuota(settings.policy)
        use = ChannelUse(settings.policy)
        redaction = Redaction(settings)
        snapshot = ChannelSnapshot(id: settings.id, name: settings.name)
        snapshot.stateTime = Self.milliseconds(health.stateSince)
    }

    private static func milliseconds(_ seconds: Double) -> Int64 {
        Int64(exactly: (seconds * 1_000).rounded()) ?? 0
    }

    /// Handles the events of the health since the last call, and updates the snapshot.
    ///
    /// - Returns: The events to report, and the changes of alerts that may be published, all without secrets.
    mutating func drainEvents(at time: Duration) -> (events: [MonitorEvent.Kind], alerts: [AlertChange]) {
        let drained = takeEvents()
        var (events, passed) = (drained.events, quota.pass(drained.alerts, at: time))
        if passed.isExceeded {
            health.observe(
                .share(.alerts, maximum: health.policy.count(.channelAlerts)), at: health.now)
            let more = takeEvents()
            events += more.events
            passed.changes += quota.pass(more.alerts, at: time).changes
        }
        return (events, passed.changes)
    }

    private mutating func takeEvents() -> (events: [MonitorEvent.Kind], alerts: [AlertChange]) {
        var events: [MonitorEvent.Kind] = []
        var alerts: [AlertChange] = []
        for event in health.drainEvents() {
            switch event {
            case .state(let from, let to, let reason):
                snapshot.reason = redaction.text(reason)
                events.append(.state(from: from, to: to, reason: snapshot.reason))
            case .finding(let check, let finding):
                snapshot.problemCount += 1
                counters.count(check)
                for index in tracks.keys { tracks[index]?.mark(check, finding) }
                events.append(.finding(check, redaction.finding(finding)))
            case .violation, .ongoing, .dataTag, .advanced, .stopped:
                alerts += rules.observe(event, at: health.now, wallTimeOffset: health.wallTimeOffset)
            }
        }
        for change in alerts { counters.count(change.alert) }
        snapshot.state = health.state
        snapshot.stateTime = Self.milliseconds(health.stateSince)
        snapshot.alertCount = rules.openCount
        return (events, alerts.map(redaction.change))
    }

    /// Starts to follow playlists of the primary or the backup.
    mutating func begin(_ places: [LiveRenditionPlace], ofBackup isBackup: Bool) {
        health.setRenditions(
            places.map { place in
                ChannelRendition(
                    index: place.index, name: Self.name(of: place, ofBackup: isBackup), audio: place.audio,
                    isComparable: place.isComparable)
            }, ofBackup: isBackup)
        guard !isBackup else { return }
        let names = primaryNames
        primaryPlaces = places
        if !names.isEmpty, names != primaryNames {
            lastSeconds = [:]
        }
        primary.observeOpening(isFailure: false)
    }

    private static func name(of place: LiveRenditionPlace, ofBackup isBackup: Bool) -> String? {
        guard isBackup else { return place.uri }
        return place.uri.map { "backup: \($0)" } ?? "backup"
    }

    /// Updates the condition of the primary after a playlist load.
    mutating func observe(_ load: LivePlaylistLoad, of rendition: Int) {
        guard !ChannelSource.isOfBackup(rendition) else { return }
        let isStale = load.update.events.contains { if case .stale = $0 { true } else { false } }
        primary.observeLoad(of: rendition, isFailure: load.failure != nil, isStale: isStale)
    }

    /// Counts a segment by its outcome.
    mutating func count(_ live: LiveSegmentReading, isGap: Bool, rendition: Int) {
        if !ChannelSource.isOfBackup(rendition), !isGap {
            var isFailure = false
            if case .failed = live.reading.outcome { isFailure = true }
            primary.observeSegment(of: rendition, isFailure: isFailure)
        }
        counters.segmentByteCount += live.byteCount
        if isGap {
            counters.skippedSegmentCount += 1
        } else if case .failed = live.reading.outcome {
            snapshot.failedSegmentCount += 1
        } else {
            snapshot.segmentCount += 1
        }
    }

    /// Adds a segment and its tags to the plot of the rendition.
    mutating func draw(
        _ live: LiveSegmentReading, rendition: Int, clockGoesOn: Bool, behindLive: Double,
        at wallTime: Double
    ) {
        guard tracks[rendition] != nil || tracks.count < Self.maximumTrackCount else { return }
        // Take the track out of the dictionary to avoid a copy.
        let name = health.renditionName(of: rendition)
        var track = tracks.removeValue(forKey: rendition) ?? LiveTrack(name: name)
        // The name changes if the playlists are opened again under other addresses.
        track.name = name
        track.append(
            live.reading.observation.segment, tags: live.reading.tags, clockGoesOn: clockGoesOn,
            behindLive: behindLive, at: wallTime)
        tracks[rendition] = track
    }

    /// Counts the tags of a segment; `new` are those that are not duplicates.
    ///
    /// If `clockGoesOn` is false, the media clock is not continuous with the segment before, so no spacing is measured
    /// across the boundary.
    mutating func count(
        _ tags: [TagOccurrence], new: [TagOccurrence], rendition: Int, clockGoesOn: Bool, at wallTime: Double
    ) {
        if !clockGoesOn { lastSeconds[rendition] = nil }
        snapshot.tagCount += UInt64(new.count)
        counters.count(new)
        guard !tags.isEmpty else { return }
        let time = Self.milliseconds(wallTime)
        snapshot.lastTagTime = time
        lastTags += new.map { ReadTag(time: time, tag: $0) }
        lastTags.removeFirst(max(0, lastTags.count - Self.maximumLastTagCount))
        for tag in tags where tag.tag.kind == .data {
            guard let seconds = tag.seconds else { continue }
            if let last = lastSeconds[rendition], seconds > last {
                snapshot.spacing = seconds - last
                counters.observe(spacing: seconds - last)
            }
            lastSeconds[rendition] = seconds
        }
    }
}
