import NielsenID3

/// The tags of one inserter, one after the other: what the next one is checked against.
struct InserterRun: Sendable {
    /// The number with which the run began.
    let first: UInt16
    /// The newest number.
    private(set) var last: UInt16
    /// The count of all tags when the run began, and when it was last continued.
    let birth: Int
    private(set) var lastTurn: Int

    /// The first and last time of the newest DATA tag.
    private(set) var dataTimes: DataTimes?
    /// How many broken tags came since the last sound one, whose numbers they may fill.
    private(set) var brokenCount = 0
    /// How many broken tags came since the newest DATA tag, whose time they may fill.
    private(set) var brokenSinceData = 0
    /// The places that cannot be checked yet.
    private var steps: [PendingStep] = []
    /// Numbers that were reported missing, so that one that comes later still is not reported again.
    private var reportedMissing: [UInt16] = []
    private var checks = CheckRegistry.makeRunChecks()

    /// More numbers than these can be missing at once only where another inserter takes over.
    static let maximumMissingCount = 64
    /// How many places wait at most.
    private static let maximumStepCount = 16

    /// A run that begins with a sound tag; `step` is how it follows from the run before.
    init(_ tag: PlacedTag, sequence: UInt16, turn: Int, step: PendingStep?) {
        first = sequence
        last = sequence
        birth = turn
        lastTurn = turn
        if let step { steps = [step] }
    }

    /// The number that continues the run.
    var next: UInt16 { last &+ 1 }

    /// Whether a number is one that the run misses.
    func awaits(_ sequence: UInt16) -> Bool { steps.contains { $0.missing.contains(sequence) } }

    /// Whether a number was missed for so long that it is reported.
    func hasReported(_ sequence: UInt16) -> Bool { reportedMissing.contains(sequence) }
}

// MARK: - Going on

extension InserterRun {
    /// Takes a sound tag whose number is `ahead` places beyond the next one.
    mutating func proceed(
        to tag: PlacedTag, sequence: UInt16, ahead: Int, turn: Int, isReturn: Bool,
        _ checker: inout RunChecker
    ) {
        checker.ledger.markRun(.sequenceStep)
        let filled = min(ahead, brokenCount)
        if ahead > filled {
            let missing = (filled..<ahead).map { next &+ UInt16(truncatingIfNeeded: $0) }
            add(
                PendingStep(
                    kind: .ahead, from: last, to: sequence, place: tag.place, missing: missing,
                    brokenCount: brokenSinceData, lastTime: dataTimes?.last, timing: .unknown), &checker)
            restartRate()
        } else if ahead == 0 {
            // They did not stand here: they fill what is missing before.
            fillMissing(count: brokenCount)
        }
        if isReturn { restartRate() }
        brokenCount = 0
        last = sequence
        lastTurn = turn
        observe(tag, isReturn: isReturn, &checker)
        settle(&checker)
    }

    /// Takes the tag with which the run began.
    mutating func begin(with tag: PlacedTag, _ checker: inout RunChecker) {
        observe(tag, isReturn: false, &checker)
        settle(&checker)
    }

    /// Takes a sound tag with a number that the run misses, or has from before its beginning.
    mutating func observeLate(_ tag: PlacedTag, sequence: UInt16, turn: Int, _ checker: inout RunChecker) {
        checker.ledger.markRun(.sequenceStep)
        lastTurn = turn
        var overlap: CheckResult = .notRun
        if let before = dataTimes, let times = DataTimes(tag.occurrence) {
            overlap = TimeOverlap.check(
                Int(times.first) - Int(before.last), from: before.last, to: times.first,
                policy: checker.policy)
        }
        guard let index = steps.firstIndex(where: { $0.missing.contains(sequence) }) else {
            if case .violation(let status, let detail) = overlap {
                checker.ledger.report(.timeOverlap, status, at: tag.place, detail)
            }
            return
        }
        steps[index].missing.removeAll { $0 == sequence }
        guard tag.occurrence.tag.kind != .info else { return }
        steps[index].lateCount += 1
        if case .violation(let status, let detail) = overlap {
            steps[index].lateOverlaps.append(.init(check: .timeOverlap, status: status, detail: detail))
        }
    }

