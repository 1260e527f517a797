import NielsenID3
import TimedMedia

/// The health of one rendition of a live channel: its tags, and the number of them in a window.
struct LiveRenditionHealth: Sendable {
    private let policy: HealthPolicy
    private let expectsTagsInBreaks: Bool
    private var health: RenditionHealth
    private var breaks: AdvertisementBreaks
    private var ownerPresent = OwnerPresent()
    private var tagCount = TagCount()
    private var infoLate = InfoLate()
    /// The results of the window checks for the last segment.
    private(set) var windows: [CheckID: CheckResult] = [:]
    /// Whether no tags were expected in the last segment.
    private(set) var isExcused = false
    /// The position up to which it was read.
    private(set) var place = Finding.Place()
    /// The time of the last segment, in Unix seconds.
    private(set) var lastTime: Double

    init(policy: HealthPolicy, settings: ChannelHealthSettings, name: String?, at time: Double) {
        self.policy = policy
        expectsTagsInBreaks = settings.expectsTagsInBreaks
        health = RenditionHealth(live: policy, rendition: name)
        breaks = AdvertisementBreaks(maximumLength: settings.maximumBreakLength)
        lastTime = time
    }

    /// Records a segment and returns its tags without repeats.
    ///
    /// `due` is the wall time at which its tags were due. `isQuiet` is whether it is in quiet hours. `isSilent` is
    /// whether the absence of tags is already known.
    mutating func observe(
        _ observation: SegmentObservation, due: Double, isQuiet: Bool, isSilent: Bool, at time: Double
    ) -> [PlacedTag] {
        lastTime = time
        guard let segment = observation.segment else { return health.observe(observation, at: due) }
        // A tag that started in the previous segment does not end a break.
        let hasTags = observation.tags.contains { $0.begins(in: segment) }
        let isInBreak = breaks.observe(segment, hasTags: hasTags, at: time)
        isExcused = isQuiet || (isInBreak && !expectsTagsInBreaks)
        let tags = health.observe(observation, isInBreak: isExcused, at: due)
        place = Finding.Place(segment, at: segment.end, rendition: health.rendition)
        checkPresence(of: tags, in: segment, isSilent: isSilent)
        return tags
    }

    private mutating func checkPresence(of tags: [PlacedTag], in segment: ObservedSegment, isSilent: Bool) {
        if !tags.isEmpty { ownerPresent.observe() }
        windows = [:]
        guard !isExcused else {
            ownerPresent.restart()
            tagCount.restart()
            infoLate.restart()
            return
        }
        guard segment.facts != nil else { return }
        let owner = ownerPresent.check(after: segment.length, policy: policy)
        if owner != .notRun { windows[.ownerPresent] = owner }
        guard !owner.isViolation else { return }
        // A reported silence covers the tags missing within it.
        guard !isSilent || !tags.isEmpty else {
            infoLate.restart()
            return
        }
        windows[.tagCount] = tagCount.check(tags, in: segment.length, policy: policy)
        windows[.infoLate] = infoLate.check(
            after: segment.length, hasInfo: tags.contains { $0.occurrence.validKind == .info }, policy: policy
        )
    }

    /// Returns whether a break excuses missing tags at a time.
    func isExcused(at time: Double) -> Bool { !expectsTagsInBreaks && breaks.isExcused(at: time) }

    /// Returns the findings since the last call.
    mutating func drainFindings() -> [(check: CheckID, finding: Finding)] { health.drainSettled() }

    /// The checks with an ongoing violation that is not reported again.
    var ongoingViolations: Set<CheckID> { health.ongoingViolations }

    /// The tag counts without repeats.
    var tags: HealthVerdict.TagCounts { health.tags }
    /// The rendition's own check counts.
    var ledger: CheckLedger { health.ledger }
}
