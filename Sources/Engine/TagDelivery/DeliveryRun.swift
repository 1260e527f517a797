import HostSystem
import Synchronization
import TagStore

/// One run of an uploader: sends batch after batch, on a schedule that adapts to the answers.
///
/// While a batch is in flight, the run acknowledges the previous one and prefetches the next. A prefetched batch is
/// used if the batch in flight is received as a whole, and discarded otherwise.
struct DeliveryRun {
    /// The times and sizes of the next batches.
    private(set) var schedule: DeliverySchedule
    private let buffer: TagBuffer
    private let builder: BatchBuilder
    private let sink: any TagSink
    private let clock: any HostClock
    private let board: ProgressBoard
    private let retry: RetryRequest
    /// The effects of the last answer that are not yet applied to the buffer.
    private var conclusion: DeliveryConclusion?
    /// The tags after the batch in flight, exactly as many as were requested, and the losses of the buffer before they
    /// were read.
    private var prefetched: (tags: [StoredTag], losses: LossTotals)?

    init(
        _ schedule: DeliverySchedule, buffer: TagBuffer, builder: BatchBuilder, sink: any TagSink,
        clock: any HostClock, board: ProgressBoard, retry: RetryRequest
    ) {
        self.schedule = schedule
        self.buffer = buffer
        self.builder = builder
        self.sink = sink
        self.clock = clock
        self.board = board
        self.retry = retry
    }

    // MARK: Waiting

    /// The result of a wait for the schedule.
    enum Wait: Hashable {
        case waited(Duration)
        /// The wait would exceed the time limit.
        case tooLong(reason: String)
        case cancelled
    }

    /// Reports the planned wait, if any, and ends it, so that the next attempt is due now.
    mutating func tryNow() {
        if let activity = schedule.state.activity { board.set(activity) }
        schedule.tryNow()
    }

    /// Waits until the schedule allows a batch.
    mutating func waitUntilDue(timeLimit: Duration?) async -> Wait {
        var waited = Duration.zero
        while true {
            if Task.isCancelled { return .cancelled }
            if retry.take() { schedule.tryNow() }
            let left = schedule.remainingWait(now: clock.reading)
            guard left > .zero, let activity = schedule.state.activity else { return .waited(waited) }
            rest(activity)
            if let timeLimit, waited + left > timeLimit {
                return .tooLong(reason: activity.reason ?? "")
            }
            await retry.sleep(left, clock)
            waited += left
        }
    }

    /// Sleeps; returns early if an attempt is requested, or if the task is cancelled, which the callers check.
    func sleep(_ duration: Duration) async { await retry.sleep(duration, clock) }

    /// Publishes an activity that waits, and the last request that an attempt has answered.
    func rest(_ activity: DeliveryProgress.Activity) {
        board.update {
            $0.activity = activity
            $0.answeredRequest = retry.taken
        }
    }

    // MARK: Batches

    /// Sends one batch; returns false if the buffer is empty.
    mutating func step() async throws(StoreError) -> Bool {
        let tags: [StoredTag]
        // The buffer protects prefetched tags from eviction. If it lost tags meanwhile, these may be among them.
        if let next = prefetched.take(), next.tags.count == schedule.nextCount, next.losses == buffer.losses()
        {
            tags = next.tags
        } else {
            try await conclude()
            tags = try await buffer.nextBatch(
                maximumCount: schedule.nextCount, maximumByteCount: TagBatch.maximumStoredByteCount)
            if tags.isEmpty { return false }
        }
        board.set(.sending)
        let (builder, sink, losses) = (builder, sink, buffer.losses())
        let (attempt, encoding) = (schedule.attempt, schedule.encoding)
        async let sending = builder.send(
            tags, losses: losses, attempt: attempt, encoding: encoding, to: sink)
        try await conclude()
        let next = await prefetch(after: tags)
        let (built, outcome) = await sending
        conclusion = DeliveryConclusion(
            of: outcome, to: built, &schedule, identity: sink.identity, now: clock.reading)
        // Only tags that are already prefetched may go out before the acknowledgement: another read of the buffer needs
        // it.
        if case .received([], _) = outcome?.answer, built.tags.count == tags.count, let next {
            prefetched = next
        } else {
            try await conclude()
        }
        return true
    }

    /// Prefetches the tags after a batch in flight, as many as the next batch holds if this one is received as a whole.
    ///
    /// Returns nil if the buffer has fewer: more tags may arrive before the next batch is due.
    private func prefetch(
        after tags: [StoredTag]
    ) async -> (tags: [StoredTag], losses: LossTotals)? {
        guard let first = tags.first?.sequence, let last = tags.last?.sequence else { return nil }
        let count = schedule.nextCount(afterReceiptOf: tags.count)
        let losses = buffer.losses()
        do throws(StoreError) {
            let next = try await buffer.nextBatch(
                maximumCount: count, maximumByteCount: TagBatch.maximumStoredByteCount, after: last,
                keeping: first...last)
            return next.count == count ? (next, losses) : nil
        } catch {
            // If the error persists, the next read reports it.
            return nil
        }
    }

    /// Applies the effects of the last answer to the buffer.
    mutating func conclude() async throws(StoreError) {
        guard let conclusion = conclusion.take() else { return }
        try await conclusion.acknowledge(in: buffer)
        board.update { conclusion.add(to: &$0) }
    }
}

