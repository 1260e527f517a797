import ID3v2
import NielsenID3

/// The health of one rendition, checked in reading order by every check except those between renditions, and those of
/// presence in a recording.
///
/// A live rendition has no end; the presence of its tags is checked in a window of its media.
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
    /// Whether no tags were expected in the last segment, as in a break.
    private(set) var isExcused = false
    private var followsBreak = false
    /// The segments since the last DATA tag that could not be read, or only in part.
    private var unreadSegments: Finding.UnreadSegments?
    /// Whether media since the last DATA tag was not read.
    private var isInterrupted = false
    /// The position up to which it was read.
    private(set) var place = Finding.Place()

    // Of a live rendition.

    /// The times of the tags of the other sources.
    private var delivered: [ClosedRange<UInt32>] = []
    /// The time of the last segment.
    private(set) var lastTime: SteadyTime
    /// The media sequence number of the last segment; nil without one.
    private var lastSequence: UInt64?
    var breaks: AdvertisementBreaks
    private var ownerPresent = OwnerPresent()
    private var tagCount = TagCount()
    private var infoLate = InfoLate()
    /// The results of the window after the last segment that was read; a check that was not run has none.
    private(set) var windows: [CheckID: CheckResult] = [:]

    /// Creates the health of a rendition.
    ///
    /// Of a live one, findings are not kept, and a violation within a segment is reported again for each segment.
    /// Continuity between tags is not checked across segments in a break.
    ///
    /// - Parameters:
    ///   - settings: The settings of the live channel, which is followed from `time` on; nil for a recording.
    ///   - listsSettledFindings: Whether `drainSettled` is called after each segment: nothing else empties the list.
    init(
        policy: HealthPolicy, rendition: String?, live settings: ChannelHealthSettings? = nil,
        listsSettledFindings: Bool, at time: SteadyTime = SteadyTime(seconds: 0)
    ) {
        self.policy = policy
        self.rendition = rendition
        isLive = settings != nil
        breaks = AdvertisementBreaks(settings ?? ChannelHealthSettings())
        lastTime = time
        ledger = CheckLedger(
            policy: policy, keepsFindings: !isLive, listsSettledFindings: listsSettledFindings)
    }

    /// Checks the next segment of a recording in reading order, and returns its tags without repeats.
    mutating func observe(_ observation: SegmentObservation) -> [PlacedTag] {
        check(observation, isExcused: false, at: nil)
    }

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
    /// Checks a segment; `wallTime` is the time at which the tags of a live one were due.
    private mutating func check(
        _ observation: SegmentObservation, isExcused: Bool, at wallTime: WallTime?
    ) -> [PlacedTag] {
        var kept: [PlacedTag] = []
        if let segment = observation.segment {
            kept = check(segment, of: observation, isExcused: isExcused, at: wallTime)
            place = Finding.Place(segment, at: segment.end, rendition: rendition)
        }
        return kept + checkedTags(observation.trailingTags[...], in: nil, at: wallTime)
    }

    private mutating func check(
        _ segment: ObservedSegment, of observation: SegmentObservation, isExcused: Bool,
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
            self.isExcused = isExcused
            if isExcused { followsBreak = true }
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
                if !isExcused { followsBreak = false }
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

// MARK: - Live

extension RenditionHealth {
    /// The number of segment durations without a segment after which a discontinuity is the end of an outage.
    private static let outageLengths = 3.0

    /// Checks the next segment of a live rendition, and returns its tags without repeats.
    ///
    /// - Parameters:
    ///   - due: The time at which its tags were due.
    ///   - isQuiet: Whether it is in quiet hours.
    ///   - isSilent: Whether the absence of tags is already known.
    ///   - delivered: The times of the tags of the other sources.
    mutating func observe(
        _ observation: SegmentObservation, due: WallTime, isQuiet: Bool, isSilent: Bool,
        delivered: [ClosedRange<UInt32>], at time: SteadyTime
    ) -> [PlacedTag] {
        self.delivered = delivered
        let elapsed = time - lastTime
        lastTime = time
        guard let segment = observation.segment else {
            return check(observation, isExcused: isExcused, at: due)
        }
        // A tag that started in the previous segment does not end a break.
        let hasTags = observation.tags.contains { $0.begins(in: segment) }
        let isInBreak = breaks.observe(segment, hasTags: hasTags, at: time)
        if let seconds = missingSeconds(before: segment, after: elapsed) {
            isInterrupted = true
            if !isQuiet, !isInBreak {
                lostMedia = UnreadMedia(seconds: (lostMedia?.seconds ?? 0) + seconds)
                skip([], in: seconds)
            }
        }
        let tags = check(observation, isExcused: isQuiet || isInBreak, at: due)
        breaks.observe(tags, of: segment, due: due)
        if !tags.isEmpty { ownerPresent.observeTag() }
        checkWindow(tags, in: segment, isSilent: isSilent)
        return tags
    }

    private mutating func checkWindow(_ tags: [PlacedTag], in segment: ObservedSegment, isSilent: Bool) {
        guard !isExcused else {
            windows = [:]
            ownerPresent.restart()
            tagCount.restart()
            infoLate.restart()
            lostMedia = nil
            return
        }
        let hasInfo = tags.contains { $0.occurrence.validKind == .info }
        // A segment that was not read changes no result: a violation is neither over nor a finding again.
        guard segment.facts != nil else {
            skip(tags, in: segment.length)
            if hasInfo { infoLate.observeInfo() }
            return
        }
        windows = [:]
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
        if let lostMedia { infoLate.skip(lostMedia, policy: policy) }
    }

    /// Records media that was not read, with the tags that were found in it.
    private mutating func skip(_ tags: [PlacedTag], in seconds: Double) {
        if let lostMedia { infoLate.skip(lostMedia, policy: policy) }
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
