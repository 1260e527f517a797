package import NielsenID3
import TimedMedia

/// The owner identifiers of a text, such as the log of a player, as tags that the checks can judge.
///
/// A text has neither segments nor presentation times: a tag's place in the programme is its last time, counted from
/// the first tag's. An identifier that a text shows again shortly after, as logs do, is one tag.
package struct OwnerTextTags: Sendable {
    /// Seconds of programme before the first tag and behind the last, so that both are known to be there.
    private static let margin = 5.0
    /// How many of the last identifiers are looked at for a repeat.
    private static let rememberedCount = 16
    /// At most so many tags are kept.
    static let maximumCount = 250_000

    /// What messages call the text.
    package let source: String
    /// The tags in the order of the text; `segment` says the line and column.
    package private(set) var tags: [TagOccurrence] = []
    /// What was taken out of identifiers to make them whole, in a sentence each, with the index of the tag.
    private(set) var repairs: [(tag: Int, detail: String)] = []
    /// How often an identifier was shown again.
    package private(set) var repeatCount = 0
    /// How many tags there was no room for.
    package private(set) var lostCount = 0

    private var recent: [[UInt8]] = []
    private var firstTime: UInt32?

    /// A text of which nothing was read yet.
    package init(source: String) { self.source = source }

    /// Where the programme ends, in seconds.
    var end: Double { (tags.map(\.position).max() ?? 0) + Self.margin }

    /// Takes the identifier that the search found next.
    package mutating func add(_ finding: OwnerTextFinding) {
        let owner = finding.tag.ownerIdentifier
        if recent.contains(owner) {
            repeatCount += 1
            return
        }
        recent.append(owner)
        if recent.count > Self.rememberedCount { recent.removeFirst() }
        guard tags.count < Self.maximumCount else {
            lostCount += 1
            return
        }
        if finding.tag.isChecksumRight == true { firstTime = firstTime ?? finding.tag.lastTime }
        let index = tags.count
        for repair in finding.repairs {
            let detail =
                "\(repair.kind.rawValue) at \(repair.place) before character \(repair.character) taken out"
            repairs.append((index, detail))
        }
        tags.append(
            TagOccurrence(
                tag: finding.tag, origin: TagOrigin(source: source, segment: "\(source):\(finding.place)"),
                time: nil,
                seconds: nil, carriage: .metadataBox, position: position(of: finding.tag)))
    }

    private func position(of tag: NielsenTag) -> Double {
        guard tag.isChecksumRight == true, let firstTime, let lastTime = tag.lastTime else {
            return tags.last?.position ?? Self.margin
        }
        return max(0, Double(lastTime) - Double(firstTime)) + Self.margin
    }
}

extension OwnerTextTags {
    /// What the checks say of the tags: those that need neither segments nor presentation times.
    package func verdict(policy: HealthPolicy = HealthPolicy()) -> HealthVerdict {
        var health = PresentationHealth(policy: policy, source: source)
        health.observe(trailing: tags, rendition: 0)
        health.finish()
        var verdict = health.verdict
        for index in verdict.outcomes.indices where !Self.judgedChecks.contains(verdict.outcomes[index].id) {
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

    /// The checks that look at nothing but what an owner identifier says.
    private static let judgedChecks: Set<CheckID> = [
        .tagFormat, .tagChecksum, .tagBreakout, .sequenceStep, .timeGap, .timeOverlap, .timeDuration,
        .infoCIDs,
        .infoOffsets, .offsetOfNull, .nullRun, .offsetAdvance, .cidChange,
    ]

    /// Lists what was taken out of identifiers, as information.
    private func addRepairs(to outcome: inout CheckOutcome, keeping kept: Int) {
        outcome.count += repairs.count
        for (index, detail) in repairs.prefix(max(0, kept - outcome.findings.count)) {
            var place = Finding.Place()
            place.segment = tags[index].origin.segment
            place.sequence = tags[index].tag.sequence
            place.tagIndex = index
            outcome.findings.append(Finding(status: .pass, place: place, detail: detail))
        }
    }
}