/// A request to end a wait and try again at once.
final class RetryRequest: Sendable {
    private struct State {
        /// The numbers of the last requests that were made and taken, from 1.
        var made = 0
        var taken = 0
        var wait: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Makes the request, ends the current wait, and returns the number of the request.
    @discardableResult
    func make() -> Int {
        let (number, wait) = state.withLock { state in
            state.made += 1
            return (state.made, state.wait)
        }
        wait?.cancel()
        return number
    }

    /// The number of the last request that was taken; 0 before the first.
    var taken: Int { state.withLock { $0.taken } }

    /// Removes the request and returns whether there was one.
    func take() -> Bool {
        state.withLock { state in
            defer { state.taken = state.made }
            return state.taken < state.made
        }
    }

    /// Sleeps; returns early if the request is made or the task is cancelled.
    func sleep(_ duration: Duration, _ clock: any HostClock) async {
        let wait = Task {
            do throws(CancellationError) {
                try await clock.sleep(for: duration)
            } catch {
                // The caller looks for the reason.
            }
        }
        let isMade = state.withLock { state in
            state.wait = wait
            return state.taken < state.made
        }
        if isMade { wait.cancel() }
        await withTaskCancellationHandler {
            await wait.value
        } onCancel: {
            wait.cancel()
        }
        state.withLock { $0.wait = nil }
    }
}

extension DeliverySchedule.State {
    /// The activity of an uploader in this state; nil if a batch may be sent.
    fileprivate var activity: DeliveryProgress.Activity? {
        switch self {
        case .ready: nil
        case .backingOff(let until, let reason): .backingOff(until: until, reason: reason)
        case .holding(let until, let reason): .holding(until: until, reason: reason)
        }
    }
}

/// The changes that an answer makes to the buffer and to the progress.
struct DeliveryConclusion: Sendable {
    private var acknowledgement = Acknowledgement()
    /// The tags whose bodies could not be read, so no sink has seen them.
    private var unreadable: [Acknowledgement.Refusal]
    private var outcome: SinkOutcome?
    private var isReceipt = false

    /// Decides what happens to the tags of a batch, from the answer to it.
    ///
    /// - Parameters:
    ///   - outcome: The answer, or nil if no tag of the batch could be read.
    ///   - schedule: The schedule, which learns from the answer.
    ///   - identity: The identity of the sink.
    init(
        of outcome: SinkOutcome?, to built: BatchBuilder.Result, _ schedule: inout DeliverySchedule,
        identity: String, now: ClockReading
    ) {
        self.outcome = outcome
        unreadable = built.unreadable.map { .init(sequence: $0.sequence, code: BatchBuilder.unreadableCode) }
        guard let outcome, let batch = built.batch else { return }
        var random = SystemRandomNumberGenerator()
        let action = schedule.learn(
            from: outcome.answer, count: built.tags.count, byteCount: batch.lineByteCount, now: now,
            using: &random)
        if case .received = outcome.answer { schedule.wantsPeriods = outcome.wantsPeriods }
        acknowledgement.deliveryState = schedule.encoded(for: identity)
        switch action {
        case .forget(let rejected):
            isReceipt = true
            let codes = Dictionary(
                rejected.map { ($0.id, $0.code) }, uniquingKeysWith: { first, _ in first })
            acknowledgement.delivered.reserveCapacity(built.tags.count)
            for tag in built.tags {
                if !codes.isEmpty, let code = codes[tag.id] {
                    acknowledgement.refused.append(.init(sequence: tag.sequence, code: code))
                } else {
                    acknowledgement.delivered.append(tag.sequence)
                }
            }
        case .deadLetter(let code):
            acknowledgement.refused = built.tags.map { .init(sequence: $0.sequence, code: code) }
        case .keep:
            break
        }
    }

    /// Applies the changes to the buffer.
    func acknowledge(in buffer: TagBuffer) async throws(StoreError) {
        if !unreadable.isEmpty { try await buffer.acknowledge(Acknowledgement(refused: unreadable)) }
        guard let outcome else { return }
        if let time = outcome.serverTime { await buffer.confirmClock(serverTime: time) }
        if outcome.answer != .abandoned { try await buffer.acknowledge(acknowledgement) }
    }

    /// Adds the results to the progress.
    func add(to progress: inout DeliveryProgress) {
        progress.deadCount += unreadable.count
        progress.unreadableCount += unreadable.count
        if let refusal = acknowledgement.refused.last ?? unreadable.last {
            progress.lastRefusal = refusal.code
        }
        guard let outcome else { return }
        progress.attemptCount += 1
        progress.sentByteCount += outcome.sentByteCount
        progress.deliveredCount += acknowledgement.delivered.count
        progress.deadCount += acknowledgement.refused.count
        if isReceipt { progress.batchCount += 1 }
        if case .received(_, let count) = outcome.answer {
            progress.duplicateCount += count
            progress.wantsPeriods = outcome.wantsPeriods
        }
        progress.lastTrouble = outcome.answer.trouble
        progress.lastFailure = progress.lastTrouble == nil ? nil : outcome.failure
    }
}
