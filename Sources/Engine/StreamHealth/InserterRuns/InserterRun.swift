import NielsenID3

/// The consecutive tags of one inserter, against which its next tag is checked.
struct InserterRun: Sendable {
    /// The sequence number at which the run started.
    let first: UInt16
    /// The newest sequence number.
    private(set) var last: UInt16
    /// The total number of tags when the run started, and when it last continued.
    let birth: Int
    private(set) var lastTurn: Int

    /// The first and last time of the newest DATA tag.
    private(set) var dataTimes: DataTimes?
    /// The first time of the first DATA tag.
    private var startTime: UInt32?
    /// The number of broken tags since the last valid one, which may account for missing numbers.
    private(set) var brokenCount = 0
    /// The number of broken tags since the newest DATA tag, which may account for missing time.
    private(set) var brokenSinceData = 0
    /// The steps that cannot be checked yet.
    private var steps: [PendingStep] = []
    /// The numbers already reported missing, so that a late tag is not reported again.
    private var reportedMissing: [UInt16] = []
    private var checks = CheckRegistry.checks(on: .runTag)

    /// The maximum number of tags that can be missing at once; a larger step means that another inserter took over.
    static let maximumMissingCount = 64
    /// The maximum number of pending steps.
    private static let maximumStepCount = 16

    /// Creates a run that starts with a valid tag; `step` links it to the previous run.
    init(_ tag: PlacedTag, sequence: UInt16, turn: Int, step: PendingStep?) {
        first = sequence
        last = sequence
        birth = turn
        lastTurn = turn
        if let step { steps = [step] }
    }

    /// The number that continues the run.
    var next: UInt16 { last &+ 1 }

    /// The numbers and times of the run so far; nil before its first DATA tag.
    var span: RunSpan? {
        guard let startTime, let dataTimes else { return nil }
        return RunSpan(first: first, last: last, firstTime: startTime, lastTime: dataTimes.last)
    }

    /// Returns whether a number is missing from the run.
    func awaits(_ sequence: UInt16) -> Bool { steps.contains { $0.missing.contains(sequence) } }

    /// Returns whether a number was missing for so long that it was reported.
    func hasReported(_ sequence: UInt16) -> Bool { reportedMissing.contains(sequence) }
}

// MARK: - Observations

extension InserterRun {
    /// Records a valid tag whose number is `ahead` places after the next one.
    mutating func proceed(
        to tag: PlacedTag, sequence: UInt16, ahead: Int, turn: Int, isReturn: Bool,
        _ ledger: inout CheckLedger
    ) {
        ledger.markRun(.sequenceStep)
        let filled = min(ahead, brokenCount)
        if ahead > filled {
            let missing = (filled..<ahead).map { next &+ UInt16(truncatingIfNeeded: $0) }
            add(
                PendingStep(
                    kind: .ahead, from: last, to: sequence, place: tag.place, missing: missing,
                    brokenCount: brokenSinceData, lastTime: dataTimes?.last, timing: .unknown), &ledger)
            restartRate(&ledger)
        } else if ahead == 0 {
            // No number is missing here, so the broken tags account for numbers missing earlier.
            fillMissing(count: brokenCount)
        }
        if isReturn { restartRate(&ledger) }
        brokenCount = 0
        last = sequence
        lastTurn = turn
        observe(tag, isReturn: isReturn, &ledger)
        checkFinishedSteps(&ledger)
    }

    /// Records the first tag of the run.
    mutating func begin(with tag: PlacedTag, _ ledger: inout CheckLedger) {
        observe(tag, isReturn: false, &ledger)
        checkFinishedSteps(&ledger)
    }

