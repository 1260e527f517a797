package import NielsenID3

/// The results of the checks so far: complete counts, the worst status, and the first findings of each check.
///
/// The policy limits the number of findings kept for each check.
package struct CheckLedger: Sendable {
    private let keptCount: Int
    private var entries: [CheckID: Entry] = [:]
    /// The findings since the last drain; nil when they are not listed.
    private var settled: [(check: CheckID, finding: Finding)]?

    private struct Entry: Sendable {
        var worst = CheckStatus.pass
        var count = 0
        var informationCount = 0
        var consequenceCount = 0
        var findings: [Finding] = []
    }

    /// Creates an empty ledger; `keepsFindings` is whether the first findings are kept or all are only counted.
    package init(policy: HealthPolicy, keepsFindings: Bool = true, listsSettledFindings: Bool = false) {
        keptCount = keepsFindings ? policy.count(.findings) : 0
        settled = listsSettledFindings ? [] : nil
    }

    /// Records that a check had something to check.
    package mutating func markRun(_ id: CheckID) {
        entries[id, default: Entry()].worst = entries[id]?.worst ?? .pass
    }

    /// Returns whether a check had something to check.
    package func hasRun(_ id: CheckID) -> Bool { entries[id] != nil }

    /// Records every check that ran for another ledger as run for this one.
    mutating func markRuns(of other: CheckLedger) {
        for id in other.entries.keys { markRun(id) }
    }

    /// Records a finding and its consequences.
    ///
    /// A consequence counts in its check's row, but is listed only under the finding.
    package mutating func report(_ id: CheckID, _ finding: Finding) {
        var entry = entries[id, default: Entry()]
        entry.worst = max(entry.worst, finding.status)
        entry.count += 1
        if finding.status == .pass { entry.informationCount += 1 }
        if entry.findings.count < keptCount { entry.findings.append(finding) }
        entries[id] = entry
        for consequence in finding.consequences {
            var other = entries[consequence.check, default: Entry()]
            other.worst = max(other.worst, consequence.status)
            other.count += 1
            if consequence.status == .pass { other.informationCount += 1 }
            other.consequenceCount += 1
            entries[consequence.check] = other
        }
        settled?.append((id, finding))
    }

    /// Records a finding at a place.
    mutating func report(
        _ id: CheckID, _ status: CheckStatus, at place: Finding.Place, _ detail: String,
        consequences: [Finding.Consequence] = []
    ) {
        var finding = Finding(status: status, place: place, detail: detail)
        finding.consequences = consequences
        report(id, finding)
    }

    /// Counts violations whose details the input does not keep.
    mutating func count(_ id: CheckID, _ status: CheckStatus, violations: Int) {
        guard violations > 0 else { return }
        var entry = entries[id, default: Entry()]
        entry.worst = max(entry.worst, status)
        entry.count += violations
        if status == .pass { entry.informationCount += violations }
        entries[id] = entry
    }

    /// Returns the findings since the last call, in the order in which they settled.
    mutating func drainSettled() -> [(check: CheckID, finding: Finding)] {
        guard let taken = settled else { return [] }
        settled = []
        return taken
    }

    /// Returns the outcome of a check.
    package func outcome(of check: CheckDeclaration, limit: CheckOutcome.Limit?) -> CheckOutcome {
        guard let entry = entries[check.id] else {
            return CheckOutcome(id: check.id, status: .notRun, reason: check.notRun, limit: limit)
        }
        var outcome = CheckOutcome(
            id: check.id, status: entry.worst, count: entry.count, limit: limit, findings: entry.findings)
        outcome.informationCount = entry.informationCount
        outcome.consequenceCount = entry.consequenceCount
        return outcome
    }
}
