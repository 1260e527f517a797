import ID3v2
import NielsenID3

/// The health of a presentation with all its renditions, where each outcome is the worst among the renditions.
///
/// Read the renditions side by side, one segment at a time: the tags that wait for comparison are bounded in number.
struct PresentationHealth: Sendable {
    private let source: String
    private let policy: HealthPolicy
    private let names: [String?]
    /// The renditions that together must carry every tag, by index.
    private let units: [[Int]]
    private var renditions: [RenditionHealth]
    private var presences: [TagPresence]
    /// The findings that concern a unit instead of one rendition.
    private var ledger: CheckLedger
    /// The comparison between renditions.
    private var comparison: TagComparison
    /// The number of comparison findings already listed as settled, by check.
    private var listedCounts: [CheckID: Int] = [:]
    private let listsSettledFindings: Bool
    /// The time at which the input was read; nil to skip comparing with it.
    private let now: WallTime?
    /// The newest observation of each live rendition.
    private var edges: [Int: LiveEdge] = [:]
    private var census: TagCensus
    private var tags = HealthVerdict.TagCounts()

    /// Creates the health of a presentation; see `PresentationChecker`.
    init(
        _ outline: PresentationOutline, units: [[Int]], policy: HealthPolicy, now: WallTime?,
        listsSettledFindings: Bool
    ) {
        source = outline.source
        self.policy = policy
        self.units = units
        self.listsSettledFindings = listsSettledFindings
        self.now = now
        let names = outline.renditions.map(\.name)
        self.names = names
        renditions = names.map {
            RenditionHealth(policy: policy, rendition: $0, listsSettledFindings: listsSettledFindings)
        }
        presences = units.map { members in
            TagPresence(
                policy: policy, name: members.first.flatMap { names[$0] }, renditionCount: members.count)
        }
        ledger = CheckLedger(policy: policy, listsSettledFindings: listsSettledFindings)
        comparison = TagComparison(
            policy: policy, renditions: names, units: units, starts: outline.windowStarts)
        if now != nil {
            for index in outline.renditions.indices where outline.renditions[index].isLive {
                edges[index] = LiveEdge()
            }
        }
        census = TagCensus(sourceCount: names.count)
    }

    /// Records the next observation of a rendition.
    mutating func observe(_ observation: SegmentObservation) {
        let rendition = observation.rendition.index
        for tag in renditions[rendition].observe(observation) {
            edges[rendition]?.observe(tag)
            if census.isNew(tag.occurrence, source: rendition) { tags.count(tag.occurrence) }
            forEachUnit(of: rendition) { presence, member, _ in presence.observe(tag, rendition: member) }
        }
        comparison.observe(observation)
        if let segment = observation.segment {
            let place = Finding.Place(segment, at: segment.end, rendition: names[rendition])
            edges[rendition]?.observe(segment, at: place)
            forEachUnit(of: rendition) { presence, member, ledger in
                presence.advance(rendition: member, segment, place: place, into: &ledger)
            }
        }
    }

    /// Runs the final checks; nothing can be observed afterwards.
    mutating func finish() {
        for index in renditions.indices { renditions[index].finish() }
        for index in presences.indices { presences[index].finish(into: &ledger) }
        comparison.finish()
        guard let now else { return }
        for (_, edge) in edges.sorted(by: { $0.key < $1.key }) {
            edge.check(now: now, by: policy, into: &ledger)
        }
    }

    /// Returns the findings settled since the last call, in order within each rendition.
    ///
    /// The list is empty unless `listsSettledFindings` was set. Findings between renditions are limited to the number
    /// that a report keeps.
    mutating func drainSettled() -> [(check: CheckID, finding: Finding)] {
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

    private mutating func forEachUnit(
        of rendition: Int, _ body: (inout TagPresence, Int, inout CheckLedger) -> Void
    ) {
        for (index, members) in units.enumerated() {
            guard let member = members.firstIndex(of: rendition) else { continue }
            body(&presences[index], member, &ledger)
        }
    }

    /// The verdict of all checks; call `finish` first.
    var verdict: HealthVerdict {
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
            renditions: names.compactMap(\.self), outcomes: rows, policy: policy)
    }
}

extension PresentationOutline {
    /// The start of each rendition on a common timeline, in seconds.
    ///
    /// Renditions of a live presentation that are loaded one after the other may start with different segments. The
    /// value is nil when all renditions start together, or when a date is missing.
    fileprivate var windowStarts: [Double]? {
        guard renditions.allSatisfy(\.hasSegments), Set(renditions.map(\.firstMediaSequence)).count > 1 else {
            return nil
        }
        let dates = renditions.compactMap(\.firstDate)
        guard dates.count == renditions.count, let earliest = dates.min() else { return nil }
        return dates.map { Double($0) / 1_000 - Double(earliest) / 1_000 }
    }
}

extension CheckOutcome {
    /// Merges the row of another rendition into this one.
    mutating func merge(_ other: CheckOutcome, keeping kept: Int) {
        guard other.status != .notRun else { return }
        reason = nil
        status = max(status, other.status)
        count += other.count
        informationCount += other.informationCount
        consequenceCount += other.consequenceCount
        // Findings are sorted by position across the renditions.
        let all = findings + other.findings
        let order = all.indices.sorted {
            (all[$0].place.position ?? 0, $0) < (all[$1].place.position ?? 0, $1)
        }
        findings = order.prefix(kept).map { all[$0] }
    }
}
