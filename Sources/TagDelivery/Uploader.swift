import Synchronization
public import TagStore

/// Takes tags out of a store, oldest first, and delivers them to a sink.
///
/// The store forgets exactly what the sink has received. One batch is under way at a time; meanwhile the next is
/// read and built, and thrown away if that one is not received as a whole.
public final class Uploader: Sendable {
    /// How a drain ended.
    public enum DrainOutcome: Sendable, Hashable {
        /// Nothing is left to send.
        case drained
        /// The sink does not take them now, and the patience is at its end; what is left is in the store.
        case gaveUp(reason: String)
        /// The task was cancelled.
        case cancelled
    }

    private let store: TagBuffer
    private let sink: any TagSink
    private let builder: BatchBuilder
    private let clock: any DeliveryClock
    private let pollMilliseconds: Int64
    private let report: @Sendable (DeliveryProgress) -> Void
    private let core: Mutex<Core>

    private struct Core: ~Copyable {
        var schedule: DeliverySchedule?
        var progress = DeliveryProgress()
        var random: any RandomNumberGenerator & Sendable
        var sleeper: Task<Void, Never>?
        var isRunning = false

        mutating func take(_ answer: SinkAnswer, count: Int, now: Int64) -> DeliverySchedule.Action {
            var source = AnyRandom(base: random)
            defer { random = source.base }
            return schedule?.take(answer, count: count, now: now, using: &source) ?? .keep
        }

        mutating func takeHint(now: Int64) {
            var source = AnyRandom(base: random)
            schedule?.takeHint(now: now, using: &source)
            random = source.base
        }
    }

    private struct AnyRandom: RandomNumberGenerator {
        var base: any RandomNumberGenerator & Sendable
        mutating func next() -> UInt64 { base.next() }
    }

    /// An uploader from a store to a sink.
    ///
    /// - Parameters:
    ///   - pollMilliseconds: how often `run` looks into an empty store.
    ///   - report: told after every step; must return soon.
    public init(
        store: TagBuffer, sink: any TagSink, builder: BatchBuilder,
        clock: any DeliveryClock = SystemDeliveryClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        pollMilliseconds: Int64 = 1_000, report: @escaping @Sendable (DeliveryProgress) -> Void = { _ in }
    ) {
        self.store = store
        self.sink = sink
        self.builder = builder
        self.clock = clock
        self.pollMilliseconds = max(1, pollMilliseconds)
        self.report = report
        core = Mutex(Core(random: random))
    }

    /// What it has done, and what it is about.
    public var progress: DeliveryProgress { core.withLock { $0.progress } }

    /// Tells it that trying again may be worth it, because a network came back.
    ///
    /// A back-off ends a little sooner, at a random time within seconds; nothing ever waits for this.
    public func networkMayBeBack() {
        let now = clock.wallMilliseconds
        let sleeper = core.withLock { core in
            core.takeHint(now: now)
            return core.sleeper
        }
        // Whoever waits works out anew how long.
        sleeper?.cancel()
    }

    /// Delivers for as long as the task lives, and what is appended meanwhile too.
    ///
    /// - Throws: an error of the store that does not pass by itself.
    public func run() async throws(StoreError) {
        try await begin()
        defer { end() }
        var next: PreparedBatch?
        while !Task.isCancelled {
            if await waitsFor(schedule: nil) == .cancelled { return }
            do throws(StoreError) {
                if try await step(&next) { continue }
                set(.idle)
                await sleep(pollMilliseconds)
            } catch {
                guard error.isRetriable else { throw error }
                set(.storeTrouble(reason: error.description))
                await sleep(5_000)
            }
        }
    }

    /// Delivers what is in the store, and ends when there is nothing left or the sink takes nothing.
    ///
    /// It begins with a try, whatever wait is under way.
    ///
    /// - Parameter patience: how many milliseconds it waits in all before it gives up.
    public func drain(patience: Int64 = 30_000) async throws(StoreError) -> DrainOutcome {
        try await begin()
        defer { end() }
        core.withLock { $0.schedule?.tryNow() }
        var left = max(0, patience)
        var next: PreparedBatch?
        while !Task.isCancelled {
            switch await waitsFor(schedule: left) {
            case .cancelled: return .cancelled
            case .waited(let time): left -= time
            case .tooLong(let reason): return .gaveUp(reason: reason)
            }
            if try await !step(&next) {
                set(.idle)
                return .drained
            }
        }
        return .cancelled
    }

    // MARK: Steps

    private enum Wait: Hashable {
        case waited(Int64)
        case tooLong(String)
        case cancelled
    }

    private func begin() async throws(StoreError) {
        let isFirst = core.withLock { core in
            defer { core.isRunning = true }
            return !core.isRunning
        }
        precondition(isFirst, "an uploader runs once at a time")
        if core.withLock({ $0.schedule == nil }) {
            do throws(StoreError) {
                let state = try await store.deliveryState()
                core.withLock { $0.schedule = DeliverySchedule(state, for: sink.identity) }
            } catch {
                core.withLock { $0.isRunning = false }
                throw error
            }
        }
    }

    private func end() {
        core.withLock { core in
            core.isRunning = false
            if case .sending = core.progress.activity { core.progress.activity = .idle }
        }
    }

