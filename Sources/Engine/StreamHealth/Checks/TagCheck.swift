import NielsenID3

/// A check of the content and completeness of a single tag.
///
/// Its rule belongs to `TagPolicy`, and was evaluated when the tag was read; the check has the texts for people.
protocol TagCheck: HealthCheck {
    /// The rule that determines the status.
    static var rule: TagRule { get }

    /// Returns what was found and what was expected, for a tag that violates the rule.
    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String

    /// Returns the violated check that causes a violation of this one, or nil if it has no such cause.
    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID?
}

extension TagCheck {
    static var needsOnlyOwner: Bool { true }

    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID? { nil }
}

extension CheckLedger {
    /// Reports the problems of a tag; a consequence of another problem is reported under its cause.
    mutating func report(problemsOf tag: TagOccurrence, by policy: HealthPolicy, at place: Finding.Place) {
        let violated = Set(tag.problems)
        var consequences: [CheckID: [Finding.Consequence]] = [:]
        for check in CheckRegistry.tagChecks where tag.status(of: check.rule) > .pass {
            guard let cause = check.cause(of: tag.tag, among: violated) else { continue }
            consequences[cause, default: []].append(
                .init(
                    check: check.id, status: tag.status(of: check.rule),
                    detail: check.detail(of: tag, by: policy)))
        }
        for check in CheckRegistry.tagChecks {
            switch tag.status(of: check.rule) {
            case .notRun: break
            case .pass: markRun(check.id)
            case .warn, .fail:
                guard check.cause(of: tag.tag, among: violated) == nil else { continue }
                report(
                    check.id, tag.status(of: check.rule), at: place, check.detail(of: tag, by: policy),
                    consequences: consequences[check.id] ?? [])
            }
        }
    }
}