    /// Takes a broken tag; its number, where it has one that fits, is filled by it.
    mutating func observeInvalid(sequence: UInt16?, turn: Int, _ checker: inout RunChecker) {
        brokenSinceData = min(brokenSinceData + 1, Self.maximumMissingCount)
        if let sequence, sequence == next {
            last = sequence
            lastTurn = turn
            settle(&checker)
        } else if let sequence, let index = steps.firstIndex(where: { $0.missing.contains(sequence) }) {
            steps[index].missing.removeAll { $0 == sequence }
            steps[index].brokenCount += 1
        } else {
            brokenCount = min(brokenCount + 1, Self.maximumMissingCount)
        }
    }

    /// Starts the rules of rate anew: the stream's clock does.
    mutating func restartRate() {
        for index in checks.indices { checks[index].restart() }
    }

    /// Checks what still waits: no tag of the run will come.
    mutating func end(_ checker: inout RunChecker) {
        for step in steps { checker.settle(step) }
        steps = []
    }

    /// Checks what waits and shows that time is missing: what comes next has nothing to do with the run.
    mutating func abandon(_ checker: inout RunChecker) {
        for step in steps where step.isTimeMissing(by: checker.policy) { checker.settle(step) }
        steps = []
    }

    /// The checks of the run that found something that goes on since, and is not told again.
    var lastingViolations: [CheckID] { checks.filter(\.isLasting).map { type(of: $0).id } }

    private mutating func observe(_ tag: PlacedTag, isReturn: Bool, _ checker: inout RunChecker) {
        guard let times = DataTimes(tag.occurrence) else { return }
        var isStep = false
        for index in steps.indices where !steps[index].isTimed {
            steps[index].observe(times, overlap: checker.policy[.overlap])
            steps[index].brokenCount = max(steps[index].brokenCount, brokenSinceData)
            isStep = true
        }
        if let dataTimes {
            checker.ledger.markRun(.timeGap)
            checker.ledger.markRun(.timeOverlap)
            // After another inserter's turn the time between is that one's.
            if !isStep, !isReturn {
                checker.checkTime(
                    from: dataTimes.last, to: times.first, brokenCount: brokenSinceData, at: tag.place)
            }
        }
        for index in checks.indices { checker.run(&checks[index], on: tag) }
        dataTimes = times
        brokenSinceData = 0
    }

    private mutating func fillMissing(count: Int) {
        var rest = count
        for index in steps.indices where rest > 0 {
            let filled = min(rest, steps[index].missing.count)
            steps[index].missing.removeFirst(filled)
            steps[index].brokenCount += filled
            rest -= filled
        }
    }

    /// Checks the steps that nothing can change any more.
    private mutating func settle(_ checker: inout RunChecker) {
        let delay = checker.policy.count(.infoDelay)
        let last = last
        steps.removeAll { step in
            let isOver: Bool =
                switch step.kind {
                case .elsewhere: true
                case .ahead:
                    step.missing.isEmpty
                        || step.missing.contains { SequenceNumber.distance(from: $0, to: last) > delay }
                }
            guard isOver, step.isTimed else { return false }
            checker.settle(step)
            reportedMissing += step.missing
            return true
        }
        if reportedMissing.count > Self.maximumMissingCount {
            reportedMissing.removeFirst(reportedMissing.count - Self.maximumMissingCount)
        }
    }

    private mutating func add(_ step: PendingStep, _ checker: inout RunChecker) {
        if let last = steps.indices.last, !steps[last].isTimed {
            steps[last].extend(by: step)
            return
        }
        if steps.count >= Self.maximumStepCount { checker.settle(steps.removeFirst()) }
        steps.append(step)
    }
}
