package import ID3v2
import NielsenID3

/// The health of one rendition of a live channel: its tags, and their presence in a window of its media.
struct LiveRenditionHealth: Sendable {
    /// The checks of the window, which are evaluated after each segment.
    static let windowChecks: [CheckID] = [.ownerPresent, .tagCount, .infoLate]

    private let policy: HealthPolicy
    private let expectsTagsInBreaks: Bool
    private var health: RenditionHealth
    private var breaks: AdvertisementBreaks
    /// The times of the breaks in which no tags are expected.
    var breakTimes = BreakTimes()
    private var ownerPresent = OwnerPresent()
    private var tagCount = TagCount()
    private var infoLate = InfoLate()
    /// The duration of the media that was not read since the last segment that was, in seconds.
    private var gap = 0.0
    /// The results of the window after the last segment that was read; a check that was not run has none.
    private(set) var windows: [CheckID: CheckResult] = [:]
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
        self.policy = policy
        expectsTagsInBreaks = settings.expectsTagsInBreaks
        health = RenditionHealth(live: policy, rendition: name)
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
        breakTimes.observe(segment, isInBreak: isInBreak && !expectsTagsInBreaks, tags: tags, due: due)
        place = Finding.Place(segment, at: segment.end, rendition: health.rendition)
        checkWindow(tags, in: segment, missing: missing, isSilent: isSilent)
        return tags
    }

    private mutating func checkWindow(
        _ tags: [PlacedTag], in segment: ObservedSegment, missing: Double?, isSilent: Bool
    ) {
        let hasInfo = tags.contains { $0.occurrence.validKind == .info }
        if !tags.isEmpty { ownerPresent.observeTag() }
        guard !isExcused else {
            windows = [:]
            ownerPresent.restart()
            tagCount.restart()
            infoLate.restart()
            gap = 0
            return
        }
        if let missing { skip([], in: missing) }
        // A segment that was not read changes no result: a violation is neither over nor a finding again.
        guard segment.facts != nil else {
            skip(tags, in: segment.length)
            if hasInfo { infoLate.observeInfo() }
            return
        }
        windows = [:]
        gap = 0
        let owner = ownerPresent.check(after: segment.length, policy: policy)
        if owner != .notRun { windows[.ownerPresent] = owner }
        guard !owner.isViolation else { return }
        // A reported silence covers the tags missing within it.
        guard !isSilent || !tags.isEmpty else {
            infoLate.restart()
            return
        }
        windows[.tagCount] = tagCount.check(tags, in: segment.length, policy: policy)
        windows[.infoLate] = infoLate.check(after: segment.length, hasInfo: hasInfo, policy: policy)
        if segment.isReadInPart {
            infoLate.skip(UnreadMedia(readSeconds: segment.length), policy: policy)
        }
    }

    /// Records media that was not read, with the tags that were found in it.
    private mutating func skip(_ tags: [PlacedTag], in seconds: Double) {
        gap += seconds
        infoLate.skip(UnreadMedia(seconds: gap), policy: policy)
        tagCount.skip(tags, in: seconds)
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

    /// Returns whether a break excuses missing tags at a time.
    func isExcused(at time: SteadyTime) -> Bool { !expectsTagsInBreaks && breaks.isExcused(at: time) }

    /// Returns the findings since the last call.
    mutating func drainFindings() -> [(check: CheckID, finding: Finding)] { health.drainSettled() }

    /// The tag counts without repeats.
    var tags: HealthVerdict.TagCounts { health.tags }
    /// The rendition's own check counts.
    var ledger: CheckLedger { health.ledger }
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
        let drift = last.media.distance(to: media) - (position - last.position)
        return drift.magnitude <= Self.tolerance
    }
}
