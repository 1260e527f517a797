import ID3v2
public import NielsenID3

/// The owner identifiers found in a text, such as a player log, as tags that can be checked.
///
/// A text has neither segments nor presentation times, so the tags are aligned with those of a stream by their own
/// times. A repeated identifier counts as one tag, because logs repeat lines and viewers rewind.
package struct OwnerTextTags: Sendable {
    /// Seconds before the first and after the last tag that mark both as present.
    private static let margin = 5.0
    /// The maximum number of tags kept.
    static let maximumCount = 250_000

    /// The name of the text in messages.
    package let source: String
    /// The tags in text order; `segment` holds the line and column.
    package private(set) var tags: [TagOccurrence] = []
    /// The repairs of identifiers, each with the tag index and a sentence about the removed characters.
    private(set) var repairs: [(tag: Int, detail: String)] = []
    /// The number of repeated identifiers.
    package private(set) var repeatCount = 0
    /// The number of tags discarded because the maximum was reached.
    package private(set) var lostCount = 0

    private let tagPolicy: TagPolicy
    private var known: Set<[UInt8]> = []
    private var firstTime: UInt32?

    /// Creates the tags of an empty text; the policy checks each tag that is added.
    package init(source: String, policy: TagPolicy = TagPolicy()) {
        self.source = source
        tagPolicy = policy
    }

    /// The end of the text on its tag timeline, in seconds.
    var end: Double { (placedTags.map(\.position).max() ?? 0) + Self.margin }

    /// The tags on that timeline, which starts with the earliest tag: after a rewind, that is not always the first in
    /// the text.
    var placedTags: [TagOccurrence] {
        let start = (tags.map(\.position).min() ?? 0) - Self.margin
        return tags.map { tag in
            var placed = tag
            placed.position -= start
            return placed
        }
    }

    /// Adds the next identifier that the search found.
    package mutating func add(_ finding: OwnerTextFinding) {
        add(finding.tag, repairs: finding.repairs, at: "\(finding.place)")
    }

    /// Adds the next tag, unless it repeats an earlier one.
    fileprivate mutating func add(
        _ tag: NielsenTag, repairs found: [OwnerTextFinding.Repair] = [], at place: String
    ) {
        let owner = tag.ownerIdentifier
        guard !known.contains(owner) else {
            repeatCount += 1
            return
        }
        guard tags.count < Self.maximumCount else {
            lostCount += 1
            return
        }
        known.insert(owner)
        if tag.isChecksumValid == true { firstTime = firstTime ?? tag.lastTime }
        let index = tags.count
        for repair in found {
            let detail =
                "\(repair.kind.rawValue) at \(repair.place) before character \(repair.character) removed"
            repairs.append((index, detail))
        }
        let place = TagPlace(source: source, segment: "\(source):\(place)")
        tags.append(
            tagPolicy.checked(
                TagOccurrence(
                    tag: tag, origin: .recording(place), time: nil, seconds: nil,
                    carriage: .metadataBox, position: position(of: tag))))
    }

    private func position(of tag: NielsenTag) -> Double {
        guard tag.isChecksumValid == true, let firstTime, let lastTime = tag.lastTime else {
            return tags.last?.position ?? 0
        }
        return Double(lastTime) - Double(firstTime)
    }
}

extension OwnerTextTags {
    /// Returns the verdict of the checks that need only owner identifiers.
    package func verdict(policy: HealthPolicy = HealthPolicy()) -> HealthVerdict {
        var checker = StreamChecker(source: source, policy: policy)
        checker.observe(
            SegmentObservation(
                rendition: .first, segment: nil, tags: [], trailingTags: inOrderOfContent(policy),
                isLast: true))
        var verdict = checker.finish()
        for index in verdict.outcomes.indices {
            if Self.runChecks.contains(verdict.outcomes[index].id) {
                // The places refer to the text, not to a presentation.
                for finding in verdict.outcomes[index].findings.indices {
                    verdict.outcomes[index].findings[finding].place.position = nil
                    verdict.outcomes[index].findings[finding].place.tagIndex = nil
                }
                continue
            }
            verdict.outcomes[index] = CheckOutcome(
                id: verdict.outcomes[index].id, status: .notRun,
                reason: "A text has neither segments nor stream times.",
                limit: verdict.outcomes[index].limit)
        }
        if let format = verdict.outcomes.firstIndex(where: { $0.id == .tagFormat }) {
            addRepairs(to: &verdict.outcomes[format], keeping: policy.count(.findings))
        }
        return verdict
    }

    /// Returns the tags in content order.
    ///
    /// A viewer may seek back and forth, so each uninterrupted stretch is sorted by the time of its first tag.
    private func inOrderOfContent(_ policy: HealthPolicy) -> [TagOccurrence] {
        var stretches: [[TagOccurrence]] = []
        var last: UInt32?
        for tag in placedTags {
            var goesOn = !stretches.isEmpty
            if tag.validKind != nil, let first = tag.tag.firstTime, let end = tag.tag.lastTime {
                let distance = last.map { Double(first) - Double($0) } ?? 0
                if distance > policy[.gap] || distance < -policy[.overlap] { goesOn = false }
                last = end
            }
            if goesOn { stretches[stretches.count - 1].append(tag) } else { stretches.append([tag]) }
        }
        let order = stretches.indices.sorted {
            (stretches[$0][0].position, $0) < (stretches[$1][0].position, $1)
        }
        return order.flatMap { stretches[$0] }
    }

    /// The checks that need only an owner identifier.
    private static let runChecks = Set(
        CheckRegistry.declarations.filter(\.needsOnlyOwner).map(\.id))

    /// Adds the repairs of identifiers as information.
    private func addRepairs(to outcome: inout CheckOutcome, keeping kept: Int) {
        outcome.count += repairs.count
        outcome.informationCount += repairs.count
        for (index, detail) in repairs.prefix(max(0, kept - outcome.findings.count)) {
            var place = Finding.Place()
            place.segment = tags[index].origin.place.segment
            place.sequence = tags[index].tag.sequence
            outcome.findings.append(Finding(status: .pass, place: place, detail: detail))
        }
    }
}

extension HealthVerdict {
    /// Checks tags without a stream, such as those of a log, by what their owner identifiers state.
    ///
    /// The checks that need segments or stream times are not run. Repeated tags count once, and the order may be that
    /// of a viewer who seeks. At most 250,000 tags are checked.
    ///
    /// - Parameters:
    ///   - tags: the tags in the order in which they were found; findings name them by this order, from 1.
    ///   - source: the name of their source in the verdict.
    ///   - policy: the limits for the checks.
    public init(
        of tags: some Sequence<NielsenTag>, source: String, policy: HealthPolicy = HealthPolicy()
    ) {
        var list = OwnerTextTags(source: source, policy: policy.tagPolicy)
        var number = 0
        for tag in tags {
            number += 1
            list.add(tag, at: String(number))
        }
        self = list.verdict(policy: policy)
    }
}
