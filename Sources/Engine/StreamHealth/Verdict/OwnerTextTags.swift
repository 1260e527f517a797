package import NielsenID3
import TimedMedia

/// The owner identifiers of a text, such as the log of a player, as tags that can be checked.
///
/// A text has neither segments nor presentation times: its tags are put beside those of a stream by their own times. An
/// identifier that a text shows again, because logs do or because a viewer went back, is one tag.
package struct OwnerTextTags: Sendable {
    /// Seconds before the first tag and after the last, so that both are known to be there.
    private static let margin = 5.0
    /// At most so many tags are kept.
    static let maximumCount = 250_000

    /// What messages call the text.
    package let source: String
    /// The tags in the order of the text; `segment` says the line and column.
    package private(set) var tags: [TagOccurrence] = []
    /// What was taken out of identifiers to repair them, in a sentence each, with the index of the tag.
    private(set) var repairs: [(tag: Int, detail: String)] = []
    /// How often an identifier was shown again.
    package private(set) var repeatCount = 0
    /// How many tags there was no room for.
    package private(set) var lostCount = 0

    private var known: Set<[UInt8]> = []
    private var firstTime: UInt32?

    /// A text of which nothing was read yet.
    package init(source: String) { self.source = source }

    /// Where the text ends on the line of its tags, in seconds.
    var end: Double { (placedTags.map(\.position).max() ?? 0) + Self.margin }

    /// The tags on that line, which begins with the earliest: a viewer may have gone back to before the first.
    var placedTags: [TagOccurrence] {
        let start = (tags.map(\.position).min() ?? 0) - Self.margin
        return tags.map { tag in
            var placed = tag
            placed.position -= start
            return placed
        }
    }

    /// Takes the identifier that the search found next.
    package mutating func add(_ finding: OwnerTextFinding) {
        let owner = finding.tag.ownerIdentifier
        guard !known.contains(owner) else {
            repeatCount += 1
            return
        }
        guard tags.count < Self.maximumCount else {
            lostCount += 1
            return
        }
        known.insert(owner)
        if finding.tag.isChecksumValid == true { firstTime = firstTime ?? finding.tag.lastTime }
        let index = tags.count
        for repair in finding.repairs {
            let detail =
                "\(repair.kind.rawValue) at \(repair.place) before character \(repair.character) taken out"
            repairs.append((index, detail))
        }
        tags.append(
            TagOccurrence(
                tag: finding.tag,
                origin: TagOrigin.recording(TagPlace(source: source, segment: "\(source):\(finding.place)")),
                time: nil,
                seconds: nil, carriage: .metadataBox, position: position(of: finding.tag)))
    }

    private func position(of tag: NielsenTag) -> Double {
        guard tag.isChecksumValid == true, let firstTime, let lastTime = tag.lastTime else {
            return tags.last?.position ?? 0
        }
        return Double(lastTime) - Double(firstTime)
    }
}

extension OwnerTextTags {
    /// What the checks say of the tags: those that need nothing but owner identifiers.
    package func verdict(policy: HealthPolicy = HealthPolicy()) -> HealthVerdict {
        var health = PresentationHealth(policy: policy, source: source)
        health.observe(trailing: inOrderOfContent(policy), rendition: 0)
        health.finish()
        var verdict = health.verdict
        for index in verdict.outcomes.indices {
            if Self.runChecks.contains(verdict.outcomes[index].id) {
                // The places are those of the text: it says nothing of a presentation.
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

    /// The tags as the stream had them: a viewer may go back and forth, and what was seen in one go is put in the order
    /// of the tags' times.
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

    /// The checks that need nothing but what an owner identifier says.
    private static let runChecks = Set(
        CheckRegistry.checks.filter { $0.needsOnlyOwner }.map { $0.id })

    /// Lists what was taken out of identifiers, as information.
    private func addRepairs(to outcome: inout CheckOutcome, keeping kept: Int) {
        outcome.count += repairs.count
        for (index, detail) in repairs.prefix(max(0, kept - outcome.findings.count)) {
            var place = Finding.Place()
            place.segment = tags[index].origin.place.segment
            place.sequence = tags[index].tag.sequence
            outcome.findings.append(Finding(status: .pass, place: place, detail: detail))
        }
    }
}
