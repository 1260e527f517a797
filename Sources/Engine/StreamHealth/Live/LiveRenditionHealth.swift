package import ID3v2
import NielsenID3

/// The health of one rendition of a live channel: its tags, and the number of them in a window.
struct LiveRenditionHealth: Sendable {
    private let expectsTagsInBreaks: Bool
    private var health: RenditionHealth
    private var breaks: AdvertisementBreaks
    private var windowChecks: WindowChecks
    /// Whether no tags were expected in the last segment.
    private(set) var isExcused = false
    /// The position up to which it was read.
    private(set) var place = Finding.Place()
    /// The time of the last segment.
    private(set) var lastTime: SteadyTime
    /// The media sequence number of the last segment; nil without one.
    private var lastSequence: UInt64?
    /// The number of segment durations without a segment after which a discontinuity is the end of an outage.
    private static let outageLengths = 3.0

    init(policy: HealthPolicy, settings: ChannelHealthSettings, name: String?, at time: SteadyTime) {
        expectsTagsInBreaks = settings.expectsTagsInBreaks
        health = RenditionHealth(live: policy, rendition: name)
        windowChecks = WindowChecks(policy: policy)
        breaks = AdvertisementBreaks(maximumLength: settings.maximumBreakLength)
        lastTime = time
    }

    /// Records a segment and returns its tags without repeats.
    ///
    /// `due` is the time at which its tags were due. `isQuiet` is whether it is in quiet hours. `isSilent` is
    /// whether the absence of tags is already known. `delivered` is the times of the tags of other sources.
    mutating func observe(
        _ observation: SegmentObservation, due: WallTime, isQuiet: Bool, isSilent: Bool,
        delivered: [ClosedRange<UInt32>] = [], at time: SteadyTime
    ) -> [PlacedTag] {
        let elapsed = time - lastTime
        lastTime = time
        guard let segment = observation.segment else { return health.observe(observation, at: due) }
        let missing = missingSeconds(before: segment, after: elapsed)
        // A tag that started in the previous segment does not end a break.
        let hasTags = observation.tags.contains { $0.begins(in: segment) }
        let isInBreak = breaks.observe(segment, hasTags: hasTags, at: time)
        isExcused = isQuiet || (isInBreak && !expectsTagsInBreaks)
        if missing != nil { health.interrupt() }
        let tags = health.observe(observation, isInBreak: isExcused, delivered: delivered, at: due)
        place = Finding.Place(segment, at: segment.end, rendition: health.rendition)
        windowChecks.observe(tags, in: segment, missing: missing, isExcused: isExcused, isSilent: isSilent)
        return tags
    }

    /// Returns the seconds of media that are missing before a segment, or nil for none.
    ///
    /// They were removed from the playlist before they were listed, as the media sequence shows, or were never made
    /// during an outage of the packager. The time since the last segment shows their duration.
    private mutating func missingSeconds(before segment: ObservedSegment, after elapsed: Double) -> Double? {
        defer { lastSequence = segment.mediaSequence }
        guard let lastSequence, let sequence = segment.mediaSequence, !segment.isContinuation else {
            return nil
        }
        let isOutage = segment.isDiscontinuity && elapsed > Self.outageLengths * segment.length
        guard sequence != lastSequence &+ 1 || isOutage else { return nil }
        return max(0, elapsed - segment.length)
    }

    /// The results of the window checks for the last segment.
    var windows: [CheckID: CheckResult] { windowChecks.results }

    /// Returns whether a break excuses missing tags at a time.
    func isExcused(at time: SteadyTime) -> Bool { !expectsTagsInBreaks && breaks.isExcused(at: time) }

    /// Returns the findings since the last call.
    mutating func drainFindings() -> [(check: CheckID, finding: Finding)] { health.drainSettled() }

    /// The checks with an ongoing violation that is not reported again.
    var ongoingViolations: Set<CheckID> { health.ongoingViolations }

    /// The tag counts without repeats.
    var tags: HealthVerdict.TagCounts { health.tags }
    /// The rendition's own check counts.
    var ledger: CheckLedger { health.ledger }
}

/// The health of the renditions of a live channel that were read.
struct LiveRenditions: Sendable {
    /// The maximum number of renditions checked.
    private static let maximumCount = 16

    /// The number of seconds after its last segment during which a rendition counts as followed.
    private let window: Double
    private var renditions: [RenditionID: LiveRenditionHealth] = [:]

    init(window: Double) { self.window = window }

    /// Whether nothing has been read yet.
    var isEmpty: Bool { renditions.isEmpty }

    /// All renditions.
    var all: some Collection<LiveRenditionHealth> { renditions.values }

    /// The position up to which the rendition with the last segment was read.
    var lastPlace: Finding.Place {
        renditions.values.max { $0.lastTime < $1.lastTime }?.place ?? Finding.Place()
    }

    /// Returns a rendition, or nil if it was not read.
    subscript(id: RenditionID) -> LiveRenditionHealth? { renditions[id] }

    /// Returns the renditions that are still read.
    func followed(at time: SteadyTime) -> [LiveRenditionHealth] {
        renditions.values.filter { time - $0.lastTime <= window }
    }

    /// Returns the identities of the renditions that are still read.
    func followedIDs(at time: SteadyTime) -> Set<RenditionID> {
        Set(renditions.filter { time - $0.value.lastTime <= window }.keys)
    }

