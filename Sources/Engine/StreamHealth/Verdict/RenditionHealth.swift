import ID3v2
import NielsenID3

/// The health of one rendition, checked in reading order by every check except those of presence and between
/// renditions.
///
/// Memory is bounded for any input: counts are complete, and only the first findings are kept.
struct RenditionHealth: Sendable {
    /// The media playlist's URI as written in its multivariant playlist; nil without one.
    let rendition: String?
    /// The tag counts without repeats.
    private(set) var tags = HealthVerdict.TagCounts()
    /// Seconds of media read.
    private(set) var duration = 0.0
    /// The number of observed segments, including those that could not be read.
    private(set) var segmentCount = 0
    /// The number of segments that could not be read.
    private(set) var failedSegmentCount = 0
    /// Seconds of media that could not be read.
    private(set) var unreadDuration = 0.0
    /// The media in which tags may have been lost up to the end of the last segment; nil if that was read completely.
    private(set) var lostMedia: UnreadMedia?
    private(set) var ledger: CheckLedger

    private let policy: HealthPolicy
    /// Whether it belongs to a live channel, which has no end and no continuity checks across advertisement breaks.
    private let isLive: Bool
    private var tagChecks = CheckRegistry.checks(on: .tag)
    private var arrivalChecks = CheckRegistry.checks(on: .arrival)
    private var segmentChecks = CheckRegistry.checks(on: .segment)
    private var stretch = StreamStretch()
    private var repeats = RepeatHistory()
    private var window = ReorderWindow()
    private var runs = InserterRuns()
    private var tagIndex = 0
    /// The previous segment, with its last media time.
    private var last: (name: String?, end: MediaTimestamp)?
    /// Whether PTS went back to the segment, so that its content may repeat.
    private var goesBack = false
    /// Whether the newest tags are those of earlier content, which was reported.
    private var isReplay = false
    /// The distance of the previous tag from its last occurrence, in seconds; nil if it was new.
    private var lastRepeat: Double?
    /// The last time of the newest DATA tag.
    private var newestTime: UInt32?
    private var isInBreak = false
    private var followsBreak = false
    /// The segments since the last DATA tag that could not be read, or only in part.
    private var unreadSegments: Finding.UnreadSegments?
    /// Whether media since the last DATA tag was not read.
    private var isInterrupted = false
    /// The times of the tags of the other sources of a live channel.
    private var delivered: [ClosedRange<UInt32>] = []

    /// Creates the health of a rendition of a recording.
    ///
    /// Set `listsSettledFindings` only when calling `drainSettled` after each segment: nothing else empties the list.
    init(policy: HealthPolicy, rendition: String?, listsSettledFindings: Bool) {
        self.init(policy, rendition, isLive: false, listsSettledFindings: listsSettledFindings)
    }

    /// Creates the health of a rendition of a live channel, which lists settled findings but does not keep them.
    ///
    /// A violation within a segment is reported again for each segment. Continuity between tags is not checked across
    /// segments in a break.
    init(live policy: HealthPolicy, rendition: String?) {
        self.init(policy, rendition, isLive: true, listsSettledFindings: true)
    }

    private init(_ policy: HealthPolicy, _ rendition: String?, isLive: Bool, listsSettledFindings: Bool) {
        self.policy = policy
        self.isLive = isLive
        self.rendition = rendition
        ledger = CheckLedger(
            policy: policy, keepsFindings: !isLive, listsSettledFindings: listsSettledFindings)
    }

    /// Checks the next segment in reading order and returns its tags without repeats.
    ///
    /// `isInBreak` is whether a live segment needs no tags. `delivered` is the times of the tags of the other sources
    /// of a live channel. `wallTime` is the time at which the tags of a live segment were due; nil for a recording.
    mutating func observe(
        _ observation: SegmentObservation, isInBreak: Bool = false, delivered: [ClosedRange<UInt32>] = [],
        at wallTime: WallTime? = nil
    ) -> [PlacedTag] {
        self.delivered = delivered
        var kept: [PlacedTag] = []
        if let segment = observation.segment {
            kept = check(segment, of: observation, isInBreak: isInBreak, at: wallTime)
        }
        return kept + checkedTags(observation.trailingTags[...], in: nil, at: wallTime)
    }

    /// Records that media before the next segment was not read.
    mutating func interrupt() { isInterrupted = true }

    /// Runs the final checks; nothing can be observed afterwards.
    mutating func finish() {
        restartClock()
        runs.end(&ledger)
    }

