import NielsenID3

/// What the checks found so far: whole counts, the worst status, and the first findings of each.
///
/// It keeps no more findings of a check than the policy says, whatever the input.
struct CheckLedger: Sendable {
    private let keptCount: Int
    private var entries: [CheckID: Entry] = [:]
    /// The findings since they were last taken; nil where nobody takes them.
    private var settled: [(check: CheckID, finding: Finding)]?

    private struct Entry: Sendable {
        var worst = CheckStatus.pass
        var count = 0
        var consequenceCount = 0
        var findings: [Finding] = []
    }

    /// Nothing was found yet; `keepsFindings`: whether the first ones are kept, or all are only counted.
    init(policy: HealthPolicy, keepsFindings: Bool = true, listsSettledFindings: Bool = false) {
        keptCount = keepsFindings ? policy.count(.findings) : 0
        settled = listsSettledFindings ? [] : nil
    }

    /// Notes that a check had something to check.
    mutating func markRun(_ id: CheckID) { entries[id, default: Entry()].worst = entries[id]?.worst ?? .pass }

    /// Notes that what was checked for another ledger was checked for this one too.
    mutating func markRuns(of other: CheckLedger) {
        for id in other.entries.keys { markRun(id) }
    }

    /// Notes a finding, and what follows from it.
    ///
    /// What follows counts in its own check's row, and is listed under the finding alone.
    mutating func report(_ id: CheckID, _ finding: Finding) {
        var entry = entries[id, default: Entry()]
        entry.worst = max(entry.worst, finding.status)
        entry.count += 1
        if entry.findings.count < keptCount { entry.findings.append(finding) }
        entries[id] = entry
        for consequence in finding.consequences {
            var other = entries[consequence.check, default: Entry()]
            other.worst = max(other.worst, consequence.status)
            other.count += 1
            other.consequenceCount += 1
            entries[consequence.check] = other
        }
        settled?.append((id, finding))
    }

    /// Notes a finding at a place.
    mutating func report(
        _ id: CheckID, _ status: CheckStatus, at place: Finding.Place, _ detail: String,
        consequences: [Finding.Consequence] = []
    ) {
        var finding = Finding(status: status, place: place, detail: detail)
        finding.consequences = consequences
        report(id, finding)
    }

    /// Counts violations of which the input keeps no more than their number.
    mutating func count(_ id: CheckID, _ status: CheckStatus, violations: Int) {
        guard violations > 0 else { return }
        var entry = entries[id, default: Entry()]
        entry.worst = max(entry.worst, status)
        entry.count += violations
        entries[id] = entry
    }

    /// The findings since the last call, in the order in which they settled.
    mutating func drainSettled() -> [(check: CheckID, finding: Finding)] {
        guard let taken = settled else { return [] }
        settled = []
        return taken
    }

    /// How a check ended.
    func outcome(of check: CheckDeclaration, limit: CheckOutcome.Limit?) -> CheckOutcome {
        guard let entry = entries[check.id] else {
            return CheckOutcome(id: check.id, status: .notRun, reason: check.notRun, limit: limit)
        }
        var outcome = CheckOutcome(
            id: check.id, status: entry.worst, count: entry.count, limit: limit, findings: entry.findings)
        outcome.consequenceCount = entry.consequenceCount
        return outcome
    }
}
