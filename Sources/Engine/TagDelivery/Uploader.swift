package import HostSystem
import Synchronization
public import TagStore

/// Takes tags out of a buffer, oldest first, and delivers them to a sink.
///
/// The buffer forgets exactly what the sink has received. One batch is in flight at a time.
public final class Uploader: Sendable {
    /// How a drain ended.
    public enum DrainOutcome: Sendable, Hashable {
        /// Nothing is left to send.
        case drained
        /// The sink does not take them now, and the time limit is reached; what is left is in the buffer.
        case gaveUp(reason: String)
        /// The task was cancelled.
        case cancelled
    }

    /// How long `run` leaves a buffer alone that cannot be read or written.
    private static let troubleInterval = Duration.seconds(5)

    private let buffer: TagBuffer
    private let sender: BatchSender
    private let clock: any HostClock
    /// How often `run` looks into an empty buffer.
    private let pollInterval: Duration
    private let board: ProgressBoard
    private let state = Mutex(State())

    private struct State {
        /// What the last run has learned; nil before the first.
        var schedule: DeliverySchedule?
        var isRunning = false
    }

    /// An uploader from a buffer to a sink.
    ///
    /// - Parameter report: told after every step; must return soon.
    public convenience init(
        buffer: TagBuffer, sink: any TagSink,
        report: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) {
        self.init(
            buffer: buffer, sink: sink, builder: .recordedTags(of: buffer.id, version: Self.version),
            report: report)
    }

    /// The version that batches name.
    package static let version = "0.1.0"

    /// An uploader that makes its batches by another builder, or goes by another clock.
    package init(
        buffer: TagBuffer, sink: any TagSink, builder: BatchBuilder, clock: any HostClock = .system,
        pollInterval: Duration = .seconds(1),
        report: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) {
        self.buffer = buffer
        sender = BatchSender(builder: builder, sink: sink)
        self.clock = clock
        self.pollInterval = pollInterval
        board = ProgressBoard(report)
    }

    /// What it has done, and what it is about.
    public var progress: DeliveryProgress { board.progress }

    /// Delivers for as long as the task lives, and what is appended meanwhile too.
    ///
    /// - Throws: an error of the buffer that does not pass by itself.
    public func run() async throws(StoreError) {
        var run = try await begin()
        defer { end(run) }
        while !Task.isCancelled {
            if await run.waitUntilDue(timeLimit: nil) == .cancelled { break }
            do throws(StoreError) {
                if try await run.step() { continue }
                board.set(.idle)
                await run.sleep(pollInterval)
            } catch {
                guard error.isRetriable else { throw error }
                board.set(.bufferTrouble(reason: error.description))
                await run.sleep(Self.troubleInterval)
            }
        }
        do throws(StoreError) {
            try await run.conclude()
        } catch {
            // What passes by itself only makes the tags go a second time.
            guard error.isRetriable else { throw error }
        }
    }

    /// Delivers what is in the buffer, and ends when there is nothing left or the sink takes nothing.
    ///
    /// It begins with a try, whatever wait there is.
    ///
    /// - Parameter timeLimit: how long it waits in all before it gives up; tries that fail count, and one that is under
    ///   way comes to its end.
    public func drain(timeLimit: Duration = .seconds(30)) async throws(StoreError) -> DrainOutcome {
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
            // A sink that never answers costs as much time as one that asks to be left alone.
            if board.progress.lastTrouble != nil { left -= clock.sinceBoot - start }
        }
        try await run.conclude()
        return .cancelled
    }

    private func begin() async throws(StoreError) -> DeliveryRun {
        let (isFirst, known) = state.withLock { state in
            defer { state.isRunning = true }
            return (!state.isRunning, state.schedule)
        }
        precondition(isFirst, "an uploader runs once at a time")
        let schedule: DeliverySchedule
        if let known {
            schedule = known
        } else {
            do throws(StoreError) {
                schedule = DeliverySchedule(try await buffer.deliveryState(), for: sender.sink.identity)
            } catch {
                state.withLock { $0.isRunning = false }
                throw error
            }
        }
        return DeliveryRun(schedule, buffer: buffer, sender: sender, clock: clock, board: board)
    }

    private func end(_ run: DeliveryRun) {
        state.withLock { state in
            state.schedule = run.schedule
            state.isRunning = false
        }
        if board.progress.activity == .sending { board.set(.idle) }
    }
}

extension SinkAnswer {
    /// What is wrong, for a person; nil where nothing is.
    var trouble: String? {
        switch self {
        case .received, .abandoned: nil
        case .refused(let code): "refused: \(code)"
        case .tooLarge: "the batch is too large"
        case .unsupportedEncoding: "the encoding is not known there"
        case .retry(let reason, _), .hold(let reason, _): reason
        }
    }
}
