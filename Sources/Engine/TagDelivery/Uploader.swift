import Glibc
package import HostSystem
import Synchronization
public import TagStore

/// Delivers the tags of a buffer to a sink, oldest first.
///
/// The buffer deletes exactly the tags that the sink has received. One batch is in flight at a time. A buffer has one
/// uploader at a time.
public final class Uploader: Sendable {
    /// The delay of `run` after a temporary error of the buffer.
    private static let troubleInterval = Duration.seconds(5)

    private let buffer: TagBuffer
    private let builder: BatchBuilder
    private let sink: any TagSink
    private let clock: any HostClock
    /// The interval between two checks of `run` on an empty buffer.
    private let pollInterval: Duration
    private let board: ProgressBoard
    private let retry = RetryRequest()
    /// The schedule that the last run ended with; nil before the first.
    private let schedule = Mutex<DeliverySchedule?>(nil)

    /// Creates an uploader from a buffer to a sink.
    ///
    /// - Parameter report: Called after every step. Must return quickly.
    public convenience init(
        buffer: TagBuffer, sink: any TagSink,
        report: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) {
        self.init(
            buffer: buffer, sink: sink, builder: .recordedTags(of: buffer.id, version: Self.version),
            report: report)
    }

    /// The version in the header of a batch.
    package static let version = "0.2.0"

    /// Creates an uploader with a specific batch builder and clock.
    package init(
        buffer: TagBuffer, sink: any TagSink, builder: BatchBuilder, clock: any HostClock = .system,
        pollInterval: Duration = .seconds(1),
        report: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) {
        self.buffer = buffer
        self.builder = builder
        self.sink = sink
        self.clock = clock
        self.pollInterval = pollInterval
        board = ProgressBoard(report)
    }

    /// The current activity and the counts so far.
    public var progress: DeliveryProgress { board.progress }

    /// Ends the wait after a failure, so that the next attempt starts at once; an attempt in progress is completed.
    package func retryNow() { retry.make() }

    /// Has `run` deliver the tags that the buffer holds now, at once, and waits until none remain or they cannot be
    /// delivered before `end`.
    ///
    /// An attempt in progress continues. Returns early if the task is cancelled or `run` ends.
    ///
    /// - Parameter end: A time since boot.
    package func deliver(until end: Duration) async -> DrainOutcome.End {
        // Before the request is made, so that its answer is among the changes.
        let changes = board.follow()
        let request = retry.make()
        for await progress in changes where progress.answeredRequest >= request {
            switch progress.activity {
            case .idle: return .drained
            case .holding(_, let reason): return .gaveUp(reason: reason)
            case .backingOff(let until, let reason):
                let wait = Duration.milliseconds(until &- clock.unixMilliseconds)
                if clock.sinceBoot + wait > end { return .gaveUp(reason: reason) }
            case .sending, .bufferTrouble: continue
            }
        }
        return .cancelled
    }

    /// Delivers until the task is cancelled, including tags that are appended meanwhile.
    ///
    /// The first attempt starts at once, even if a wait is planned. The progress then states that wait first.
    ///
    /// - Throws: A permanent error of the buffer, or `inUse` if another call or uploader delivers from it.
    public func run() async throws(StoreError) {
        var run = try await begin()
        defer { end(run) }
        run.tryNow()
        while !Task.isCancelled {
            if await run.waitUntilDue(timeLimit: nil) == .cancelled { break }
            do throws(StoreError) {
                if try await run.step() { continue }
                run.rest(.idle)
                await run.sleep(pollInterval)
            } catch {
                guard error.isRetriable else { throw error }
                run.rest(.bufferTrouble(reason: error.description))
                await run.sleep(Self.troubleInterval)
            }
        }
        do throws(StoreError) {
            try await run.conclude()
        } catch {
            // A temporary error here only makes the uploader send the tags again.
            guard error.isRetriable else { throw error }
        }
    }

    /// Delivers the tags in the buffer until it is empty or the sink stays unavailable.
    ///
    /// The first attempt starts at once, even if a wait is planned.
    ///
    /// - Parameter timeLimit: The maximum time to spend on waits and failed attempts. An attempt in progress is
    ///   completed.
    /// - Returns: Why it ended, with the numbers of records that were delivered and refused, and that are waiting.
    /// - Throws: An error of the buffer, or `inUse` if another call or uploader delivers from it.
    public func drain(timeLimit: Duration = .seconds(30)) async throws(StoreError) -> DrainOutcome {
        let before = board.progress
        let end = try await drainToEnd(timeLimit: timeLimit)
        let after = board.progress
        return DrainOutcome(
            end: end, deliveredCount: after.deliveredCount - before.deliveredCount,
            deadCount: after.deadCount - before.deadCount, waitingCount: Int(buffer.totals().inStore))
    }

    private func drainToEnd(timeLimit: Duration) async throws(StoreError) -> DrainOutcome.End {
        var run = try await begin()
        defer { end(run) }
        run.tryNow()
        var left = max(.zero, timeLimit)
        waiting: while !Task.isCancelled {
            switch await run.waitUntilDue(timeLimit: left) {
            case .cancelled: break waiting
            case .waited(let time): left -= time
            case .tooLong(let reason): return .gaveUp(reason: reason)
            }
            let start = clock.sinceBoot
            if try await !run.step() {
                board.set(.idle)
                return .drained
            }
            // A sink that does not respond uses up the time limit like one that asks for a wait.
            if board.progress.lastTrouble != nil { left -= clock.sinceBoot - start }
        }
        try await run.conclude()
        return .cancelled
    }

    private func begin() async throws(StoreError) -> DeliveryRun {
        guard buffer.beginDelivery() else { throw .inUse(pid: getpid()) }
        let known = self.schedule.withLock { $0 }
        let schedule: DeliverySchedule
        if let known {
            schedule = known
        } else {
            do throws(StoreError) {
                schedule = DeliverySchedule(try await buffer.deliveryState(), for: sink.identity)
            } catch {
                buffer.endDelivery()
                throw error
            }
        }
        board.update { $0.wantsPeriods = schedule.wantsPeriods }
        return DeliveryRun(
            schedule, buffer: buffer, builder: builder, sink: sink, clock: clock, board: board, retry: retry)
    }

    private func end(_ run: DeliveryRun) {
        schedule.withLock { $0 = run.schedule }
        buffer.endDelivery()
        if board.progress.activity == .sending { board.set(.idle) }
        board.dismissFollowers()
    }
}

extension SinkAnswer {
    /// A description of the error, or nil if there is none.
    var trouble: String? {
        switch self {
        case .received, .abandoned: nil
        case .refused(let code): "refused: \(code)"
        case .tooLarge: "the batch is too large"
        case .unsupportedEncoding: "the collector does not support the encoding"
        case .retry(let reason, _), .hold(let reason, _): reason
        }
    }
}
