/// `sequence.step`: each tag's number is the one after that of the tag before, modulo 65536.
///
/// `InserterRuns` tells which tag is before; `SequenceStep` waits for the tags that decide how grave it is.
enum SequenceStepCheck: HealthCheck {
    static let id = CheckID.sequenceStep
    static let absence = "No two tags follow each other."

    /// What was seen and what was expected.
    static func sentence(for step: SequenceStep) -> String {
        let seen = sentence(from: step.from, to: step.to)
        guard step.kind == .ahead else { return seen }
        guard let first = step.missing.first else {
            return seen + ", and what is between came late on a tag that is no INFO tag"
        }
        if step.missing.count == 1 { return seen + ": \(first) is missing" }
        return seen + ": \(step.missing.count) numbers from \(first) on are missing"
    }

    /// What was seen and what was expected.
    static func sentence(from: UInt16, to: UInt16) -> String {
        "after sequence \(from) comes \(to), not \(from &+ 1)"
    }

    /// What a step without a time gap means.
    static func meaning(of step: SequenceStep) -> String {
        switch step.timing {
        case .unknown, .none: "(no DATA tag shows whether time is missing too)"
        case .distance:
            step.kind == .ahead && step.missing.count <= 1
                ? "without a time gap: an INFO tag is missing, or another inserter took over"
                : "without a time gap: another inserter took over"
        }
    }
}
