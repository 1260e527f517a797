package import NielsenID3

extension CheckID {
    /// `sequence.step`.
    package static let sequenceStep = CheckID("sequence.step")
}

extension HealthLimit {
    /// The maximum time between identical tags that count as a repeat.
    public static let repeatAge = HealthLimit(
        "limit-repeat-age", 60, "s",
        "maximum time between identical tags that count as a repeat")
    /// `sequence.step`: the maximum delay of an INFO tag, in places of the sequence.
    public static let infoDelay = HealthLimit(
        "limit-info-delay", 3, "places",
        "sequence.step: maximum delay of an INFO tag, in places of the sequence")
}

/// `sequence.step`: each tag's number is the previous tag's number plus 1, modulo 65536.
///
/// `InserterRuns` determines the previous tag. `PendingStep` waits for the tags that decide the severity.
enum SequenceStep: HealthCheck {
    static let declaration = CheckDeclaration(
        .sequenceStep, worst: .fail, clock: .tag, limits: [.repeatAge, .infoDelay, .gap],
        notRun: "No two tags follow each other.",
        expectation: "Sequence numbers increase by one: no tag is lost or repeated",
        title: "Tag sequence numbers are not consecutive",
        meaning: """
            An inserter numbers its tags from 0 to 65535 and then from 0 again, INFO and DATA tags in one sequence. A
            step with a gap in the tag times means that tags were lost (fail). The other cases are warnings: a step
            without a gap is a change to another inserter, a step over a discontinuity is replaced content, and the same
            tag again is a repeat. An INFO tag up to three places late is normal.
            """,
        appearance: """
            Sequence numbers such as 52, 53, 57 with 40 s between the times of 53 and 57: three tags are missing.
            Numbers such as 52, 53, 9000 with continuous times are a fail-over.
            """,
        cause: """
            Lost tags: dropped segments, lost packets, or a packager that keeps one tag per segment and drops the
            others. A fail-over from a primary to a backup inserter, which number their tags independently. Repeats come
            from packagers that put a tag at a segment's edge into both segments.
            """,
        action: """
            For a failure, compare with the stream before each hop until the missing numbers are there. If each segment
            has at most one tag, the packager is the cause. A warning at a known fail-over or splice needs no action.
            Repeats do not affect counting, but find out why they occur.
            """,
        alerting: .init(explainedBy: [.segmentHTTP, .playlistSequenceGap]))

    static let needsOnlyOwner = true

    /// Describes a step: the numbers found and the number expected.
    static func sentence(for step: PendingStep) -> String {
        let seen = sentence(from: step.from, to: step.to)
        guard step.kind == .ahead else { return seen }
        guard let first = step.missing.first else {
            return seen + ", and the numbers between came late on tags that are not INFO tags"
        }
        if step.missing.count == 1 { return seen + ": \(first) is missing" }
        return seen + ": \(step.missing.count) numbers starting at \(first) are missing"
    }

    /// Describes a step by the number before it and the number after it.
    static func sentence(from: UInt16, to: UInt16) -> String {
        "after sequence \(from) comes \(to), not \(from &+ 1)"
    }

    /// Returns the meaning of a step without a time gap, as a phrase.
    static func meaning(of step: PendingStep) -> String {
        switch step.kind {
        case .restart: return ": the sequence starts over because the encoder was restarted"
        case .replacement: return "over a discontinuity: content was replaced"
        case .ahead, .elsewhere: break
        }
        return switch step.timing {
        case .unknown, .none: "(no DATA tag shows whether time is missing too)"
        case .distance:
            step.kind == .ahead && step.missing.count <= 1
                ? "without a time gap: an INFO tag is missing, or another inserter took over"
                : "without a time gap: another inserter took over"
        }
    }
}
