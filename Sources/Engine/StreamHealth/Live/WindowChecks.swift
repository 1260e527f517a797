import ID3v2
import NielsenID3

/// The checks for the presence of tags in a window of one rendition's media: any tags, enough tags, and INFO tags in
/// time.
struct WindowChecks: Sendable {
    /// The checks that are evaluated after each segment.
    static let checks: [CheckID] = [.ownerPresent, .tagCount, .infoLate]

    private let policy: HealthPolicy
    private var ownerPresent = OwnerPresent()
    private var tagCount = TagCount()
    private var infoLate = InfoLate()
    /// The duration of the media that was not read since the last segment that was, in seconds.
    private var gap = 0.0
    /// The results after the last segment that was read; a check that was not run has none.
    private(set) var results: [CheckID: CheckResult] = [:]

    init(policy: HealthPolicy) { self.policy = policy }

    /// Records a segment with its tags, and evaluates the checks.
    ///
    /// - Parameters:
    ///   - missing: The seconds of media before the segment that were never listed or never made; nil for none.
    ///   - isExcused: Whether no tags are expected in the segment.
    ///   - isSilent: Whether the absence of tags is already known.
    mutating func observe(
        _ tags: [PlacedTag], in segment: ObservedSegment, missing: Double?, isExcused: Bool, isSilent: Bool
    ) {
        let hasInfo = tags.contains { $0.occurrence.validKind == .info }
        if !tags.isEmpty { ownerPresent.observe() }
        guard !isExcused else {
            results = [:]
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
        results = [:]
        gap = 0
        let owner = ownerPresent.check(after: segment.length, policy: policy)
        if owner != .notRun { results[.ownerPresent] = owner }
        guard !owner.isViolation else { return }
        // A reported silence covers the tags missing within it.
        guard !isSilent || !tags.isEmpty else {
            infoLate.restart()
            return
        }
        results[.tagCount] = tagCount.check(tags, in: segment.length, policy: policy)
        results[.infoLate] = infoLate.check(after: segment.length, hasInfo: hasInfo, policy: policy)
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
}
