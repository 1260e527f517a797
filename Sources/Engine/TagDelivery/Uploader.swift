import Synchronization
package import TagStore

/// Takes tags out of a store, oldest first, and delivers them to a sink.
///
/// The store forgets exactly what the sink has received. One batch is under way at a time. While it is, the store
/// forgets the one before and reads the tags of the next.
package final class Uploader: Sendable {
    /// How a drain ended.
    package enum DrainOutcome: Sendable, Hashable {
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
    package init(
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
    package var progress: DeliveryProgress { core.withLock { $0.progress } }

    /// Tells it that trying again may be worth it, because a network came back.
    ///
    /// A back-off ends a little sooner, at a random time within seconds; nothing ever waits for this.
    package func networkMayBeBack() {
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
    package func run() async throws(StoreError) {
        try await begin()
        defer { end() }
        var work = Work()
        while !Task.isCancelled {
            if await waitsFor(schedule: nil) == .cancelled { break }
            do throws(StoreError) {
                if try await step(&work) { continue }
                set(.idle)
                await sleep(pollMilliseconds)
            } catch {
                guard error.isRetriable else { throw error }
                set(.storeTrouble(reason: error.description))
                await sleep(5_000)
            }
        }
        do throws(StoreError) {
            try await conclude(&work)
        } catch {
            // What passes by itself only makes the tags go a second time.
            guard error.isRetriable else { throw error }
        }
    }

    /// Delivers what is in the store, and ends when there is nothing left or the sink takes nothing.
    ///
    /// It begins with a try, whatever wait is under way.
    ///
    /// - Parameter patience: how many milliseconds it waits in all before it gives up.
    package func drain(patience: Int64 = 30_000) async throws(StoreError) -> DrainOutcome {
        try await begin()
        defer { end() }
        core.withLock { $0.schedule?.tryNow() }
        var left = max(0, patience)
        var work = Work()
        waiting: while !Task.isCancelled {
            switch await waitsFor(schedule: left) {
            case .cancelled: break waiting
            case .waited(let time): left -= time
            case .tooLong(let reason): return .gaveUp(reason: reason)
            }
            if try await !step(&work) {
                set(.idle)
                return .drained
            }
        }
        try await conclude(&work)
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

    /// What one step leaves to the next.
    private struct Work {
        /// What an answer changes, and the store does not know yet.
        var conclusion: Conclusion?
        /// The tags of the next batch.
        var next: ReadAhead?
    }

    /// What an answer changes.
    private struct Conclusion {
        let settlement: Settlement
        let outcome: SinkOutcome
        let isReceipt: Bool
    }

    /// What bodies of a batch take at most in the store, uncompressed.
    private static let maximumBodyByteCount = 2_000_000

    /// Sends one batch; false where the store is empty.
    ///
    /// While it is built, compressed and under way, the store settles the batch before it and reads the tags behind
    /// it: those are used if all goes well, and forgotten if not.
    private func step(_ work: inout Work) async throws(StoreError) -> Bool {
        let plan = core.withLock { core in
            (
                count: core.schedule?.nextCount ?? 1, attempt: core.schedule?.attempt ?? 1,
                encoding: core.schedule?.encoding ?? .identity
            )
        }
        let tags: [StoredTag]
        if let next = work.next.take(), next.isGood(forCount: plan.count, losses: store.losses()) {
            tags = next.tags
        } else {
            try await conclude(&work)
            tags = try await store.nextBatch(
                maximumCount: plan.count, maximumByteCount: Self.maximumBodyByteCount)
            if tags.isEmpty { return false }
        }
        set(.sending)
        async let delivery = deliver(tags, attempt: plan.attempt, encoding: plan.encoding)
        try await conclude(&work)
        let next = await readAhead(behind: tags)
        let (built, outcome) = await delivery
        try await bury(built.unreadable)
        guard let outcome else { return true }
        if let time = outcome.serverTime { await store.confirmClock(serverTime: time) }
        work.conclusion = conclusion(of: outcome, built.tags)
        // Only what is read already is waited for: whatever else comes next needs a store that knows of this.
        if case .received([], _) = outcome.answer, built.tags.count == tags.count, let next {
            work.next = next
        } else {
            try await conclude(&work)
        }
        return true
    }

    /// Builds a batch of the first of these tags and sends it; nothing is sent where none can be read.
    private func deliver(
        _ tags: [StoredTag], attempt: Int, encoding: ContentEncoding
    ) async -> (built: BatchBuilder.Result, outcome: SinkOutcome?) {
        let built = builder.batch(of: tags, losses: store.losses(), attempt: attempt, encoding: encoding)
        guard let batch = built.batch else { return (built, nil) }
        return (built, await sink.deliver(batch))
    }

    /// The tags behind a batch that is under way: as many as are sent next if it is received as a whole.
    ///
    /// Nil where there are fewer: until their turn more may come.
    private func readAhead(behind tags: [StoredTag]) async -> ReadAhead? {
        guard let first = tags.first?.sequence, let last = tags.last?.sequence,
            let count = core.withLock({ $0.schedule?.nextCount(afterReceiptOf: tags.count) })
        else { return nil }
        let losses = store.losses()
        do throws(StoreError) {
            let next = try await store.nextBatch(
                maximumCount: count, maximumByteCount: Self.maximumBodyByteCount, after: last,
                sparing: first...last)
            return next.count == count ? ReadAhead(tags: next, losses: losses) : nil
        } catch {
            // If the error lasts, the next reading meets it again.
            return nil
        }
    }

    private func bury(_ unreadable: [StoredTag]) async throws(StoreError) {
        if unreadable.isEmpty { return }
        let rejected = unreadable.map {
            Settlement.Rejection(sequence: $0.sequence, code: BatchBuilder.unreadableCode)
        }
        try await store.settle(Settlement(rejected: rejected))
        update { progress in
            progress.deadCount += rejected.count
            progress.unreadableCount += rejected.count
        }
    }

    /// What the schedule makes of an answer.
    private func conclusion(of outcome: SinkOutcome, _ tags: [StoredTag]) -> Conclusion {
        let now = clock.wallMilliseconds
        let (action, blob) = core.withLock { core in
            let action = core.take(outcome.answer, count: tags.count, now: now)
            return (action, core.schedule?.encoded(for: sink.identity))
        }
        var settlement = Settlement(deliveryState: blob)
        var isReceipt = false
        switch action {
        case .forget(let rejected):
            isReceipt = true
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
        return Conclusion(settlement: settlement, outcome: outcome, isReceipt: isReceipt)
    }

    /// Lets the store know what an answer changes.
    private func conclude(_ work: inout Work) async throws(StoreError) {
        guard let conclusion = work.conclusion.take() else { return }
        let settlement = conclusion.settlement
        let outcome = conclusion.outcome
        if outcome.answer != .abandoned { try await store.settle(settlement) }
        update { progress in
            progress.attemptCount += 1
            progress.sentByteCount += outcome.sentByteCount
            progress.deliveredCount += settlement.delivered.count
            progress.deadCount += settlement.rejected.count
            if conclusion.isReceipt { progress.batchCount += 1 }
            if case .received(_, let duplicateCount) = outcome.answer { progress.duplicateCount += duplicateCount }
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