    /// Returns the findings settled since the last call, in order.
    ///
    /// A finding settles as soon as no later tag can change it; the last ones settle in `finish`.
    mutating func drainSettled() -> [(check: CheckID, finding: Finding)] { ledger.drainSettled() }
}

// MARK: - Reading order

extension RenditionHealth {
    private mutating func check(
        _ segment: ObservedSegment, of observation: SegmentObservation, isInBreak: Bool,
        at wallTime: WallTime?
    ) -> [PlacedTag] {
        // A tag that started in an earlier segment belongs to that segment.
        let tags = observation.tags
        let earlier = tags.prefix { !$0.begins(in: segment) }
        var kept = checkedTags(earlier, in: nil, at: wallTime)
        if !segment.isContinuation { segmentCount += 1 }
        observeOrder(of: segment)
        let beginsAnew = stretch.begins(with: segment)
        if beginsAnew { restartClock() }
        if segment.isDiscontinuity { runs.end(&ledger) }
        if isLive {
            segmentChecks = CheckRegistry.checks(on: .segment)
            self.isInBreak = isInBreak
            if isInBreak { followsBreak = true }
        }
        // Bytes may be missing before or after the tags of the segment.
        if segment.facts != nil { addUnread(segment) }
        let context = SegmentContext(segment, beginsAnew: beginsAnew)
        kept += checkedTags(tags[earlier.endIndex...], in: context, at: wallTime)
        self.tags.otherOwner += observation.otherTagCount
        let content = CheckedSegment(
            facts: segment.facts ?? CarriageFacts(), tags: kept,
            malformedOthers: observation.malformedOtherTags,
            place: Finding.Place(segment, at: segment.position, rendition: rendition))
        ledger.judge(.segment(content), by: &segmentChecks)
        if observation.otherTagCount > 0 { ledger.markRun(.id3Malformed) }
        if segment.facts == nil {
            failedSegmentCount += 1
            unreadDuration += segment.length
            lostMedia = UnreadMedia(seconds: (lostMedia?.seconds ?? 0) + segment.length)
        } else {
            duration += segment.length
            lostMedia = segment.isReadInPart ? UnreadMedia(readSeconds: segment.length) : nil
        }
        addUnread(segment)
        for tag in window.release(readTo: segment.end) { runs.observe(tag, &ledger) }
        return kept
    }

    /// Adds a segment that could not be read completely to the causes of a gap before the next tag.
    private mutating func addUnread(_ segment: ObservedSegment) {
        guard segment.facts == nil || segment.isReadInPart else { return }
        isInterrupted = true
        unreadSegments = .sum(unreadSegments, segment.name ?? "a segment", isPart: segment.isReadInPart)
    }

    private mutating func checkedTags(
        _ tags: ArraySlice<TagOccurrence>, in segment: SegmentContext?, at wallTime: WallTime?
    ) -> [PlacedTag] {
        var kept: [PlacedTag] = []
        for occurrence in tags {
            var tag = PlacedTag(occurrence, index: tagIndex, rendition: rendition)
            tag.followsBreak = followsBreak || isInterrupted && wasDeliveredElsewhere(before: occurrence)
            tag.place.unreadSegments = unreadSegments
            tagIndex += 1
            if let age = repeats.age(
                of: occurrence, stretch: stretch.number, segment: segmentCount, upTo: policy[.repeatAge])
            {
                reportRepeat(tag, age: age)
                continue
            }
            isReplay = false
            lastRepeat = nil
            if occurrence.validKind == .data { newestTime = occurrence.tag.lastTime }
            if occurrence.validKind == .data {
                if !isInBreak { followsBreak = false }
                unreadSegments = nil
                isInterrupted = false
            }
            kept.append(tag)
            self.tags.count(occurrence)
            ledger.judge(.tag(tag), by: &tagChecks)
            ledger.judge(.arrival(occurrence, segment, wallTime, tag.place), by: &arrivalChecks)
            let isInSync = !TimeAudioSync.check(occurrence, in: segment, by: policy).isViolation
            if window.isBehindJump(tag) { restartClock() }
            for ready in window.add(tag, isInSync: isInSync) { runs.observe(ready, &ledger) }
        }
        return kept
    }

    /// Returns whether another source had the tags between the newest DATA tag and this one.
    ///
    /// An INFO tag has no time: the other source must have continued.
    private func wasDeliveredElsewhere(before tag: TagOccurrence) -> Bool {
        guard let newestTime else { return false }
        let first = tag.validKind == .data ? tag.tag.firstTime : nil
        let (start, end) = (Double(newestTime), Double(first ?? newestTime))
        let limit = policy[.gap]
        return delivered.contains { range in
            Double(range.lowerBound) - limit <= start && Double(range.upperBound) > start
                && Double(range.upperBound) + limit >= end
        }
    }

