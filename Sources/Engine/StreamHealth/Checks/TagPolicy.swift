package import NielsenID3
import TimedMedia

/// The checks of one tag by itself, with the user's limits: the only place that says which problems a tag has.
extension HealthPolicy {
    /// The checks that a tag fails by itself, in the order of reports.
    package func problems(of tag: TagOccurrence) -> [CheckID] {
        TagResults(tag, by: self).violated
    }

    /// How bad the worst of them is; `pass` where there is none.
    package func severity(of tag: TagOccurrence) -> CheckStatus {
        TagResults(tag, by: self).worst
    }

    /// The checks that an owner identifier fails by itself, in the order of reports.
    package func problems(of tag: NielsenTag) -> [CheckID] {
        problems(
            of: TagOccurrence(
                tag: tag, origin: .recording(TagPlace(source: "")), time: nil, seconds: nil,
                carriage: .metadataBox))
    }

    /// The same tags with their problems.
    package func checked(_ tags: [TagOccurrence]) -> [TagOccurrence] {
        tags.map { tag in
            var checked = tag
            checked.problems = problems(of: tag)
            return checked
        }
    }
}

extension HealthPolicy {
    /// The same observation, its tags with their problems.
    package func checked(_ observation: SegmentObservation) -> SegmentObservation {
        var checked = observation
        checked.tags = self.checked(observation.tags)
        checked.trailingTags = self.checked(observation.trailingTags)
        return checked
    }
}

/// What each check of a tag by itself says of one tag, in the order of reports.
struct TagResults {
    private let tag: NielsenTag
    private let results: [(check: any TagCheck.Type, result: CheckResult)]

    init(_ tag: TagOccurrence, by policy: HealthPolicy) {
        self.tag = tag.tag
        results = CheckRegistry.tagChecks.map { ($0, $0.check(tag, by: policy)) }
    }

    /// The checks that the tag fails.
    var violated: [CheckID] {
        var violated: [CheckID] = []
        for (check, result) in results where result.isViolation { violated.append(check.id) }
        return violated
    }

    /// The worst status of those.
    var worst: CheckStatus {
        results.reduce(.pass) { worst, entry in
            if case .violation(let status, _) = entry.result { max(worst, status) } else { worst }
        }
    }

    /// Reports the violations, each that follows from another under that one.
    func report(at place: Finding.Place, into ledger: inout CheckLedger) {
        let violated = Set(violated)
        var consequences: [CheckID: [Finding.Consequence]] = [:]
        for (check, result) in results {
            guard case .violation(let status, let detail) = result,
                let cause = check.cause(of: tag, among: violated)
            else { continue }
            consequences[cause, default: []].append(.init(check: check.id, status: status, detail: detail))
        }
        for (check, result) in results {
            switch result {
            case .notRun: break
            case .pass: ledger.markRun(check.id)
            case .violation(let status, let detail):
                guard check.cause(of: tag, among: violated) == nil else { continue }
                ledger.report(
                    check.id, status, at: place, detail, consequences: consequences[check.id] ?? [])
            }
        }
    }
}
