import ID3v2

/// The rules for a single tag, with the limits that apply.
///
/// Each reader of tags takes a policy, and checks an occurrence once, when it creates it. The occurrence carries the
/// result to findings, reports and the buffer.
public struct TagPolicy: Sendable, Hashable {
    /// The longest time that a DATA tag may span, in seconds.
    public var longestTag = 12.0

    /// The shortest time that a DATA tag with an unused block may span, in seconds.
    public var shortestTag = 4.0

    /// Creates a policy with the default limits.
    public init() {}

    /// Returns a new occurrence of a tag with its problems and their severity.
    public func checked(_ occurrence: TagOccurrence) -> TagOccurrence {
        var checked = occurrence
        checked.statuses = TagRule.allCases.map { $0.status(of: occurrence, by: self) }
        checked.problems = TagRule.allCases.filter { checked.status(of: $0) > .pass }.map(\.id)
        return checked
    }

    /// Returns the checks that a tag fails by itself, wherever it comes from, in report order.
    public func problems(of tag: NielsenTag) -> [CheckID] {
        let origin = TagOrigin.recording(TagPlace(source: ""))
        return checked(
            TagOccurrence(tag: tag, origin: origin, time: nil, seconds: nil, carriage: .metadataBox)
        ).problems
    }
}

extension TagOccurrence {
    /// Returns the status of a rule for this tag; `notRun` until a policy has checked the tag.
    package func status(of rule: TagRule) -> CheckStatus {
        statuses.isEmpty ? .notRun : statuses[rule.rawValue]
    }
}
