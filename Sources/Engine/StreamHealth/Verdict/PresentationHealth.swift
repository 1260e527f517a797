package import NielsenID3
package import TimedMedia

/// The health of an input with all its renditions, where each outcome is the worst among the renditions.
///
/// Read the renditions side by side, one segment at a time: the tags that wait for comparison are bounded in number.
package struct PresentationHealth: Sendable {
    /// The input as given by the user.
    package let source: String
    /// The limits of the checks.
    package let policy: HealthPolicy

    private let descriptions: [RenditionDescription]
    private let units: [[Int]]
    private var renditions: [RenditionHealth]
    private var presences: [PresentationPresence]
    /// The findings that concern a unit instead of one rendition.
    private var ledger: CheckLedger
    /// The comparison between renditions.
    private var comparison: RenditionComparison
    /// The number of comparison findings already listed as settled, by check.
    private var listedCounts: [CheckID: Int] = [:]
    private let listsSettledFindings: Bool
    /// The time in Unix seconds at which the input was read; nil to skip comparing with it.
    private let now: Double?
    /// The newest observation of each live rendition.
    private var edges: [Int: LiveEdge] = [:]
    private var census: TagCensus
    private var tags = HealthVerdict.TagCounts()
    private var isFinished = false

    /// Creates the health of an input; an empty list of renditions means one rendition without a name.
    ///
    /// `starts` are the origins of the renditions' positions on a common timeline, in seconds; nil if all start
    /// together. The newest segment and tag of each `live` rendition are compared with `now`, in Unix seconds. Set
    /// `listsSettledFindings` only when calling `drainSettled` after each segment: nothing else empties the list.
    package init(
        policy: HealthPolicy = HealthPolicy(), source: String,
        renditions descriptions: [RenditionDescription] = [], starts: [Double]? = nil,
        live: Set<Int> = [], now: Double? = nil, listsSettledFindings: Bool = false
    ) {
        let descriptions = descriptions.isEmpty ? [RenditionDescription(name: nil)] : descriptions
        self.policy = policy
        self.source = source
        self.descriptions = descriptions
        let units = descriptions.units
        self.units = units
        renditions = descriptions.map {
            RenditionHealth(
                partOf: policy, rendition: $0.name, listsSettledFindings: listsSettledFindings)
        }
        presences = units.map { members in
            PresentationPresence(
                policy: policy, name: members.first.flatMap { descriptions[$0].name },
                renditionCount: members.count)
        }
        ledger = CheckLedger(policy: policy, listsSettledFindings: listsSettledFindings)
        comparison = RenditionComparison(
            policy: policy, renditions: descriptions.map(\.name), units: units, starts: starts)
        self.listsSettledFindings = listsSettledFindings
        self.now = now
        if now != nil { for rendition in live { edges[rendition] = LiveEdge() } }
        census = TagCensus(sourceCount: descriptions.count)
    }

    /// Records the next segment of a rendition; see `RenditionHealth.observe`.
    package mutating func observe(
        _ segment: ObservedSegment, tags: [TagOccurrence], rendition: Int, otherOwnerCount: Int = 0,
        malformedOthers: CarriageFacts.Bounded<CarriageFacts.MalformedRange> = .init(),
        at wallTime: Double? = nil
    ) {
        let kept = renditions[rendition].checkedTags(
            of: segment, tags: tags, otherOwnerCount: otherOwnerCount, malformedOthers: malformedOthers,
            at: wallTime)
        observe(kept, rendition: rendition, at: wallTime)
        for tag in tags { comparison.observe(tag, rendition: rendition) }
        let end = segment.position + segment.length
        if segment.facts == nil {
            comparison.skip(rendition: rendition, to: end)
        } else {
            comparison.advance(rendition: rendition, to: end)
        }
        var place = Finding.Place()
        place.rendition = descriptions[rendition].name
        place.segment = segment.name
        place.mediaSequence = segment.mediaSequence
        place.position = end
        edges[rendition]?.observe(segment, at: place)
        forEachUnit(of: rendition) { presence, member, ledger in
            presence.advance(
                rendition: member, duration: segment.length, isRead: segment.facts != nil, place: place,
                into: &ledger)
        }
        if let wallTime { advance(to: wallTime) }
    }

    /// Records a rendition's tags that started but did not end, after its last segment.
    package mutating func observe(trailing tags: [TagOccurrence], rendition: Int, at wallTime: Double? = nil)
    {
        observe(
            renditions[rendition].checkedTags(trailing: tags, at: wallTime), rendition: rendition,
            at: wallTime)
        for tag in tags { comparison.observe(tag, rendition: rendition) }
    }

    /// Advances the wall time of live input, in Unix seconds, even when no segment arrives.
    package mutating func advance(to wallTime: Double) {
        for index in presences.indices { presences[index].advance(to: wallTime, into: &ledger) }
    }

    /// Runs the final checks once; nothing can be observed afterwards.
    package mutating func finish() {
        guard !isFinished else { return }
        isFinished = true
        for index in renditions.indices { renditions[index].finish() }
        for index in presences.indices { presences[index].finish(into: &ledger) }
        comparison.finish()
        guard let now else { return }
        for (_, edge) in edges.sorted(by: { $0.key < $1.key }) {
            edge.check(now: now, by: policy, into: &ledger)
        }
    }

    /// The current verdict of all checks; final after `finish`.
    package var verdict: HealthVerdict {
        var finished = self
        finished.finish()
        return finished.finishedVerdict
    }

    /// Returns the findings settled since the last call, in order within each rendition.
    ///
    /// The list is empty unless `listsSettledFindings` was set. Findings between renditions are limited to the number
    /// that a report keeps.
    package mutating func drainSettled() -> [(check: CheckID, finding: Finding)] {
        var settled: [(check: CheckID, finding: Finding)] = []
        for index in renditions.indices { settled += renditions[index].drainSettled() }
        return settled + ledger.drainSettled() + drainSettledComparison()
    }

    private mutating func drainSettledComparison() -> [(check: CheckID, finding: Finding)] {
        guard listsSettledFindings else { return [] }
        var settled: [(check: CheckID, finding: Finding)] = []
        for row in comparison.outcomes {
            settled += row.findings.dropFirst(listedCounts[row.id, default: 0]).map { (row.id, $0) }
            listedCounts[row.id] = row.findings.count
        }
        return settled
    }

    private mutating func observe(_ kept: [PlacedTag], rendition: Int, at wallTime: Double?) {
        for tag in kept {
            edges[rendition]?.observe(tag)
            if census.isNew(tag.occurrence, source: rendition) { tags.count(tag.occurrence) }
            forEachUnit(of: rendition) { presence, member, _ in
                presence.observe(tag, rendition: member, at: wallTime)
            }
        }
    }

    private mutating func forEachUnit(
        of rendition: Int, _ body: (inout PresentationPresence, Int, inout CheckLedger) -> Void
    ) {
        for (index, members) in units.enumerated() {
            guard let member = members.firstIndex(of: rendition) else { continue }
            body(&presences[index], member, &ledger)
        }
    }

    private var finishedVerdict: HealthVerdict {
        let duration = renditions.map(\.duration).max() ?? 0
        var rows = CheckRegistry.outcomes(of: ledger, policy: policy, duration: duration)
        for rendition in renditions {
            let own = CheckRegistry.outcomes(of: rendition.ledger, policy: policy, duration: duration)
            for index in rows.indices { rows[index].merge(own[index], keeping: policy.count(.findings)) }
        }
        for row in comparison.outcomes {
            if let index = rows.firstIndex(where: { $0.id == row.id }) { rows[index] = row }
        }
        var counts = tags
        // Tags of other owners have no identity across renditions, so the highest count applies.
        counts.otherOwner = renditions.map(\.tags.otherOwner).max() ?? 0
        return HealthVerdict(
            source: source, duration: duration,
            segmentCount: renditions.map(\.segmentCount).reduce(0, +),
            failedSegmentCount: renditions.map(\.failedSegmentCount).reduce(0, +), tags: counts,
            renditions: descriptions.compactMap(\.name), outcomes: rows, policy: policy)
    }
}

extension CheckOutcome {
    /// Merges the row of another rendition into this one.
    mutating func merge(_ other: CheckOutcome, keeping kept: Int) {
        guard other.status != .notRun else { return }
        reason = nil
        status = max(status, other.status)
        count += other.count
        consequenceCount += other.consequenceCount
        // Findings are sorted by position across the renditions.
        let all = findings + other.findings
        let order = all.indices.sorted {
            (all[$0].place.position ?? 0, $0) < (all[$1].place.position ?? 0, $1)
        }
        findings = order.prefix(kept).map { all[$0] }
    }
}
