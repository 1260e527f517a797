import HostSystem
import TagStore

/// One run of an uploader: sends batch after batch, on a schedule that adapts to the answers.
///
/// While a batch is in flight, the run acknowledges the previous one and prefetches the next. A prefetched batch is
/// used if the batch in flight is received as a whole, and discarded otherwise.
struct DeliveryRun {
    /// The times and sizes of the next batches.
    private(set) var schedule: DeliverySchedule
    private let buffer: TagBuffer
    private let sender: BatchSender
    private let clock: any HostClock
    private let board: ProgressBoard
    /// The effects of the last answer that are not yet applied to the buffer.
    private var conclusion: DeliveryConclusion?
    private var prefetched: PrefetchedTags?

    init(
        _ schedule: DeliverySchedule, buffer: TagBuffer, sender: BatchSender, clock: any HostClock,
        board: ProgressBoard
    ) {
        self.schedule = schedule
        self.buffer = buffer
        self.sender = sender
        self.clock = clock
        self.board = board
    }

    // MARK: Waiting

    /// The result of a wait for the schedule.
    enum Wait: Hashable {
        case waited(Duration)
        /// The wait would exceed the time limit.
        case tooLong(reason: String)
        case cancelled
    }

    /// Ends any wait, so that the next attempt is due now.
    mutating func tryNow() { schedule.tryNow() }

    /// Waits until the schedule allows a batch.
    mutating func waitUntilDue(timeLimit: Duration?) async -> Wait {
        var waited = Duration.zero
        while true {
            if Task.isCancelled { return .cancelled }
            let left = schedule.remainingWait(now: clock.reading)
            switch schedule.state {
            case .ready: return .waited(waited)
            case _ where left <= .zero: return .waited(waited)
            case .backingOff(let until, let reason):
                board.set(.backingOff(until: until, reason: reason))
                if let timeLimit, waited + left > timeLimit { return .tooLong(reason: reason) }
            case .holding(let until, let reason):
                board.set(.holding(until: until, reason: reason))
                if let timeLimit, waited + left > timeLimit { return .tooLong(reason: reason) }
            }
            await sleep(left)
            waited += left
        }
    }

    /// Sleeps; returns early if the task is cancelled, which the callers check.
    func sleep(_ duration: Duration) async {
        do throws(CancellationError) {
            try await clock.sleep(for: duration)
        } catch {
            // The callers check for cancellation.
        }
    }

    // MARK: Batches

    /// Sends one batch; returns false if the buffer is empty.
    mutating func step() async throws(StoreError) -> Bool {
        let tags: [StoredTag]
        if let next = prefetched.take(),
            next.isCurrent(forCount: schedule.nextCount, losses: buffer.losses())
        {
            tags = next.tags
        } else {
            try await conclude()
            tags = try await buffer.nextBatch(
                maximumCount: schedule.nextCount, maximumByteCount: TagBatch.maximumStoredByteCount)
            if tags.isEmpty { return false }
        }
        board.set(.sending)
        let (sender, losses, attempt, encoding) = (
            sender, buffer.losses(), schedule.attempt, schedule.encoding
        )
        async let sending = sender.send(tags, losses: losses, attempt: attempt, encoding: encoding)
        try await conclude()
        let next = await prefetch(after: tags)
        let (built, outcome) = await sending
        conclusion = DeliveryConclusion(
            of: outcome, to: built, &schedule, identity: sender.sink.identity, now: clock.reading)
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
    private func prefetch(after tags: [StoredTag]) async -> PrefetchedTags? {
        guard let first = tags.first?.sequence, let last = tags.last?.sequence else { return nil }
        let count = schedule.nextCount(afterReceiptOf: tags.count)
        let losses = buffer.losses()
        do throws(StoreError) {
            let next = try await buffer.nextBatch(
                maximumCount: count, maximumByteCount: TagBatch.maximumStoredByteCount, after: last,
                keeping: first...last)
            return next.count == count ? PrefetchedTags(tags: next, losses: losses) : nil
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

/// The tags after a batch that is in flight, read in advance.
struct PrefetchedTags: Sendable {
    /// The tags, exactly as many as were requested.
    let tags: [StoredTag]
    /// The losses of the buffer before the tags were read.
    let losses: LossTotals

    /// Whether a new read would return the same tags, once all earlier ones are delivered.
    ///
    /// The buffer protects these tags from eviction. If it lost tags meanwhile, these may be among them.
    func isCurrent(forCount count: Int, losses: LossTotals) -> Bool {
        tags.count == count && self.losses == losses
    }
}
