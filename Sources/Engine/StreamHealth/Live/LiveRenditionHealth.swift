import NielsenID3
import TimedMedia

/// The health of one rendition of a live channel: its tags, and the number of them in a window.
struct LiveRenditionHealth: Sendable {
    private let policy: HealthPolicy
    private let expectsTagsInBreaks: Bool
    private var health: RenditionHealth
    private var breaks: AdvertisementBreaks
    private var counts = TagCountWindow()
    private var info = InfoInterval()
    /// Seconds of media without any Nielsen tag since the start; nil after the first tag.
    private var untagged: Double? = 0
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
        guard var segment = observation.segment else {
            return health.checkedTags(trailing: observation.trailingTags, at: due)
        }
        // A tag that started in the previous segment does not end a break.
        let hasTags = observation.tags.contains { $0.begins(in: segment) }
        let isInBreak = breaks.observe(segment, hasTags: hasTags, at: time)
        segment.isInBreak = isQuiet || (isInBreak && !expectsTagsInBreaks)
        isExcused = segment.isInBreak
        var tags = health.checkedTags(
            of: segment, tags: observation.tags, otherOwnerCount: observation.otherTagCount,
            malformedOthers: observation.malformedOtherTags, at: due)
        if !observation.trailingTags.isEmpty {
            tags += health.checkedTags(trailing: observation.trailingTags, at: due)
        }
        place = Finding.Place()
        place.rendition = health.rendition
        place.segment = segment.name
        place.mediaSequence = segment.mediaSequence
        place.position = segment.position + segment.length
        judge(segment, tags: tags, isExcused: segment.isInBreak, isSilent: isSilent)
        return tags
    }

    private mutating func judge(
        _ segment: ObservedSegment, tags: [PlacedTag], isExcused: Bool, isSilent: Bool
    ) {
        if !tags.isEmpty { untagged = nil }
        windows = [:]
        guard !isExcused else {
            info.restart()
            counts.restart()
            if untagged != nil { untagged = 0 }
            return
        }
        guard segment.facts != nil else { return }
        let length = segment.length
        if let before = untagged {
            untagged = before + length
            if before + length >= policy[.ownerMinimumDuration] {
                windows[.ownerPresent] = .violation(
                    .fail,
                    "no Nielsen tag in \(SecondsText(before + length)) of media: the inserter is off, or a packager "
                        + "removes the tags")
                return
            }
        } else {
            windows[.ownerPresent] = .pass
        }
        // A reported silence covers the tags missing within it.
        guard !isSilent || !tags.isEmpty else {
            info.restart()
            return
        }
        windows[.tagCount] = counts.observe(length: length, tags: tags, policy: policy)
        let hasInfo = tags.contains { $0.occurrence.validKind == .info }
        windows[.infoLate] = info.observe(length: length, hasInfo: hasInfo, policy: policy)
    }

    /// Returns whether a break excuses missing tags at a time.
    func isExcused(at time: Double) -> Bool { !expectsTagsInBreaks && breaks.isExcused(at: time) }

    /// Returns the findings since the last call.
    mutating func drainFindings() -> [(check: CheckID, finding: Finding)] { health.drainSettled() }

    /// The checks with an ongoing violation that is not reported again.
    var lastingViolations: Set<CheckID> { health.lastingViolations }

    /// The tag counts without repeats.
    var tags: HealthVerdict.TagCounts { health.tags }
    /// The rendition's own check counts.
    var ledger: CheckLedger { health.ledger }
}
