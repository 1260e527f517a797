package import NielsenID3
package import TimedMedia

/// The health of one rendition, checked in reading order by every check except those between renditions.
///
/// Call `observe` for each segment, then `finish` once. Memory is bounded for any input: counts are complete, and only
/// the first findings are kept. Pass the wall time with each call for live input. Recorded input has no wall time, and
/// `presence.silent` does not run.
package struct RenditionHealth: Sendable {
    /// The media playlist's URI as written in its multivariant playlist; nil without one.
    package let rendition: String?
    /// The limits of the checks.
    package let policy: HealthPolicy
    /// The tag counts without repeats.
    package private(set) var tags = HealthVerdict.TagCounts()
    /// Seconds of media read.
    package private(set) var duration = 0.0
    /// The number of observed segments, including those that could not be read.
    package private(set) var segmentCount = 0
    /// The number of segments that could not be read.
    package private(set) var failedSegmentCount = 0

    private(set) var ledger: CheckLedger
    private var presence: PresentationPresence?
    private var segmentChecks = CheckRegistry.makeSegmentChecks()
    private var stretch = StreamStretch()
    private var repeats = RepeatHistory()
    private var window = ReorderWindow()
    private var runs = InserterRuns()
    private var tagIndex = 0
    private var isFinished = false
    /// Whether it belongs to a live channel, which has no end and no continuity checks across advertisement breaks.
    private let isLive: Bool
    private var isInBreak = false
    private var followsBreak = false

    /// Creates the health of a rendition with the limits of a policy.
    ///
    /// Set `listsSettledFindings` only when calling `drainSettled` after each segment: nothing else empties the list.
    package init(
        policy: HealthPolicy = HealthPolicy(), rendition: String? = nil, listsSettledFindings: Bool = false
    ) {
        self.init(
            policy: policy, rendition: rendition, listsSettledFindings: listsSettledFindings,
            presence: PresentationPresence(policy: policy, name: rendition, renditionCount: 1))
    }

    /// Creates the health of a rendition without presence checks, which run on its whole unit.
    init(partOf policy: HealthPolicy, rendition: String?, listsSettledFindings: Bool) {
        self.init(
            policy: policy, rendition: rendition, listsSettledFindings: listsSettledFindings, presence: nil)
    }

    /// Creates the health of a rendition of a live channel, which lists settled findings but does not keep them.
    ///
    /// A violation within a segment is reported again for each segment. Continuity between tags is not checked across
    /// segments in a break.
    init(live policy: HealthPolicy, rendition: String?) {
        self.init(
            policy: policy, rendition: rendition, listsSettledFindings: true, presence: nil, isLive: true)
    }

    private init(
        policy: HealthPolicy, rendition: String?, listsSettledFindings: Bool, presence: PresentationPresence?,
        isLive: Bool = false
    ) {
        self.policy = policy
        self.isLive = isLive
        self.rendition = rendition
        self.presence = presence
        ledger = CheckLedger(
            policy: policy, keepsFindings: !isLive, listsSettledFindings: listsSettledFindings)
    }

    /// Checks the next segment in reading order, with the Nielsen tags that ended in it, in byte order.
    ///
    /// `otherOwnerCount` is the number of tags of other owners in the segment. `malformedOthers` lists the defects
    /// inside those of them that are recognizable as tags, with offsets from the start of the segment. For live input,
    /// pass the wall time in Unix seconds.
    package mutating func observe(
        _ segment: ObservedSegment, tags: [TagOccurrence], otherOwnerCount: Int = 0,
        malformedOthers: CarriageFacts.Bounded<CarriageFacts.MalformedRange> = .init(),
        at wallTime: Double? = nil
    ) {
        _ = checkedTags(
            of: segment, tags: tags, otherOwnerCount: otherOwnerCount, malformedOthers: malformedOthers,
            at: wallTime)
    }

    /// Checks the tags that started but did not end, after the last segment.
    package mutating func observe(trailing tags: [TagOccurrence], at wallTime: Double? = nil) {
        _ = checkedTags(trailing: tags, at: wallTime)
    }

    /// Advances the wall time of live input, in Unix seconds, even when no segment arrives.
    package mutating func advance(to wallTime: Double) {
        presence?.advance(to: wallTime, into: &ledger)
    }

    /// Runs the final checks once; nothing can be observed afterwards.
    package mutating func finish() {
        guard !isFinished else { return }
        isFinished = true
        restartClock()
        runs.end(policy: policy, &ledger)
        presence?.finish(into: &ledger)
    }

    /// The outcome of every check, in the order of `CheckID`; final after `finish`.
    ///
    /// The two checks between renditions are not run.
    package var outcomes: [CheckOutcome] {
        var finished = self
        finished.finish()
        return CheckRegistry.outcomes(of: finished.ledger, policy: policy, duration: duration)
    }

    /// Returns the findings settled since the last call, in order.
    ///
    /// The list is empty unless `listsSettledFindings` was set. A finding settles as soon as no later tag can change
    /// it; the last ones settle in `finish`.
    package mutating func drainSettled() -> [(check: CheckID, finding: Finding)] { ledger.drainSettled() }

    /// The checks with an ongoing violation that is not reported again.
    var lastingViolations: Set<CheckID> { runs.lastingViolations }
}

