package import NielsenID3
import TimedMedia

/// The checks of a single tag with the user's limits, which alone determine its problems.
extension HealthPolicy {
    /// Returns the checks that a tag fails by itself, in report order.
    package func problems(of tag: TagOccurrence) -> [CheckID] {
        TagResults(tag, by: self).violated
    }

    /// Returns the worst severity of those problems; `pass` if there are none.
    package func severity(of tag: TagOccurrence) -> CheckStatus {
        TagResults(tag, by: self).worst
    }

    /// Returns the checks that an owner identifier fails by itself, in report order.
    package func problems(of tag: NielsenTag) -> [CheckID] {
        problems(
            of: TagOccurrence(
                tag: tag, origin: .recording(TagPlace(source: "")), time: nil, seconds: nil,
                carriage: .metadataBox))
    }

    /// Returns the tags with their problems.
    package func checked(_ tags: [TagOccurrence]) -> [TagOccurrence] {
        tags.map { tag in
            var checked = tag
            checked.problems = problems(of: tag)
            return checked
        }
    }
}

extension HealthPolicy {
    /// Returns the observation with the problems of its tags.
    package func checked(_ observation: SegmentObservation) -> SegmentObservation {
        var checked = observation
        checked.tags = self.checked(observation.tags)
        checked.trailingTags = self.checked(observation.trailingTags)
        return checked
    }
}

/// The results of all single-tag checks for one tag, in report order.
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

    /// The worst status among the violations.
    var worst: CheckStatus {
        results.reduce(.pass) { worst, entry in
            if case .violation(let status, _) = entry.result { max(worst, status) } else { worst }
        }
    }

    /// Reports the violations; a consequence of another violation is reported under its cause.
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
