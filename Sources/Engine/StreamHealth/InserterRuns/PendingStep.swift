import NielsenID3

/// A place where the sequence does not advance by one, pending until it can be checked.
///
/// An INFO tag may be up to three places late. The time between the DATA tags around the place is known only after the
/// later one.
struct PendingStep: Sendable {
    /// The kind of step between the numbers.
    enum Kind: Sendable {
        /// A forward step within one run, with missing numbers.
        case ahead
        /// A step to unrelated numbers.
        case elsewhere
        /// A step to the first numbers of a sequence.
        case restart
        /// A step over a discontinuity.
        case replacement
    }

    /// The change of the tags' clock across the step.
    enum Timing: Sendable {
        /// No DATA tag has followed the step yet.
        case unknown
        /// The distance from the last time of the previous DATA tag to the first time of the next; negative for an
        /// overlap.
        case distance(Int, from: UInt32, to: UInt32)
        /// No DATA tag preceded the step.
        case none
    }

    let kind: Kind
    /// The number before the step.
    var from: UInt16
    /// The number after the step.
    var to: UInt16
    /// The tag after the step.
    var place: Finding.Place
    /// The numbers still missing.
    var missing: [UInt16]
    /// The count of numbers filled by broken tags.
    var brokenCount: Int
    /// The count of numbers that arrived on late tags of a kind that must not be late.
    var lateCount = 0
    /// The consequences of these late tags.
    var lateOverlaps: [Finding.Consequence] = []
    /// The last time of the DATA tag before the step; nil without one.
    let lastTime: UInt32?
    var timing: Timing
    /// The earlier runs that have the number after the step.
    var earlier: [RunSpan] = []
    /// Whether the tags after the step are those of an earlier run.
    private(set) var isReplay = false

    /// Records the DATA tag after the step.
    mutating func observe(_ tag: DataTimes, overlap: Double) {
        guard case .unknown = timing else { return }
        isReplay = earlier.contains { $0.contains(tag) }
        guard let lastTime else {
            timing = .none
            return
        }
        // Two inserters running in parallel may overlap freely, as long as time advances.
        let goesOn = Double(tag.last) >= Double(lastTime) - overlap
        if kind == .elsewhere, tag.first < lastTime, goesOn {
            timing = .distance(0, from: lastTime, to: tag.first)
        } else {
            timing = .distance(Int(tag.first) - Int(lastTime), from: lastTime, to: tag.first)
        }
    }

    /// Merges a later step that occurs before the next DATA tag.
    mutating func extend(by later: PendingStep) {
        if missing.isEmpty, lateCount == 0, kind == .ahead {
            from = later.from
            to = later.to
            place = later.place
        }
        missing += later.missing.prefix(max(0, InserterRun.maximumMissingCount - missing.count))
    }

    /// Returns whether both numbers and the time of their tags are missing.
    func isTimeMissing(by policy: HealthPolicy) -> Bool {
        guard !missing.isEmpty, case .distance(let distance, let last, let first) = timing else {
            return false
        }
        return TimeGap.check(
            distance, from: last, to: first, brokenCount: brokenCount, policy: policy
        ).isViolation
    }

    /// Whether the time across the step is known.
    var isTimed: Bool { if case .unknown = timing { false } else { true } }
}

extension CheckLedger {
    /// Checks the time between two DATA tags with consecutive numbers.
    mutating func checkTime(from last: UInt32, to first: UInt32, brokenCount: Int, at place: Finding.Place) {
        let distance = Int(first) - Int(last)
        if case .violation(_, let detail) = TimeGap.check(
            distance, from: last, to: first, brokenCount: brokenCount, unread: place.unreadSegments,
            policy: policy)
        {
            report(.timeGap, .warn, at: place, detail)
        }
        report(.timeOverlap, TimeOverlap.check(distance, from: last, to: first, policy: policy), at: place)
    }

    /// Checks a place where the sequence does not advance by one.
    mutating func check(_ step: PendingStep) {
        markRun(.sequenceStep)
        if step.isReplay {
            let numbers = Finding.Consequence(
                check: .sequenceStep, status: .warn, detail: SequenceStep.sentence(for: step))
            return report(
                .timeOverlap, step.kind == .replacement ? .warn : .fail, at: step.place,
                TimeOverlap.replay(at: step), consequences: [numbers])
        }
        guard step.kind != .ahead || !step.missing.isEmpty || step.lateCount > 0 else {
            // A late INFO tag or a broken tag fills the place, so only the time needs checking.
            if case .distance(_, let last, let first) = step.timing {
                checkTime(from: last, to: first, brokenCount: step.brokenCount, at: step.place)
            }
            return
        }
        let detail = SequenceStep.sentence(for: step)
        if step.kind == .ahead, step.missing.isEmpty {
            return report(
                .sequenceStep, .warn, at: step.place, detail, consequences: step.lateOverlaps)
        }
        // Content on the other side of a discontinuity has its own times, and a restart takes time.
        if step.kind == .replacement {
            return report(
                .sequenceStep, .warn, at: step.place, "\(detail) \(SequenceStep.meaning(of: step))")
        }
        if step.kind != .restart, case .distance(let distance, let last, let first) = step.timing {
            let gap = TimeGap.check(
                distance, from: last, to: first, brokenCount: step.brokenCount,
                unread: step.place.unreadSegments, policy: policy)
            if case .violation(let status, let text) = gap {
                let cause = step.place.unreadSegments.map { "\($0)" } ?? "tags were lost"
                return report(
                    .sequenceStep, .fail, at: step.place, "\(detail), and time is missing too: \(cause)",
                    consequences: [.init(check: .timeGap, status: status, detail: text)])
            }
        }
        if case .distance(let distance, let last, let first) = step.timing,
            case .violation(let status, let overlap) = TimeOverlap.check(
                distance, from: last, to: first, policy: policy)
        {
            return report(
                .timeOverlap, status, at: step.place, overlap,
                consequences: [.init(check: .sequenceStep, status: .warn, detail: detail)])
        }
        report(
            .sequenceStep, .warn, at: step.place,
            detail + (step.kind == .restart ? "" : " ") + SequenceStep.meaning(of: step))
    }
}

/// The numbers and times of a run.
struct RunSpan: Sendable {
    /// The first and the last number.
    let first: UInt16
    let last: UInt16
    /// The first time of the first DATA tag and the last time of the last one, in Unix seconds.
    let firstTime: UInt32
    let lastTime: UInt32

    /// Returns whether a number is in the run.
    func contains(_ sequence: UInt16) -> Bool {
        first.places(to: sequence) <= first.places(to: last)
    }

    /// Returns whether the times of a tag are in the run.
    func contains(_ times: DataTimes) -> Bool { times.first >= firstTime && times.last <= lastTime }
}

/// The first and last time of a DATA tag, in Unix seconds.
struct DataTimes: Sendable {
    let first: UInt32
    let last: UInt32

    /// Reads the times of a valid DATA tag; returns nil for any other tag.
    init?(_ tag: TagOccurrence) {
        guard tag.validKind == .data, let first = tag.tag.firstTime, let last = tag.tag.lastTime else {
            return nil
        }
        self.first = first
        self.last = last
    }
}

extension UInt16 {
    /// Returns the number of places from this sequence number to another one; sequence numbers wrap at 65536.
    func places(to other: UInt16) -> Int { Int(other &- self) }
}
