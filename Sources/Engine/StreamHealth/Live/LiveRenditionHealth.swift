import NielsenID3
import TimedMedia

/// The health of one rendition of a live channel: its tags, and in a window whether there are enough of them.
struct LiveRenditionHealth: Sendable {
    private let policy: HealthPolicy
    private let expectsTagsInBreaks: Bool
    private var health: RenditionHealth
    private var breaks: AdvertisementBreaks
    private var counts = TagCountWindow()
    private var info = InfoInterval()
    /// Seconds of media without any Nielsen tag, from the start on; nil once there was one.
    private var untagged: Double? = 0
    /// What the last segment showed of the checks that judge a window.
    private(set) var windows: [CheckID: CheckResult] = [:]
    /// Whether no tags were expected in the last segment.
    private(set) var isExcused = false
    /// Where it was read to.
    private(set) var place = Finding.Place()
    /// When a segment of it was observed last, in Unix seconds.
    private(set) var lastTime: Double

    init(policy: HealthPolicy, settings: ChannelHealthSettings, name: String?, at time: Double) {
        self.policy = policy
        expectsTagsInBreaks = settings.expectsTagsInBreaks
        health = RenditionHealth(live: policy, rendition: name)
        breaks = AdvertisementBreaks(maximumLength: settings.maximumBreakLength)
        lastTime = time
    }

    /// Takes a segment; gives its tags without repeats.
    ///
    /// `due`: when its tags were due, by the wall clock; `isQuiet`: no tags are expected by the time of the day;
    /// `isSilent`: that they are missing is known already.
    mutating func observe(
        _ observation: SegmentObservation, due: Double, isQuiet: Bool, isSilent: Bool, at time: Double
    ) -> [PlacedTag] {
        lastTime = time
        guard var segment = observation.segment else {
            return health.checkedTags(trailing: observation.trailingTags, at: due)
        }
        // A tag that began in the segment before does not end a break.
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
                        + "takes the tags out")
                return
            }
        } else {
            windows[.ownerPresent] = .pass
        }
        // The tags that a silence lacks are not missed beside it.
        guard !isSilent || !tags.isEmpty else {
            info.restart()
            return
        }
        windows[.tagCount] = counts.observe(length: length, tags: tags, policy: policy)
        let hasInfo = tags.contains { $0.occurrence.validKind == .info }
        windows[.infoLate] = info.observe(length: length, hasInfo: hasInfo, policy: policy)
    }

    /// Whether no tags are expected of it at a time, because of a break.
    func isExcused(at time: Double) -> Bool { !expectsTagsInBreaks && breaks.isExcused(at: time) }

    /// The findings since the last call.
    mutating func drainFindings() -> [(check: CheckID, finding: Finding)] { health.drainSettled() }

    /// The checks that found something that goes on since, and is not told again.
    var lastingViolations: Set<CheckID> { health.lastingViolations }

    /// How many tags there were, repeats left out.
    var tags: HealthVerdict.TagCounts { health.tags }
    /// The checks' own counts.
    var ledger: CheckLedger { health.ledger }
}
