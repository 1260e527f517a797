package import HostSystem
package import TagStore

/// Delivers what comes into a buffer for as long as its task lives, and holds the buffer only to take a batch and to
/// acknowledge one.
///
/// While it waits for a sink or for new tags, others can put tags in. A batch in flight is then not spared from
/// eviction: where a buffer runs over meanwhile, tags may be counted as lost that the sink has received.
package struct FollowingUploader: Sendable {
    /// Opens the buffer; throws `inUse` where another has it.
    package typealias Opener = @Sendable () async throws(StoreError) -> TagBuffer

    /// How often it looks whether somebody has had the buffer, and how often into the buffer whatever happens: tags
    /// grow old there.
    private static let pollInterval = Duration.seconds(1)
    private static let longestIdleness = Duration.seconds(60)
    /// How soon a buffer is asked for again that somebody holds, and one that cannot be read or written.
    private static let heldInterval = Duration.milliseconds(100)
    private static let troubleInterval = Duration.seconds(5)
    /// How many times the buffer is asked for at the end.
    private static let finalTryCount = 20

    private let directory: String
    private let open: Opener
    private let sink: any TagSink
    private let makeBuilder: @Sendable (StoreID) -> BatchBuilder
    private let clock: any HostClock
    private let board: ProgressBoard

    /// An uploader from the buffer of a folder to a sink.
    ///
    /// - Parameters:
    ///   - open: opens the buffer.
    ///   - makeBuilder: gives what makes batches of that buffer's tags.
    ///   - report: told after every step; must return soon.
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

    /// What it has done, and what it is about.
    package var progress: DeliveryProgress { board.progress }

    /// What there is to do next.
    private enum Step: Sendable {
        case send([StoredTag], BatchSender, DeliverySchedule, LossTotals)
        /// Nothing before that time has passed, unless somebody has had the buffer.
        case wait(Duration)
    }

    /// An answer, and the buffer that does not know it yet.
    private struct Answer: Sendable {
        let store: StoreID
        let conclusion: DeliveryConclusion
    }

    /// Delivers until the task is cancelled.
    ///
    /// - Throws: an error of the buffer that does not pass by itself.
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

    /// Has the buffer for a moment: tells it what was answered, and takes the next batch where it is time for one.
    private func look(telling answer: Answer?) async throws(StoreError) -> (Step, StoreHolder?) {
        let buffer = try await open()
        let step: Result<Step, StoreError>
        do throws(StoreError) {
            // A buffer that was made anew gives its numbers to other tags.
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
        // Somebody else may have delivered from it since.
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

    /// Waits so long, or until somebody has had the buffer after this process.
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
            // Cancelled: whoever sleeps looks for that.
        }
    }

    /// Tells the buffer the last answer, though the task is cancelled; where it cannot be had, the tags go again later,
    /// and the sink tells them apart.
    private func tellLast(_ answer: Answer) async {
        // A task of its own, in which sleeping is still possible.
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
