package import NielsenID3

/// The results of the checks so far: complete counts, the worst status, and the first findings of each check.
///
/// The policy limits the number of findings kept for each check.
package struct CheckLedger: Sendable {
    /// The limits of the checks.
    let policy: HealthPolicy
    private let keptCount: Int
    private var entries: [CheckID: Entry] = [:]
    /// The findings since the last drain; nil when they are not listed.
    private var settled: [(check: CheckID, finding: Finding)]?
    /// The conditions that are violated now, and were reported.
    private var conditions: Set<Condition> = []
    /// The results of the event that is judged, each with the check that may cause it; a pass has no finding.
    private var results: [(check: CheckID, finding: Finding?, cause: CheckID?)] = []

    /// The condition of a check; `part` is the inserter's run or the unit of renditions that it concerns, nil for the
    /// whole input.
    private struct Condition: Sendable, Hashable {
        let check: CheckID
        let part: Int?
    }

    private struct Entry: Sendable {
        var worst = CheckStatus.pass
        var count = 0
        var informationCount = 0
        var consequenceCount = 0
        var findings: [Finding] = []
    }

    /// Creates an empty ledger; `keepsFindings` is whether the first findings are kept or all are only counted.
    package init(policy: HealthPolicy, keepsFindings: Bool = true, listsSettledFindings: Bool = false) {
        self.policy = policy
        keptCount = keepsFindings ? policy.count(.findings) : 0
        settled = listsSettledFindings ? [] : nil
    }

    /// Records that a check had something to check.
    package mutating func markRun(_ id: CheckID) {
        if entries.index(forKey: id) == nil { entries[id] = Entry() }
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

    /// Reports the result of a check at a place.
    mutating func report(_ id: CheckID, _ result: CheckResult, at place: Finding.Place) {
        switch result {
        case .notRun: break
        case .pass: markRun(id)
        case .violation(let status, let detail): report(id, status, at: place, detail)
        }
    }

    /// Reports the result of a check that judges a condition of an inserter's run.
    ///
    /// A violation is a finding when it begins, and not again while it lasts.
    mutating func judge(_ id: CheckID, _ result: CheckResult, ofPart part: Int, at place: Finding.Place) {
        if result == .notRun { return }
        let hasLasted = setLasting(id, result.isViolation, ofPart: part)
        if !hasLasted || !result.isViolation { report(id, result, at: place) }
    }

    /// Sets whether the condition of a check is violated now, and returns whether it was.
    mutating func setLasting(_ id: CheckID, _ isViolated: Bool, ofPart part: Int? = nil) -> Bool {
        let condition = Condition(check: id, part: part)
        return isViolated ? !conditions.insert(condition).inserted : conditions.remove(condition) != nil
    }

    /// Returns whether the condition of a check is violated now.
    func isLasting(_ id: CheckID) -> Bool { conditions.contains { $0.check == id } }

    /// The checks whose conditions are violated now.
    var lasting: Set<CheckID> { Set(conditions.map(\.check)) }

    /// Ends the conditions of checks, or all of them.
    mutating func endConditions(of checks: Set<CheckID>? = nil) {
        conditions = checks.map { checks in conditions.filter { !checks.contains($0.check) } } ?? []
    }

    /// Ends the conditions of a part of the input.
    mutating func endConditions(ofPart part: Int) { conditions = conditions.filter { $0.part != part } }

    /// Reports the result of a check for the event that is judged.
    ///
    /// - Parameter cause: The check that explains it if the same event violates that one: a violation is then reported
    ///   under it, and a pass is not reported.
    mutating func report(
        _ id: CheckID, _ result: CheckResult, at place: Finding.Place, because cause: CheckID?
    ) {
        switch result {
        case .notRun: break
        case .pass: results.append((id, nil, cause))
        case .violation(let status, let detail):
            results.append((id, Finding(status: status, place: place, detail: detail), cause))
        }
    }

    /// Reports the status of a rule for the tag that is judged.
    ///
    /// - Parameter cause: The violated check that causes the violation, which is then reported under it.
    mutating func report(
        _ rule: TagRule, of tag: PlacedTag, because cause: @autoclosure () -> CheckID? = nil,
        _ detail: @autoclosure () -> String
    ) {
        switch tag.occurrence.status(of: rule) {
        case .notRun: break
        case .pass: markRun(rule.id)
        case .warn, .fail:
            let status = tag.occurrence.status(of: rule)
            report(rule.id, .violation(status, detail()), at: tag.place, because: cause())
        }
    }

    /// Runs the checks that an event concerns.
    mutating func judge(
        _ event: StreamEvent, by checks: inout [any HealthCheck<StreamEvent, CheckLedger>]
    ) {
        for index in checks.indices { checks[index].judge(event, into: &self) }
        guard !results.isEmpty else { return }
        let violated = results.filter { $0.finding != nil }
        for result in results where !violated.contains(where: { $0.check == result.cause }) {
            guard var finding = result.finding else {
                markRun(result.check)
                continue
            }
            finding.consequences = violated.compactMap { other in
                guard other.cause == result.check, let finding = other.finding else { return nil }
                return Finding.Consequence(check: other.check, status: finding.status, detail: finding.detail)
            }
            report(result.check, finding)
        }
        results = []
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
