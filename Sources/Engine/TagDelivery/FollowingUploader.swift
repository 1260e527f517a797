package import HostSystem
package import TagStore

/// Delivers the tags of a buffer for as long as its task runs, and opens the buffer only to read or acknowledge a
/// batch.
///
/// While it waits for a sink or for new tags, other processes can append tags. The buffer does not protect a batch in
/// flight from eviction then: if the buffer overflows meanwhile, tags may count as lost although the sink has received
/// them.
package struct FollowingUploader: Sendable {
    /// Opens the buffer; throws `inUse` if another process holds it.
    package typealias Opener = @Sendable () async throws(StoreError) -> TagBuffer

    /// The intervals between checks for another process that used the buffer, and between reads of the buffer itself.
    ///
    /// The second is needed because stored tags expire.
    private static let pollInterval = Duration.seconds(1)
    private static let longestIdleness = Duration.seconds(60)
    /// The delays before a retry to open the buffer: when it is in use, and after another temporary error.
    private static let heldInterval = Duration.milliseconds(100)
    private static let troubleInterval = Duration.seconds(5)
    /// The number of attempts to open the buffer at the end.
    private static let finalTryCount = 20

    private let directory: String
    private let open: Opener
    private let sink: any TagSink
    private let makeBuilder: @Sendable (StoreID) -> BatchBuilder
    private let clock: any HostClock
    private let board: ProgressBoard

    /// Creates an uploader from the buffer in a folder to a sink.
    ///
    /// - Parameters:
    ///   - open: Opens the buffer.
    ///   - makeBuilder: Returns the batch builder for that buffer's tags.
    ///   - report: Called after every step. Must return quickly.
    package init(
        directory: String, sink: any TagSink, clock: any HostClock = .system, open: @escaping Opener,
        makeBuilder: @escaping @Sendable (StoreID) -> BatchBuilder,
        report: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) {
        self.directory = directory
        self.open = open
        self.sink = sink
        self.makeBuilder = makeBuilder
        self.clock = clock
        board = ProgressBoard(report)
    }

    /// The current activity and the counts so far.
    package var progress: DeliveryProgress { board.progress }

    /// The next step.
    private enum Step: Sendable {
        case send([StoredTag], BatchSender, DeliverySchedule, LossTotals)
        /// Waits for that time, or until another process has used the buffer.
        case wait(Duration)
    }

    /// An answer that is not yet applied to its buffer.
    private struct Answer: Sendable {
        let store: StoreID
        let conclusion: DeliveryConclusion
    }

    /// Delivers until the task is cancelled.
    ///
    /// - Throws: A permanent error of the buffer.
    package func run() async throws(StoreError) {
        var answer: Answer?
        while !Task.isCancelled {
            let (step, holder): (Step, StoreHolder?)
            do throws(StoreError) {
                (step, holder) = try await look(telling: answer)
                answer = nil
            } catch {
                guard error.isRetriable else { throw error }
                let isHeld = if case .inUse = error { true } else { false }
                if !isHeld { board.set(.bufferTrouble(reason: error.description)) }
                await sleep(isHeld ? Self.heldInterval : Self.troubleInterval)
                continue
            }
            switch step {
            case .wait(let time):
                await wait(time, from: holder)
            case .send(let tags, let sender, var schedule, let losses):
                board.set(.sending)
                let (built, outcome) = await sender.send(
                    tags, losses: losses, attempt: schedule.attempt, encoding: schedule.encoding)
                let conclusion = DeliveryConclusion(
                    of: outcome, to: built, &schedule, identity: sink.identity, now: clock.reading)
                board.update { conclusion.add(to: &$0) }
                answer = Answer(store: sender.builder.store, conclusion: conclusion)
            }
        }
        board.set(.idle)
        if let answer { await tellLast(answer) }
    }

    /// Opens the buffer briefly, applies the last answer to it, and reads the next batch if one is due.
    private func look(telling answer: Answer?) async throws(StoreError) -> (Step, StoreHolder?) {
        let buffer = try await open()
        let step: Result<Step, StoreError>
        do throws(StoreError) {
            // A buffer that was created again reuses the sequence numbers for other tags.
            if let answer, answer.store == buffer.id { try await answer.conclusion.acknowledge(in: buffer) }
            step = .success(try await nextStep(of: buffer))
        } catch {
            step = .failure(error)
        }
        let holder = StoreHolder.last(of: directory)
        await buffer.close()
        return (try step.get(), holder)
    }

    private func nextStep(of buffer: TagBuffer) async throws(StoreError) -> Step {
        // Another uploader may have delivered from the buffer in the meantime.
        let schedule = DeliverySchedule(try await buffer.deliveryState(), for: sink.identity)
        let left = schedule.remainingWait(now: clock.reading)
        if left > .zero {
            switch schedule.state {
            case .ready: break
            case .backingOff(let until, let reason): board.set(.backingOff(until: until, reason: reason))
            case .holding(let until, let reason): board.set(.holding(until: until, reason: reason))
            }
            return .wait(left)
        }
        let tags = try await buffer.nextBatch(
            maximumCount: schedule.nextCount, maximumByteCount: TagBatch.maximumStoredByteCount)
        if tags.isEmpty {
            board.set(.idle)
            return .wait(Self.longestIdleness)
        }
        let sender = BatchSender(builder: makeBuilder(buffer.id), sink: sink)
        return .send(tags, sender, schedule, buffer.losses())
    }

    /// Waits for some time, or until another process has used the buffer.
    private func wait(_ time: Duration, from holder: StoreHolder?) async {
        var left = time
        while left > .zero, !Task.isCancelled, StoreHolder.last(of: directory) == holder {
            await sleep(min(left, Self.pollInterval))
            left -= Self.pollInterval
        }
    }

    private func sleep(_ duration: Duration) async {
        do throws(CancellationError) {
            try await clock.sleep(for: duration)
        } catch {
            // Cancelled: the callers check for that.
        }
    }

    /// Applies the last answer to the buffer, even though the task is cancelled.
    ///
    /// If the buffer stays unavailable, the tags are sent again later, and the sink recognizes them as duplicates.
    private func tellLast(_ answer: Answer) async {
        // A separate task, which is not cancelled and can still sleep.
        let telling = Task {
            for _ in 0..<Self.finalTryCount {
                do throws(StoreError) {
                    let buffer = try await open()
                    if answer.store == buffer.id { try await answer.conclusion.acknowledge(in: buffer) }
                    return await buffer.close()
                } catch {
                    await sleep(Self.heldInterval)
                }
            }
        }
        await telling.value
    }
}
