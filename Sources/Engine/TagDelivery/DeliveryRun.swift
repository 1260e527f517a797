import HostSystem
import TagStore

/// One run of an uploader: batch after batch, with the schedule that the answers make.
///
/// While a batch is in flight, the buffer acknowledges the one before and prefetches the next: that is used if all goes
/// well, and forgotten if not.
struct DeliveryRun {
    /// When to send how much.
    private(set) var schedule: DeliverySchedule
    private let buffer: TagBuffer
    private let sender: BatchSender
    private let clock: any HostClock
    private let board: ProgressBoard
    /// What an answer changes, and the buffer does not know yet.
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

    /// How a wait for the schedule ended.
    enum Wait: Hashable {
        case waited(Duration)
        /// It would have taken longer than the time limit allows.
        case tooLong(reason: String)
        case cancelled
    }

    /// Ends any wait: somebody asks for a try now.
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

    /// Sleeps, or ends early because the task was cancelled: whoever sleeps looks for that.
    func sleep(_ duration: Duration) async {
        do throws(CancellationError) {
            try await clock.sleep(for: duration)
        } catch {
            // Cancelled.
        }
    }

    // MARK: Batches

    /// Sends one batch; false where the buffer is empty.
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
        // Only what is read already is waited for: whatever else comes next needs a buffer that knows of this.
        if case .received([], _) = outcome?.answer, built.tags.count == tags.count, let next {
            prefetched = next
        } else {
            try await conclude()
        }
        return true
    }

    /// The tags after a batch that is in flight: as many as are sent next if it is received as a whole.
    ///
    /// Nil where there are fewer: until their turn more may come.
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
            // If the error lasts, the next reading meets it again.
            return nil
        }
    }

    /// Lets the buffer know what an answer changes.
    mutating func conclude() async throws(StoreError) {
        guard let conclusion = conclusion.take() else { return }
        try await conclusion.acknowledge(in: buffer)
        board.update { conclusion.add(to: &$0) }
    }
}