// MARK: - Reading order

extension RenditionHealth {
    /// Checks a segment and returns its tags without repeats.
    mutating func checkedTags(
        of segment: ObservedSegment, tags: [TagOccurrence], otherOwnerCount: Int,
        malformedOthers: CarriageFacts.Bounded<CarriageFacts.MalformedRange>, at wallTime: Double?
    ) -> [PlacedTag] {
        precondition(!isFinished, "nothing is observed after the end")
        // A tag that started in an earlier segment belongs to that segment.
        let earlier = tags.prefix { !$0.begins(in: segment) }
        var kept = checkedTags(earlier, in: TagContext(policy: policy, segment: nil, wallTime: wallTime))
        let beginsAnew = stretch.begins(with: segment)
        if beginsAnew { restartClock() }
        if segment.isDiscontinuity { runs.end(policy: policy, &ledger) }
        if isLive {
            segmentChecks = CheckRegistry.makeSegmentChecks()
            isInBreak = segment.isInBreak
            if isInBreak { followsBreak = true }
        }
        let context = TagContext(
            policy: policy, segment: SegmentContext(segment, beginsAnew: beginsAnew), wallTime: wallTime)
        kept += checkedTags(tags[earlier.endIndex...], in: context)
        self.tags.otherOwner += otherOwnerCount
        var place = Finding.Place()
        place.rendition = rendition
        place.segment = segment.name
        place.mediaSequence = segment.mediaSequence
        place.position = segment.position
        let reading = SegmentReading(
            facts: segment.facts ?? CarriageFacts(), tags: kept, malformedOthers: malformedOthers,
            place: place)
        for index in segmentChecks.indices { segmentChecks[index].check(reading, into: &ledger) }
        if otherOwnerCount > 0 { ledger.markRun(.id3Malformed) }
        let length = segment.length
        segmentCount += 1
        if segment.facts == nil {
            failedSegmentCount += 1
        } else {
            duration += length
        }
        place.position = segment.position + length
        for tag in window.release(readTo: segment.position + length) {
            runs.observe(tag, policy: policy, &ledger)
        }
        presence?.advance(
            rendition: 0, duration: length, isRead: segment.facts != nil, place: place, into: &ledger)
        if let wallTime { presence?.advance(to: wallTime, into: &ledger) }
        return kept
    }

    /// Checks the tags after the last segment and returns them without repeats.
    mutating func checkedTags(trailing tags: [TagOccurrence], at wallTime: Double?) -> [PlacedTag] {
        precondition(!isFinished, "nothing is observed after the end")
        return checkedTags(tags[...], in: TagContext(policy: policy, segment: nil, wallTime: wallTime))
    }

    private mutating func checkedTags(_ tags: ArraySlice<TagOccurrence>, in context: TagContext)
        -> [PlacedTag]
    {
        var kept: [PlacedTag] = []
        for occurrence in tags {
            var tag = PlacedTag(occurrence, index: tagIndex, rendition: rendition)
            tag.followsBreak = followsBreak
            tagIndex += 1
            if let age = repeats.age(of: occurrence, stretch: stretch.number, upTo: policy[.repeatAge]) {
                reportRepeat(tag, age: age)
                continue
            }
            if !isInBreak, occurrence.validKind == .data { followsBreak = false }
            kept.append(tag)
            self.tags.count(occurrence)
            let isInSync = check(tag, in: context)
            if window.isBehindJump(tag) { restartClock() }
            for ready in window.add(tag, isInSync: isInSync) { runs.observe(ready, policy: policy, &ledger) }
            presence?.observe(tag, rendition: 0, at: context.wallTime)
        }
        return kept
    }

    private mutating func reportRepeat(_ tag: PlacedTag, age: Double) {
        ledger.report(
            .sequenceStep, .warn, at: tag.place,
            "the same tag came \(SecondsText(age)) earlier: a packager put it into two segments; it counts once"
        )
    }

    /// Releases the pending tags before the stream's clock restarts.
    private mutating func restartClock() {
        for tag in window.flush() { runs.observe(tag, policy: policy, &ledger) }
        runs.restartRate()
    }

    /// Checks a single tag and returns whether its time matches the audio.
    private mutating func check(_ tag: PlacedTag, in context: TagContext) -> Bool {
        var isInSync = true
        TagResults(tag.occurrence, by: policy).report(at: tag.place, into: &ledger)
        for check in CheckRegistry.placedTagChecks {
            switch check.check(tag.occurrence, in: context) {
            case .notRun: break
            case .pass: ledger.markRun(check.id)
            case .violation(let status, let detail):
                ledger.report(check.id, status, at: tag.place, detail)
                if check.id == .timeAudioSync { isInSync = false }
            }
        }
        return isInSync
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