    /// Removes and returns a rendition.
    mutating func remove(_ id: RenditionID) -> LiveRenditionHealth? { renditions.removeValue(forKey: id) }

    /// Inserts a rendition, and returns the one that it displaces because there are too many.
    mutating func insert(_ rendition: LiveRenditionHealth, as id: RenditionID) -> LiveRenditionHealth? {
        var displaced: LiveRenditionHealth?
        if renditions.count >= Self.maximumCount,
            let oldest = renditions.min(by: { $0.value.lastTime < $1.value.lastTime })
        {
            displaced = renditions.removeValue(forKey: oldest.key)
        }
        renditions[id] = rendition
        return displaced
    }
}

/// The times of the DATA tags of each source of a live channel, as ranges without a gap.
///
/// A tag that one source did not deliver is not missing if another one did.
struct TagCoverage: Sendable {
    /// The maximum number of ranges of a source.
    private static let capacity = 16

    private var ranges: [RenditionID.Source: [ClosedRange<UInt32>]] = [:]

    /// Adds the times of a DATA tag of a source.
    mutating func add(_ tag: TagOccurrence, of source: RenditionID.Source, policy: HealthPolicy) {
        guard let times = DataTimes(tag), times.first <= times.last else { return }
        var known = ranges.removeValue(forKey: source) ?? []
        defer { ranges[source] = known }
        if let last = known.last, times.last >= last.lowerBound,
            Double(times.first) - Double(last.upperBound) <= policy[.gap]
        {
            let bounds = (min(last.lowerBound, times.first), max(last.upperBound, times.last))
            known[known.count - 1] = bounds.0...bounds.1
            return
        }
        known.append(times.first...times.last)
        if known.count > Self.capacity { known.removeFirst() }
    }

    /// Returns the ranges of the other sources.
    func ranges(besides source: RenditionID.Source) -> [ClosedRange<UInt32>] {
        ranges.lazy.filter { $0.key != source }.flatMap(\.value)
    }
}

/// The settings of one live channel that apply in addition to the limits of its checks.
package struct ChannelHealthSettings: Sendable {
    /// Whether tags are also expected in advertisement breaks.
    package var expectsTagsInBreaks = false
    /// The longest break without tags that is accepted, in seconds; after that, silence counts again.
    package var maximumBreakLength = 600.0
    /// Whether the channel has a backup.
    package var hasBackup = false
    /// The time of day in which no tags are expected; nil for none.
    package var quietHours: QuietHours?
    /// The muted checks.
    package var muted = MutedChecks()
    /// Converts a time to the minute of the day, 0 to 1439, in the channel's time zone; UTC by default.
    package var minuteOfDay: @Sendable (WallTime) -> Int = ChannelHealthSettings.minuteOfDayInUTC
    /// The number of seconds after a finding during which the channel counts as degraded.
    package var window = 60.0

    /// Creates the default settings of a channel.
    package init() {}

    private static func minuteOfDayInUTC(_ time: WallTime) -> Int {
        guard let minutes = Int(exactly: (time.unixSeconds / 60).rounded(.down)) else { return 0 }
        return (minutes % 1_440 + 1_440) % 1_440
    }

    /// Returns whether a time is within the quiet hours.
    func isQuiet(at time: WallTime) -> Bool {
        quietHours?.contains(minute: minuteOfDay(time)) ?? false
    }
}

/// Detects the segments of a live rendition that belong to an advertisement break, where tags may be missing.
///
/// The playlist marks a signaled break. A break that is stitched in without a signal starts at a discontinuity whose
/// clock does not continue. It ends at the first tag, or when the clock continues across the next discontinuity.
struct AdvertisementBreaks: Sendable {
    /// The maximum distance between a segment's media time and the end of the previous one for a continuing clock, in
    /// seconds.
    private static let tolerance = 1.0

    private let maximumLength: Double
    /// Whether the last segment read belongs to a break of any length.
    private var isOn = false
    private var isStitched = false
    /// The start of the break, by the steady clock and in seconds of media.
    private var start: (time: SteadyTime, position: Double)?
    private var last: (media: MediaTimestamp, position: Double)?
    /// Whether a discontinuity separates `last` from the next segment.
    private var isAfterDiscontinuity = false

    init(maximumLength: Double) { self.maximumLength = maximumLength }

    /// Records the next segment and returns whether tags may be missing in it.
    mutating func observe(_ segment: ObservedSegment, hasTags: Bool, at time: SteadyTime) -> Bool {
        if segment.isDiscontinuity { isAfterDiscontinuity = true }
        // The clock of an unread segment is unknown.
        if let media = segment.facts?.earliestMediaTime {
            if isAfterDiscontinuity { isStitched = !continues(media, at: segment.position) }
            isAfterDiscontinuity = false
            last = (media, segment.position)
        }
        if hasTags { isStitched = false }
        isOn = segment.isInBreak || isStitched
        if !isOn {
            start = nil
        } else if start == nil {
            start = (time, segment.position)
        }
        guard let start, isOn else { return false }
        return segment.position - start.position < maximumLength
    }

    /// Returns whether no tags are expected at a time.
    func isExcused(at time: SteadyTime) -> Bool {
        guard isOn, let start else { return false }
        return time - start.time < maximumLength
    }

    private func continues(_ media: MediaTimestamp, at position: Double) -> Bool {
        guard let last else { return true }
        let drift = MediaDistance.seconds(from: last.media, to: media) - (position - last.position)
        return drift.magnitude <= Self.tolerance
    }
}