    /// Waits until the schedule lets it send.
    private func waitsFor(schedule patience: Int64?) async -> Wait {
        var waited: Int64 = 0
        while true {
            if Task.isCancelled { return .cancelled }
            let now = clock.wallMilliseconds
            let (left, state) = core.withLock { core in
                (core.schedule?.remainingWait(now: now) ?? 0, core.schedule?.state ?? .ready)
            }
            if left == 0 { return .waited(waited) }
            switch state {
            case .ready: return .waited(waited)
            case .backingOff(let until, let reason):
                set(.backingOff(until: until, reason: reason))
                if let patience, waited + left > patience { return .tooLong(reason) }
            case .holding(let until, let reason):
                set(.holding(until: until, reason: reason))
                if let patience, waited + left > patience { return .tooLong(reason) }
            }
            await sleep(left)
            waited += left
        }
    }

    private func sleep(_ milliseconds: Int64) async {
        let clock = clock
        let task = Task {
            do {
                try await clock.sleep(milliseconds: milliseconds)
            } catch {
                // Cancelled, by a hint or with the uploader's own task: who waits looks at the time anew.
            }
        }
        core.withLock { $0.sleeper = task }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        core.withLock { $0.sleeper = nil }
    }

    /// Sends one batch, the prepared one if it is still good, and prepares the next; false where the store is empty.
    private func step(_ next: inout PreparedBatch?) async throws(StoreError) -> Bool {
        let plan = core.withLock { $0.schedule?.plan ?? BatchPlan(count: 1, attempt: 1, encoding: .identity) }
        let prepared = next.take()
        let built: BatchBuilder.Result
        if let prepared, prepared.isGood(for: plan, losses: store.losses()) {
            built = prepared.built
        } else {
            let stored = try await store.nextBatch(
                maximumCount: plan.count, maximumByteCount: Self.maximumBodyByteCount)
            if stored.isEmpty { return false }
            built = builder.batch(
                of: stored, losses: store.losses(), attempt: plan.attempt, encoding: plan.encoding)
        }
        if !built.unreadable.isEmpty {
            let rejected = built.unreadable.map {
                Settlement.Rejection(sequence: $0.sequence, code: BatchBuilder.unreadableCode)
            }
            try await store.settle(Settlement(rejected: rejected))
            update { progress in
                progress.deadCount += rejected.count
                progress.unreadableCount += rejected.count
            }
        }
        guard let batch = built.batch else { return true }
        set(.sending)
        async let answer = sink.deliver(batch)
        let following = await prepare(after: built.tags)
        let outcome = await answer
        if let time = outcome.serverTime { await store.confirmClock(serverTime: time) }
        try await settle(outcome, built.tags)
        if outcome.answer == .received(rejected: []) { next = following }
        return true
    }

    /// What bodies of a batch take at most in the store, uncompressed.
    private static let maximumBodyByteCount = 2_000_000

    /// The batch behind one that is under way, as it will be if that is received as a whole.
    ///
    /// Nil where there are not enough tags for a full one: until it is sent, more may come.
    private func prepare(after tags: [StoredTag]) async -> PreparedBatch? {
        guard let first = tags.first?.sequence, let last = tags.last?.sequence,
            let plan = core.withLock({ $0.schedule?.plan(afterReceiptOf: tags.count) })
        else { return nil }
        let losses = store.losses()
        do throws(StoreError) {
            let stored = try await store.nextBatch(
                maximumCount: plan.count, maximumByteCount: Self.maximumBodyByteCount, after: last,
                sparing: first...last)
            guard stored.count == plan.count else { return nil }
            let built = builder.batch(
                of: stored, losses: losses, attempt: plan.attempt, encoding: plan.encoding)
            return PreparedBatch(plan: plan, losses: losses, built: built)
        } catch {
            // If the error lasts, the next reading meets it again.
            return nil
        }
    }

    private func settle(_ outcome: SinkOutcome, _ tags: [StoredTag]) async throws(StoreError) {
        let now = clock.wallMilliseconds
        let (action, blob) = core.withLock { core in
            let action = core.take(outcome.answer, count: tags.count, now: now)
            return (action, core.schedule?.encoded(for: sink.identity))
        }
        var settlement = Settlement(deliveryState: blob)
        switch action {
        case .forget(let rejected):
            let codes = Dictionary(rejected.map { ($0.id, $0.code) }, uniquingKeysWith: { first, _ in first })
            settlement.delivered.reserveCapacity(tags.count)
            for tag in tags {
                if !codes.isEmpty, let code = codes[tag.id] {
                    settlement.rejected.append(.init(sequence: tag.sequence, code: code))
                } else {
                    settlement.delivered.append(tag.sequence)
                }
            }
        case .bury(let code):
            settlement.rejected = tags.map { .init(sequence: $0.sequence, code: code) }
        case .keep:
            break
        }
        if outcome.answer != .abandoned { try await store.settle(settlement) }
        let done = settlement
        update { progress in
            progress.attemptCount += 1
            progress.sentByteCount += outcome.sentByteCount
            progress.deliveredCount += done.delivered.count
            progress.deadCount += done.rejected.count
            if case .forget = action { progress.batchCount += 1 }
            progress.lastTrouble = outcome.answer.trouble
        }
    }

    // MARK: Telling

    private func set(_ activity: DeliveryProgress.Activity) {
        update { $0.activity = activity }
    }

    private func update(_ change: (inout DeliveryProgress) -> Void) {
        let (before, after) = core.withLock { core in
            let before = core.progress
            change(&core.progress)
            return (before, core.progress)
        }
        if before != after { report(after) }
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
