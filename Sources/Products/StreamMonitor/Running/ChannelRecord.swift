import HLSInput
import HLSPlaylist
import NielsenID3
import Reporting
import StreamHealth

/// What is known of a channel while it is followed.
struct ChannelRecord: Sendable {
    var health: ChannelHealth
    var snapshot: ChannelSnapshot
    /// What no text about the channel may say; the health knows names as they are, with signed queries.
    let redaction: Redaction
    /// The newest tags; nil until those of before a restart are read.
    var recent: RecentTags?
    var counters = ChannelCounters()
    /// What it uses of what all channels share.
    var use: ChannelUse
    /// How many of its renditions may be followed.
    var maximumRenditionCount = 1
    /// How the primary is, and which of its playlists are followed.
    var primary = SourceCondition()
    private(set) var primaryPlaces: [LiveRenditionPlace] = []
    /// What they are called.
    var primaryNames: [String?] { primaryPlaces.map(\.name) }
    /// Whether nothing that is still under way counts any more.
    var isRetired = false
    /// Whether the backup is read because the primary fails.
    var isBackupRead = false
    /// The last tags that were no copies, the newest last.
    private(set) var lastTags: [ReadTag] = []
    /// How many of the last tags are kept.
    private static let maximumLastTagCount = 10

    /// A tag, and when it was read.
    struct ReadTag: Sendable {
        /// When it was read, in Unix milliseconds.
        let time: Int64
        /// The tag.
        let tag: TagOccurrence
    }

    /// What is drawn of each rendition, by its index.
    private(set) var tracks: [Int: LiveTrack] = [:]
    /// How many renditions are drawn at most.
    private static let maximumTrackCount = 4

    /// The media time of the last DATA tag in each rendition.
    private var lastSeconds: [Int: Double] = [:]

    init(health: ChannelHealth, snapshot: ChannelSnapshot, redaction: Redaction) {
        self.health = health
        use = ChannelUse(health.policy)
        self.redaction = redaction
        self.snapshot = snapshot
        self.snapshot.stateTime = Self.milliseconds(health.stateSince)
    }

    private static func milliseconds(_ seconds: Double) -> Int64 {
        Int64(exactly: (seconds * 1_000).rounded()) ?? 0
    }

    /// What happened since the last call, without secrets; the snapshot has it then.
    mutating func drainEvents() -> [ChannelEvent] {
        let events = health.drainEvents().map { event -> ChannelEvent in
            counters.count(event)
            switch event {
            case .state(let from, let to, let reason):
                snapshot.reason = redaction.text(reason)
                return .state(from: from, to: to, reason: snapshot.reason)
            case .finding(let check, let finding):
                snapshot.problemCount += 1
                for index in tracks.keys { tracks[index]?.mark(check, finding) }
                return .finding(check, redaction.finding(finding))
            case .alert(let action, let alert): return .alert(action, redaction.alert(alert))
            }
        }
        snapshot.state = health.state
        snapshot.stateTime = Self.milliseconds(health.stateSince)
        snapshot.alertCount = health.openAlerts.count
        return events
    }

    /// Begins to follow playlists of the primary or the backup.
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

    /// Takes a load of a rendition's playlist.
    mutating func observe(_ load: LivePlaylistLoad, of rendition: Int) {
        guard !ChannelSource.isOfBackup(rendition) else { return }
        let isStale = load.update.events.contains { if case .stale = $0 { true } else { false } }
        primary.observeLoad(of: rendition, isFailure: load.failure != nil, isStale: isStale)
    }

    /// Counts a segment by what came of it.
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

    /// Draws a segment and its tags.
    mutating func draw(
        _ live: LiveSegmentReading, tags: [TagOccurrence], rendition: Int, clockGoesOn: Bool,
        behindLive: Double, at wallTime: Double
    ) {
        guard tracks[rendition] != nil || tracks.count < Self.maximumTrackCount else { return }
        // Taken out while it is changed: otherwise it would be copied.
        let name = health.renditionName(of: rendition)
        var track = tracks.removeValue(forKey: rendition) ?? LiveTrack(name: name, policy: health.policy)
        // A session may give it another.
        track.name = name
        track.append(
            live.reading.observation.segment, tags: tags, clockGoesOn: clockGoesOn, behindLive: behindLive,
            at: wallTime)
        tracks[rendition] = track
    }

    /// Counts the tags of a segment, of which those in `new` are no copies; where its clock does not go on from the
    /// segment before, no spacing is measured over that.
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