    /// Records a valid tag whose number is missing from the run or precedes its start.
    mutating func observeLate(_ tag: PlacedTag, sequence: UInt16, turn: Int, _ ledger: inout CheckLedger) {
        ledger.markRun(.sequenceStep)
        lastTurn = turn
        var overlap: CheckResult = .notRun
        if let before = dataTimes, let times = DataTimes(tag.occurrence) {
            overlap = TimeOverlap.check(
                Int(times.first) - Int(before.last), from: before.last, to: times.first,
                policy: ledger.policy)
        }
        guard let index = steps.firstIndex(where: { $0.missing.contains(sequence) }) else {
            if case .violation(let status, let detail) = overlap {
                ledger.report(.timeOverlap, status, at: tag.place, detail)
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

    /// Records a broken tag, which fills its number if that number fits.
    mutating func observeInvalid(sequence: UInt16?, turn: Int, _ ledger: inout CheckLedger) {
        brokenSinceData = min(brokenSinceData + 1, Self.maximumMissingCount)
        if let sequence, sequence == next {
            last = sequence
            lastTurn = turn
            checkFinishedSteps(&ledger)
        } else if let sequence, let index = steps.firstIndex(where: { $0.missing.contains(sequence) }) {
            steps[index].missing.removeAll { $0 == sequence }
            steps[index].brokenCount += 1
        } else {
            brokenCount = min(brokenCount + 1, Self.maximumMissingCount)
        }
    }

    /// Restarts the rate rules because the stream's clock restarts.
    mutating func restartRate(_ ledger: inout CheckLedger) {
        ledger.judge(.clockRestart, by: &checks)
        ledger.endConditions(ofPart: birth)
    }

    /// Checks all pending steps, because the run ends.
    mutating func end(_ ledger: inout CheckLedger) {
        for step in steps { ledger.check(step) }
        steps = []
        ledger.endConditions(ofPart: birth)
    }

    /// Checks the pending steps with missing time and drops the others, because the next tag is unrelated to the run.
    mutating func abandon(_ ledger: inout CheckLedger) {
        for step in steps where step.isTimeMissing(by: ledger.policy) { ledger.check(step) }
        steps = []
        ledger.endConditions(ofPart: birth)
    }

    private mutating func observe(_ tag: PlacedTag, isReturn: Bool, _ ledger: inout CheckLedger) {
        guard let times = DataTimes(tag.occurrence) else { return }
        var isStep = false
        for index in steps.indices where !steps[index].isTimed {
            steps[index].observe(times, overlap: ledger.policy[.overlap])
            steps[index].brokenCount = max(steps[index].brokenCount, brokenSinceData)
            isStep = true
        }
        if let dataTimes {
            ledger.markRun(.timeGap)
            ledger.markRun(.timeOverlap)
            // After a turn of another inserter, the time in between belongs to that one.
            if !isStep, !isReturn {
                ledger.checkTime(
                    from: dataTimes.last, to: times.first, brokenCount: brokenSinceData, at: tag.place)
            }
        }
        ledger.judge(.runTag(tag.occurrence, tag.place, run: birth), by: &checks)
        dataTimes = times
        startTime = startTime ?? times.first
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

    /// Checks the steps that no later tag can change.
    private mutating func checkFinishedSteps(_ ledger: inout CheckLedger) {
        let delay = ledger.policy.count(.infoDelay)
        let last = last
        steps.removeAll { step in
            let isOver: Bool =
                switch step.kind {
                case .elsewhere, .restart, .replacement: true
                case .ahead:
                    step.missing.isEmpty
                        || step.missing.contains { $0.places(to: last) > delay }
                }
            guard isOver, step.isTimed else { return false }
            ledger.check(step)
            reportedMissing += step.missing
            return true
        }
        if reportedMissing.count > Self.maximumMissingCount {
            reportedMissing.removeFirst(reportedMissing.count - Self.maximumMissingCount)
        }
    }

    private mutating func add(_ step: PendingStep, _ ledger: inout CheckLedger) {
        if let last = steps.indices.last, !steps[last].isTimed {
            steps[last].extend(by: step)
            return
        }
        if steps.count >= Self.maximumStepCount { ledger.check(steps.removeFirst()) }
        steps.append(step)
    }
}