    /// Reports a tag that repeats, or the first of the tags that repeat with their content.
    private mutating func reportRepeat(_ tag: PlacedTag, age: RepeatHistory.Age) {
        let before = "the same tag came \(SecondsText(age.seconds)) earlier"
        var isOlder = false
        if tag.occurrence.validKind == .data, let newestTime, let last = tag.occurrence.tag.lastTime {
            isOlder = last < newestTime
        }
        // A packager that puts a tag into two segments keeps its PTS. Of content, several tags come as much later.
        let isMoved = age.seconds > Self.samePTS
        let isAnother = isMoved && lastRepeat.map { ($0 - age.seconds).magnitude <= Self.samePTS } == true
        lastRepeat = age.seconds
        if isReplay { return }
        guard goesBack || age.isSameTimeAgain || isOlder && (age.isInSameSegment || isAnother) else {
            let isSentAgain = isOlder && isMoved || age.isInSameSegment
            let cause = isSentAgain ? "it was sent again" : "a packager put it into two segments"
            ledger.report(.sequenceStep, .warn, at: tag.place, "\(before): \(cause); it counts once")
            return
        }
        isReplay = true
        ledger.report(
            .timeOverlap, .warn, at: tag.place,
            "\(before): the content repeats; its tags count once (clock: tag)")
    }

    /// The maximum difference of times that count as the same, in seconds.
    private static let samePTS = 1.0

    /// Records whether PTS goes back to a segment, and reports it for the files of a folder.
    private mutating func observeOrder(of segment: ObservedSegment) {
        guard let facts = segment.facts, let first = facts.earliestMediaTime else { return }
        let previous = last
        last = (segment.name, facts.latestMediaTime ?? first)
        goesBack = false
        guard let previous, !segment.isDiscontinuity,
            let seconds = TimeOverlap.backwardSeconds(from: previous.end, to: first)
        else { return }
        goesBack = true
        guard segment.mediaSequence == nil, let name = segment.name, let earlier = previous.name else {
            return
        }
        ledger.report(
            .timeOverlap, .warn, at: Finding.Place(segment, at: segment.position, rendition: rendition),
            "PTS goes back by \(SecondsText(seconds)) between \(earlier) and \(name): segments of several "
                + "renditions, or content that repeats? (clock: pts)")
        isReplay = true
    }

    /// Releases the pending tags before the stream's clock restarts.
    private mutating func restartClock() {
        for tag in window.flush() { runs.observe(tag, &ledger) }
        runs.restartRate(&ledger)
    }
}

extension TagOccurrence {
    /// Returns whether the tag starts in the given segment.
    func begins(in segment: ObservedSegment) -> Bool {
        origin.place.segment == segment.name && origin.place.mediaSequence == segment.mediaSequence
    }
}

extension ObservedSegment {
    /// The duration in seconds; 0 if it is negative or not finite.
    var length: Double { duration.isFinite ? max(0, duration) : 0 }

    /// The position of its end, in seconds of media.
    var end: Double { position + length }
}

extension HealthVerdict.TagCounts {
    /// Counts a Nielsen tag by its kind.
    mutating func count(_ tag: TagOccurrence) {
        switch tag.tag.kind {
        case .data: data += 1
        case .info: info += 1
        case .unknown, nil: unknown += 1
        }
    }
}

/// Detects where the clock of a rendition restarts: at EXT-X-DISCONTINUITY, and where the PTS jumps.
///
/// A jump is a difference between the distance of two segments in media time and their distance in the playlist.
private struct StreamStretch: Sendable {
    /// The maximum deviation of media time from the playlist between two segments, in seconds.
    private static let tolerance = 10.0

    /// The number of the current stretch, counted from 0.
    private(set) var number = 0
    private var last: (media: MediaTimestamp, position: Double)?

    /// Records a segment and returns whether it starts a new stretch.
    mutating func begins(with segment: ObservedSegment) -> Bool {
        let media = segment.facts?.earliestMediaTime
        defer { if let media { last = (media, segment.position) } }
        guard let last else { return segment.isDiscontinuity && advance() }
        if segment.isDiscontinuity { return advance() }
        guard let media else { return false }
        let drift = last.media.distance(to: media) - (segment.position - last.position)
        return drift.magnitude > Self.tolerance && advance()
    }

    private mutating func advance() -> Bool {
        number += 1
        return true
    }
}
