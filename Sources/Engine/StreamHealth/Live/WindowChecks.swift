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

/// The violations of window checks that all renditions of a channel share: tags are required in only one of them.
struct WindowEpisodes: Sendable {
    /// The checks that found something in the previous segment.
    private var current: Set<CheckID> = []

    /// The outcome of a check for the whole channel.
    enum Outcome: Sendable {
        /// A rendition passes.
        case passed(CheckID)
        /// All renditions violate the check, which is a finding.
        case began(CheckID, CheckStatus, String)
        /// The violation continues, which is not a finding again.
        case continues(CheckID, CheckStatus, String)
    }

    /// Ends all episodes.
    mutating func restart() { current = [] }

    /// Compares the results of a rendition's last segment with those of all followed renditions.
    ///
    /// - Parameter expected: The renditions whose results are awaited, because they may have what this one lacks.
    mutating func observe(
        _ own: [CheckID: CheckResult], followed: [LiveRenditionHealth], expected: [LiveRenditionHealth?]
    ) -> [Outcome] {
        WindowChecks.checks.compactMap { check in
            let results = followed.compactMap { $0.windows[check] }
            guard !results.isEmpty, results.allSatisfy(\.isViolation) else {
                current.remove(check)
                return results.contains(.pass) ? .passed(check) : nil
            }
            guard case .violation(let status, let detail) = own[check] else { return nil }
            if expected.contains(where: { $0?.windows[check] == nil }) { return nil }
            return current.insert(check).inserted
                ? .began(check, status, detail) : .continues(check, status, detail)
        }
    }
}
