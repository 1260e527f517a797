import NielsenID3

/// Tracks the inserters whose tags a rendition carries, each in a separate run.
///
/// A tag belongs to the run that it continues. A primary and a backup inserter may alternate, and their sequences are
/// unrelated. A run ends at a discontinuity, or when the sequence restarts. Pass the tags in PTS order.
struct InserterRuns: Sendable {
    /// The maximum number of inserters tracked at once.
    private static let maximumRunCount = 4
    /// The number of tags from other inserters after which an idle inserter counts as gone.
    private static let maximumIdleTurns = 16

    /// The maximum number of earlier runs in which repeated content is recognized.
    private static let maximumSpanCount = 16

    private var runs: [InserterRun] = []
    /// The newest runs that ended.
    private var spans: [RunSpan] = []
    /// The ends of the runs before the last discontinuity.
    private var ended: [EndedRun] = []
    /// The number of tags so far.
    private var turn = 0

    private struct EndedRun: Sendable {
        let last: UInt16
        var brokenCount: Int
    }

    /// Ends all runs at a discontinuity or at the end of the stream.
    mutating func end(_ ledger: inout CheckLedger) {
        for index in runs.indices {
            runs[index].end(&ledger)
            remember(runs[index])
        }
        // Without tags since the last discontinuity, the runs before it still apply.
        if !runs.isEmpty { ended = runs.map { EndedRun(last: $0.last, brokenCount: $0.brokenCount) } }
        runs = []
    }

    /// Restarts the rate rules where the PTS jumps.
    mutating func restartRate(_ ledger: inout CheckLedger) {
        for index in runs.indices { runs[index].restartRate(&ledger) }
    }

    /// Records the next tag.
    mutating func observe(_ tag: PlacedTag, _ ledger: inout CheckLedger) {
        turn += 1
        if tag.followsBreak { abandon(&ledger) }
        if tag.occurrence.isBroken {
            observeInvalid(tag, &ledger)
        } else if let sequence = tag.occurrence.tag.sequence {
            observeValid(tag, sequence, &ledger)
            drop(&ledger)
        }
    }

    /// Drops the runs before a break, after reporting steps that already show lost tags.
    private mutating func abandon(_ ledger: inout CheckLedger) {
        for index in runs.indices { runs[index].abandon(&ledger) }
        runs = []
        ended = []
    }

    private mutating func observeInvalid(_ tag: PlacedTag, _ ledger: inout CheckLedger) {
        let sequence = tag.occurrence.tag.sequence
        let owner = sequence.flatMap { number in
            latest { $0.next == number } ?? latest { $0.awaits(number) }
        }
        if let owner {
            runs[owner].observeInvalid(sequence: sequence, turn: turn, &ledger)
            return
        }
        for index in runs.indices { runs[index].observeInvalid(sequence: nil, turn: turn, &ledger) }
        for index in ended.indices {
            ended[index].brokenCount = min(ended[index].brokenCount + 1, InserterRun.maximumMissingCount)
        }
    }

    private mutating func observeValid(_ tag: PlacedTag, _ sequence: UInt16, _ ledger: inout CheckLedger) {
        let turn = turn
        if let index = latest({ $0.next == sequence }) {
            runs[index].proceed(
                to: tag, sequence: sequence, ahead: 0, turn: turn, isReturn: isLeft(runs[index]), &ledger)
        } else if let index = runThatAwaits(tag, sequence, ledger.policy) {
            runs[index].observeLate(tag, sequence: sequence, turn: turn, &ledger)
        } else if let (index, ahead) = runThatLost(sequence) {
            runs[index].proceed(
                to: tag, sequence: sequence, ahead: ahead, turn: turn, isReturn: false, &ledger)
        } else {
            begin(with: tag, sequence, &ledger)
        }
    }

