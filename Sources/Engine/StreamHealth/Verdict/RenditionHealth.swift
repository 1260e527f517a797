package import NielsenID3
package import TimedMedia

/// The health of one rendition: its segments and tags in reading order, checked by every check but those between
/// renditions.
///
/// For each segment call `observe`, then once `finish`. It is a value that keeps a bounded amount whatever the input:
/// counts are whole, of the findings the first are kept. Live input gives the wall time with each call; recorded input
/// gives none, and `presence.silent` is not run.
package struct RenditionHealth: Sendable {
    /// The media playlist's URI as its multivariant playlist has it; nil without one.
    package let rendition: String?
    /// The limits that it goes by.
    package let policy: HealthPolicy
    /// How many tags there were, repeats left out.
    package private(set) var tags = HealthVerdict.TagCounts()
    /// Seconds of media that were read.
    package private(set) var duration = 0.0
    /// How many segments were observed, those included that could not be read.
    package private(set) var segmentCount = 0
    /// How many of them could not be read.
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
    /// Whether it is judged as one of a live channel: without an end, and without what lies over advertisement breaks.
    private let isLive: Bool
    private var isInBreak = false
    private var followsBreak = false

    /// The health of a rendition by the limits of a policy.
    ///
    /// `listsSettledFindings` is for those who call `drainSettled` after each segment: nothing else empties its list.
    package init(
        policy: HealthPolicy = HealthPolicy(), rendition: String? = nil, listsSettledFindings: Bool = false
    ) {
        self.init(
            policy: policy, rendition: rendition, listsSettledFindings: listsSettledFindings,
            presence: PresentationPresence(policy: policy, name: rendition, renditionCount: 1))
    }

    /// A rendition without a verdict on what its unit must have, where others belong to the unit too.
    init(partOf policy: HealthPolicy, rendition: String?, listsSettledFindings: Bool) {
        self.init(
            policy: policy, rendition: rendition, listsSettledFindings: listsSettledFindings, presence: nil)
    }

    /// A rendition of a live channel, read for days: its findings are listed as they settle, and not kept.
    ///
    /// What a segment breaks is found with each segment again. Over the segments that are in a break nothing is said
    /// about how one tag follows from another.
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

    /// Checks the next segment in reading order, with the Nielsen tags that ended in it in the order of their bytes.
    ///
    /// `otherOwnerCount` is how many tags of other owners came with it, and `malformedOthers` what is wrong inside
    /// those that could be told from garbage, with offsets from the segment's start. Live input gives the wall time
    /// in Unix seconds.
    package mutating func observe(
        _ segment: ObservedSegment, tags: [TagOccurrence], otherOwnerCount: Int = 0,
        malformedOthers: CarriageFacts.Bounded<CarriageFacts.MalformedRange> = .init(),
        at wallTime: Double? = nil
    ) {
        _ = checkedTags(
            of: segment, tags: tags, otherOwnerCount: otherOwnerCount, malformedOthers: malformedOthers,
            at: wallTime)
    }

    /// Checks the tags that began and never ended, after the last segment.
    package mutating func observe(trailing tags: [TagOccurrence], at wallTime: Double? = nil) {
        _ = checkedTags(trailing: tags, at: wallTime)
    }

    /// Moves the wall time on, in Unix seconds, for live input: also while no segment comes.
    package mutating func advance(to wallTime: Double) {
        presence?.advance(to: wallTime, into: &ledger)
    }

    /// Checks the whole, once; nothing can be observed after it.
    package mutating func finish() {
        guard !isFinished else { return }
        isFinished = true
        restartClock()
        runs.end(policy: policy, &ledger)
        presence?.finish(into: &ledger)
    }

    /// How every check stands, in the order of `CheckID`; final once `finish` was called.
    ///
    /// The two checks between renditions are not run.
    package var outcomes: [CheckOutcome] {
        var finished = self
        finished.finish()
        return CheckRegistry.outcomes(of: finished.ledger, policy: policy, duration: duration)
    }

    /// The findings that settled since the last call, in the order in which they did.
    ///
    /// Empty unless the health was made to list them. A finding settles as soon as no later tag can change it; the
    /// last ones do with `finish`.
    package mutating func drainSettled() -> [(check: CheckID, finding: Finding)] { ledger.drainSettled() }

    /// The checks that found something that goes on since, and is not told again.
    var lastingViolations: Set<CheckID> { runs.lastingViolations }
}

// MARK: - Reading order

extension RenditionHealth {
    /// Checks a segment, and returns its tags without repeats.
    mutating func checkedTags(
        of segment: ObservedSegment, tags: [TagOccurrence], otherOwnerCount: Int,
        malformedOthers: CarriageFacts.Bounded<CarriageFacts.MalformedRange>, at wallTime: Double?
    ) -> [PlacedTag] {
        precondition(!isFinished, "nothing is observed after the end")
        // A tag that began in an earlier segment belongs there.
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

    /// Checks the tags after the last segment, and returns them without repeats.
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
            "the same tag came \(SecondsText(age)) before: a packager put it into two segments; it counts once"
        )
    }

    /// Passes on the tags that wait, before a place at which the stream's clock starts anew.
    private mutating func restartClock() {
        for tag in window.flush() { runs.observe(tag, policy: policy, &ledger) }
        runs.restartRate()
    }

    /// Checks a tag by itself, and tells whether its time is that of the audio.
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
    /// Whether it begins in a segment, and not in one before.
    func begins(in segment: ObservedSegment) -> Bool {
        origin.place.segment == segment.name && origin.place.mediaSequence == segment.mediaSequence
    }
}

extension ObservedSegment {
    /// Its duration, where that is a number of seconds at all.
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
