import Synchronization
import TagDelivery
import TagStore
import TestSupport
import Testing

/// The conditions under which a delivery retries before its wait after a failure is over.
@Suite(.timeLimit(.minutes(30)))
struct RetryTests {
    /// Returns a sink that holds once and then accepts.
    private func sink() -> ScriptedSink {
        ScriptedSink { number, _ in
            number == 1 ? .hold(reason: "status 401", notBefore: nil) : .received(rejected: [])
        }
    }

    /// Returns an uploader that adds its activities to `seen`.
    private func uploader(_ bench: DeliveryBench, to sink: ScriptedSink, _ seen: Activities) -> Uploader {
        Uploader(
            buffer: bench.store, sink: sink,
            builder: BatchBuilder(
                store: bench.store.id, version: "t", encodeLine: DeliveryBench.builderLine),
            clock: bench.clock
        ) { seen.append($0.activity) }
    }

    private final class Activities: Sendable {
        private let all = Mutex<[DeliveryProgress.Activity]>([])
        func append(_ activity: DeliveryProgress.Activity) { all.withLock { $0.append(activity) } }
        var waits: [String] { all.withLock { $0.compactMap(\.reason) } }
    }

    private func run(_ uploader: Uploader) -> Task<Void, any Error> { Task { try await uploader.run() } }

    @Test func start_withSavedHold_reportsItAndRetriesImmediately() async throws {
        let clock = ManualClock()
        let bench = try await DeliveryBench(clock: clock)
        try await bench.append(3)
        let sink = sink()
        let first = run(uploader(bench, to: sink, Activities()))
        await clock.waitForSleepers()
        first.cancel()
        try await first.value
        #expect(sink.batches.count == 1 && bench.store.totals().delivered == 0)
        let seen = Activities()
        let second = run(uploader(bench, to: sink, seen))
        // The uploader sleeps when the buffer is empty.
        await clock.waitForSleepers()
        #expect(bench.store.totals().delivered == 3)
        #expect(seen.waits.first == "status 401")
        second.cancel()
        try await second.value
        await bench.store.close()
    }

    @Test func retryNow_duringAHold_retriesImmediately() async throws {
        let clock = ManualClock()
        let bench = try await DeliveryBench(clock: clock)
        try await bench.append(3)
        let sink = sink()
        let uploader = uploader(bench, to: sink, Activities())
        let running = run(uploader)
        await clock.waitForSleepers()
        uploader.retryNow()
        while sink.batches.count < 2 { await Task.yield() }
        running.cancel()
        try await running.value
        #expect(bench.store.totals().delivered == 3)
        await bench.store.close()
    }
}
