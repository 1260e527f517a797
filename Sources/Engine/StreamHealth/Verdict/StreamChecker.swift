package import ID3v2
package import NielsenID3

/// Checks a stream while it is read: each rendition individually, and all renditions against each other.
///
/// Call `observe` for each segment in order, then `finish` for the verdict, in which each outcome is the worst among
/// the renditions. Read the renditions side by side, one segment at a time: the tags that wait for comparison are
/// bounded in number, and so is the memory, regardless of the length of the stream.
public struct StreamChecker: Sendable {
    /// The maximum number of pending segments per rendition before the roles of all renditions are known.
    private static let maximumWaitingSegments = 16

    private let outline: PresentationOutline
    private let policy: HealthPolicy
    private let names: [String?]
    private let listsSettledFindings: Bool
    /// The time at which the input was read; nil to skip comparing with it.
    private let now: WallTime?
    private var roles: RenditionUnits
    /// The observations until the roles of the renditions are known.
    private var waiting: [SegmentObservation] = []

    /// The units of renditions that together must carry every tag, each with the checks of their presence; empty until
    /// the roles are known.
    private var units: [(members: [Int], checks: [any HealthCheck<StreamEvent, CheckLedger>])] = []
    /// The comparison between renditions; nil until their roles are known.
    private var comparison: TagComparison?
    private var renditions: [RenditionHealth]
    /// The findings that concern a unit instead of one rendition.
    private var ledger: CheckLedger
    /// The number of comparison findings already listed as settled, by check.
    private var listedCounts: [CheckID: Int] = [:]
    /// The newest observation of each live rendition.
    private var edges: [Int: LiveEdge] = [:]
    private var census: TagCensus
    private var tags = HealthVerdict.TagCounts()
    private var failures: [HealthVerdict.Failure] = []

    /// Creates the checks of a presentation.
    ///
    /// - Parameters:
    ///   - now: the current time, to compare the newest segment of a live presentation with; nil to skip this.
    ///   - listsSettledFindings: whether the caller drains the settled findings after each segment.
    package init(
        _ outline: PresentationOutline, policy: HealthPolicy = HealthPolicy(), now: WallTime? = nil,
        listsSettledFindings: Bool = false
    ) {
        self.outline = outline
        self.policy = policy
        self.now = now
        self.listsSettledFindings = listsSettledFindings
        names = outline.renditions.map(\.name)
        roles = RenditionUnits(names: names, audio: outline.renditions.map(\.audioName))
        renditions = names.map {
            RenditionHealth(policy: policy, rendition: $0, listsSettledFindings: listsSettledFindings)
        }
        ledger = CheckLedger(policy: policy, listsSettledFindings: listsSettledFindings)
        census = TagCensus(sourceCount: names.count)
        if now != nil {
            for index in names.indices where outline.renditions[index].isLive { edges[index] = LiveEdge() }
        }
    }

    /// Creates the checks of a stream with one rendition.
    ///
    /// - Parameters:
    ///   - source: the name of the stream in the verdict.
    ///   - policy: the limits for the checks.
    public init(source: String, policy: HealthPolicy = HealthPolicy()) {
        self.init(PresentationOutline(source: source, renditions: [.init(name: nil)]), policy: policy)
    }

    /// Records the next observation, with the reason why its segment could not be read completely.
    package mutating func observe(
        _ observation: SegmentObservation, failure: HealthVerdict.Failure? = nil
    ) {
        // A stream without playlists has one rendition.
        guard names.indices.contains(observation.rendition.index) else { return }
        if let failure, failures.count < policy.count(.findings) { failures.append(failure) }
        guard comparison == nil else { return check(observation) }
        roles.observe(
            observation.segment?.facts, rendition: observation.rendition.index, isLast: observation.isLast)
        waiting.append(observation)
        if roles.isSettled || waiting.count >= Self.maximumWaitingSegments * names.count { begin() }
    }

    /// Starts the checks with the observations so far, unless they are running.
    private mutating func begin() {
        guard comparison == nil else { return }
        units = roles.units.map { ($0, CheckRegistry.checks(on: .unit)) }
        comparison = TagComparison(
            policy: policy, renditions: names, units: roles.units, starts: outline.windowStarts)
        for observation in waiting { check(observation) }
        waiting = []
    }

    private mutating func check(_ observation: SegmentObservation) {
        let rendition = observation.rendition.index
        let unread = renditions[rendition].unreadDuration
        for tag in renditions[rendition].observe(observation) {
            edges[rendition]?.observe(tag)
            let others = census.observe(tag.occurrence, source: rendition)
            if others.isEmpty { tags.count(tag.occurrence) }
            let position = tag.occurrence.position - unread
            for unit in units.indices
            where units[unit].members.contains(rendition)
                && !units[unit].members.contains(where: others.contains)
            {
                ledger.judge(.unitTag(tag, at: position, unit: unit), by: &units[unit].checks)
            }
        }
        comparison?.observe(observation)
        guard let segment = observation.segment else { return }
        let place = renditions[rendition].place
        edges[rendition]?.observe(segment, at: place)
        for unit in units.indices where units[unit].members.contains(rendition) {
            if let lost = renditions[rendition].lostMedia {
                let position = renditions[rendition].duration
                ledger.judge(.unitLoss(lost, at: position, place, unit: unit), by: &units[unit].checks)
            }
            let read = units[unit].members.map { renditions[$0].duration }
            ledger.judge(
                .unitSegment(segment.facts, read: (read.min() ?? 0)...(read.max() ?? 0), place, unit: unit),
                by: &units[unit].checks)
        }
    }