    /// Returns the run that misses a number, or that an INFO tag is late for.
    private func runThatAwaits(_ tag: PlacedTag, _ sequence: UInt16, _ policy: HealthPolicy) -> Int? {
        if let index = latest({ $0.awaits(sequence) || $0.hasReported(sequence) }) { return index }
        guard tag.occurrence.tag.kind == .info else { return nil }
        // An INFO tag may be late for the first tags of a run.
        let delay = policy.count(.infoDelay)
        return latest { run in
            let beforeStart = sequence.places(to: run.first)
            return beforeStart >= 1 && beforeStart <= delay
                && sequence.places(to: run.last) <= delay
        }
    }

    /// Returns the run that a number is slightly ahead of, and the count of numbers in between.
    private func runThatLost(_ sequence: UInt16) -> (index: Int, ahead: Int)? {
        let candidates = runs.indices.compactMap { index -> (index: Int, ahead: Int)? in
            let ahead = runs[index].next.places(to: sequence)
            guard ahead >= 1, ahead <= InserterRun.maximumMissingCount else { return nil }
            // After another inserter takes over, the first one keeps counting unobserved: its unseen numbers are not
            // lost.
            guard ahead <= runs[index].brokenCount || !isLeft(runs[index]) else { return nil }
            return (index, ahead)
        }
        return candidates.min { $0.ahead < $1.ahead }
    }

    /// Starts a run with a tag that continues no other run.
    private mutating func begin(with tag: PlacedTag, _ sequence: UInt16, _ ledger: inout CheckLedger) {
        let step = step(to: tag, sequence, &ledger)
        var run = InserterRun(tag, sequence: sequence, turn: turn, step: step)
        run.begin(with: tag, &ledger)
        runs.append(run)
    }

    /// Returns the step from the previous runs to a new one, or nil if it needs no further check.
    private func step(to tag: PlacedTag, _ sequence: UInt16, _ ledger: inout CheckLedger) -> PendingStep? {
        let continuesEnded = ended.contains { run in
            (run.last &+ 1).places(to: sequence) <= run.brokenCount
        }
        if continuesEnded {
            ledger.markRun(.sequenceStep)
            return nil
        }
        guard let current = runs.max(by: { $0.lastTurn < $1.lastTurn }) else {
            guard let last = ended.last?.last else { return nil }
            return PendingStep(
                kind: .replacement, from: last, to: sequence, place: tag.place, missing: [], brokenCount: 0,
                lastTime: spans.last?.lastTime, timing: .unknown, earlier: earlier(with: sequence))
        }
        // Sequences start at 0, and the INFO tag with that number may be late.
        let isRestart = Int(sequence) <= ledger.policy.count(.infoDelay)
        return PendingStep(
            kind: isRestart ? .restart : .elsewhere, from: current.last, to: sequence, place: tag.place,
            missing: [], brokenCount: current.brokenSinceData, lastTime: current.dataTimes?.last,
            timing: .unknown, earlier: earlier(with: sequence))
    }

    /// Returns the runs before a new one that have its first number.
    private func earlier(with sequence: UInt16) -> [RunSpan] {
        (spans + runs.compactMap(\.span)).filter { $0.contains(sequence) }
    }

    /// Returns whether another run started since a run last continued, which means that another inserter took over.
    private func isLeft(_ run: InserterRun) -> Bool { runs.contains { $0.birth > run.lastTurn } }

    /// Returns the most recently continued run that meets a condition.
    private func latest(_ condition: (InserterRun) -> Bool) -> Int? {
        runs.indices.filter { condition(runs[$0]) }.max { runs[$0].lastTurn < runs[$1].lastTurn }
    }

    /// Ends the runs that were idle for too long, and the oldest ones above the maximum.
    private mutating func drop(_ ledger: inout CheckLedger) {
        while let oldest = runs.indices.min(by: { runs[$0].lastTurn < runs[$1].lastTurn }),
            runs.count > Self.maximumRunCount || turn - runs[oldest].lastTurn > Self.maximumIdleTurns
        {
            runs[oldest].end(&ledger)
            remember(runs[oldest])
            runs.remove(at: oldest)
        }
    }

    private mutating func remember(_ run: InserterRun) {
        guard let span = run.span else { return }
        if spans.count >= Self.maximumSpanCount { spans.removeFirst() }
        spans.append(span)
    }
}