    /// Checks the presence of tags in a unit to its end.
    private mutating func endUnit(_ unit: Int) {
        let members = units[unit].members
        var place = Finding.Place()
        place.rendition = members.first.flatMap { names[$0] }
        let read = members.map { renditions[$0].duration }.max() ?? 0
        place.position = read
        let unread = members.map { renditions[$0].unreadDuration }.max() ?? 0
        ledger.judge(.unitEnd(read: read, unread: unread, place, unit: unit), by: &units[unit].checks)
    }

    /// Returns the findings settled since the last call, each with its check, in order within each rendition.
    ///
    /// The list is empty unless they are listed. Findings between renditions are limited to the number that a report
    /// keeps.
    package mutating func drainSettledFindings() -> [(check: CheckID, finding: Finding)] {
        var settled: [(check: CheckID, finding: Finding)] = []
        for index in renditions.indices { settled += renditions[index].drainSettled() }
        settled += ledger.drainSettled()
        guard listsSettledFindings else { return settled }
        for row in comparison?.outcomes ?? [] {
            settled += row.findings.dropFirst(listedCounts[row.id, default: 0]).map { (row.id, $0) }
            listedCounts[row.id] = row.findings.count
        }
        return settled
    }

    /// Finishes the checks and returns the verdict; nothing can be observed afterwards.
    public mutating func finish() -> HealthVerdict {
        begin()
        for index in renditions.indices { renditions[index].finish() }
        for unit in units.indices { endUnit(unit) }
        comparison?.finish()
        if let now {
            for (_, edge) in edges.sorted(by: { $0.key < $1.key }) {
                edge.check(now: now, by: policy, into: &ledger)
            }
        }
        return verdict
    }

    private var verdict: HealthVerdict {
        let duration = renditions.map(\.duration).max() ?? 0
        var rows = CheckRegistry.outcomes(of: ledger, policy: policy, duration: duration)
        for rendition in renditions {
            let own = CheckRegistry.outcomes(of: rendition.ledger, policy: policy, duration: duration)
            for index in rows.indices { rows[index].merge(own[index], keeping: policy.count(.findings)) }
        }
        for row in comparison?.outcomes ?? [] {
            if let index = rows.firstIndex(where: { $0.id == row.id }) { rows[index] = row }
        }
        var counts = tags
        // Tags of other owners have no identity across renditions, so the highest count applies.
        counts.otherOwner = renditions.map(\.tags.otherOwner).max() ?? 0
        var verdict = HealthVerdict(
            source: outline.source, duration: duration,
            segmentCount: renditions.map(\.segmentCount).reduce(0, +),
            failedSegmentCount: renditions.map(\.failedSegmentCount).reduce(0, +), tags: counts,
            renditions: names.compactMap(\.self), outcomes: rows, policy: policy)
        verdict.failures = failures
        verdict.isComplete = failures.isEmpty && verdict.failedSegmentCount == 0
        return verdict
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

/// Counts each tag once, even if several renditions carry it.
///
/// A tag that one rendition repeats counts as often as in the rendition that carries it most. A bounded number of tags
/// is remembered, so read the renditions side by side, one segment at a time.
private struct TagCensus: Sendable {
    private static let capacity = 8_192

    private let sourceCount: Int
    /// The number of occurrences of a tag in each source, by the hash of its bytes.
    private var counts: [Int: [Int]] = [:]
    /// The hashes in order of arrival, as a ring buffer.
    private var order: [Int] = []
    private var oldest = 0

    init(sourceCount: Int) { self.sourceCount = sourceCount }

    /// Counts a tag, and returns the other sources that had as many of it before; none if it is new.
    mutating func observe(_ tag: TagOccurrence, source: Int) -> [Int] {
        guard sourceCount > 1 else { return [] }
        var hasher = Hasher()
        hasher.combine(tag.tag.ownerIdentifier)
        hasher.combine(tag.isTruncated)
        let key = hasher.finalize()
        if counts[key] == nil { remember(key) }
        var known = counts[key] ?? [Int](repeating: 0, count: sourceCount)
        known[source] += 1
        counts[key] = known
        return known.indices.filter { $0 != source && known[$0] >= known[source] }
    }

    private mutating func remember(_ key: Int) {
        guard order.count >= Self.capacity else {
            order.append(key)
            return
        }
        counts[order[oldest]] = nil
        order[oldest] = key
        oldest = (oldest + 1) % Self.capacity
    }
}
