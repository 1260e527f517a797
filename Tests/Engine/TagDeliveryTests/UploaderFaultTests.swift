import CollectorService
import Glibc
import HTTPTransfer
import HostSystem
import TagDelivery
import TagStore
import TestSupport
import Testing

/// Every fault of the scripted collector, with a real buffer.
///
/// After each fault, every tag must be accounted for, and the collector's own files count the delivered tags.
@Suite(.timeLimit(.minutes(30)), .serialized) struct UploaderFaultTests {
    /// The faults, and the number of tags that become dead letters; all other tags are delivered exactly once.
    static let passing: [(faults: String, dead: Int)] = [
        ("", 0), ("lost-answer@first=1", 0), ("lost-answer@every=2", 0), ("lost-answer@first=5", 0),
        ("garbage@first=3", 0), ("status=503@first=4", 0), ("status=503,retry-after=5@first=2", 0),
        ("status=503,retry-date=5@first=2", 0), ("status=429,retry-after=3600@first=1", 0),
        ("status=408@first=1", 0), ("status=409@first=1", 0), ("status=425@first=1", 0),
        ("status=500@first=1", 0),
        ("status=502@first=2", 0), ("status=504@first=1", 0), ("status=599@first=1", 0),
        ("status=204@first=1", 0),
        ("status=401@first=1", 0), ("status=403@first=2", 0), ("status=404@first=1", 0),
        ("status=410@first=1", 0),
        ("status=402@first=1", 0), ("status=301@first=1", 0), ("status=307@first=1", 0),
        ("status=413@first=3", 0),
        ("status=415@first=1", 0), ("status=415@first=2", 0), ("status=415@first=4", 0),
        ("status=400@first=2", 0),
        ("status=422@first=2", 0), ("portal=200@first=2", 0), ("portal=400@first=2", 0),
        ("portal=302@first=2", 0),
        ("no-zstd", 0), ("no-zstd no-gzip", 0), ("too-large=100", 0), ("too-large=7", 0), ("too-large=1", 0),
        ("reset=0@first=1", 0), ("reset=100@first=2", 0), ("slow=200000@first=1", 0), ("poison=1", 1),
        ("poison=700", 1), ("poison=2,answer=400", 1), ("poison=500,answer=422", 1),
        ("poison=501,answer=400", 1),
        ("poison=700,answer=422", 1), ("poison=3,answer=400 poison=444,answer=422", 2),
        ("poison=9,answer=422 lost-answer@every=3 status=503@every=4 too-large=90", 1),
        ("poison=9 garbage@every=2 no-zstd", 1),
    ]

    @Test(arguments: passing)
    func temporaryFault_losesAndDuplicatesNoTags(faults: String, dead: Int) async throws {
        let bench = try await DeliveryBench()
        try await bench.append(700)
        let collector = try bench.collector(faults)
        let outcome = try await bench.uploader(to: collector.url).drain(timeLimit: .seconds(1 << 40))
        #expect(outcome.end == .drained)
        let totals = bench.store.totals()
        let collected = try bench.folder.collectedIDs()
        #expect(totals.isBalanced && totals.accepted == 700 && totals.inStore == 0)
        #expect(totals.losses.dead == Int64(dead) && totals.losses.total == Int64(dead))
        #expect(totals.delivered == Int64(700 - dead))
        #expect(collected.count == 700 - dead, "\(faults)")
        #expect(Set(collected).count == collected.count)
        #expect(collector.status.stores.map(\.id) == [bench.store.id.text])
        await bench.store.close()
    }

    /// The control: a collector that forgets ids stores duplicates when the uploader retries after a lost answer.
    @Test func collector_thatForgetsIDs_storesDuplicates() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(700)
        let collector = try bench.collector("lost-answer@first=1 forgetful")
        #expect(
            try await bench.uploader(to: collector.url).drain(timeLimit: .seconds(1 << 40)).end == .drained)
        let collected = try bench.folder.collectedIDs()
        #expect(collected.count == 1_200 && Set(collected).count == 700)
        #expect(bench.store.totals().delivered == 700)
        await bench.store.close()
    }

    @Test(arguments: [
        "status=401", "status=403", "status=404", "status=410", "portal=200", "portal=400", "portal=302",
        "status=503", "garbage", "lost-answer", "reset=0", "status=415",
    ])
    func persistentFault_keepsAllTagsUntilResolved(faults: String) async throws {
        let bench = try await DeliveryBench()
        try await bench.append(120)
        var collector: Collector? = try bench.collector(faults)
        let url = try #require(collector).url
        let uploader = bench.uploader(to: url)
        let outcome = try await uploader.drain(timeLimit: .seconds(3_000))
        guard case .gaveUp(let reason) = outcome.end else {
            Issue.record("\(faults) did not hold it up")
            return
        }
        #expect(!reason.isEmpty && "\(outcome)" == "gave up: 0 delivered, 0 refused, 120 waiting: \(reason)")
        #expect(bench.store.totals().inStore == 120 && bench.store.totals().losses.total == 0)
        switch uploader.progress.activity {
        case .holding, .backingOff: break
        default: Issue.record("\(uploader.progress.activity)")
        }
        collector?.stop()
        collector = nil
        // Another uploader, as after a restart, and a collector without faults.
        let second = try bench.collector("")
        #expect(try await bench.uploader(to: second.url).drain(timeLimit: .seconds(1 << 40)).end == .drained)
        let collected = try bench.folder.collectedIDs()
        #expect(collected.count == 120 && Set(collected).count == 120)
        #expect(bench.store.totals().delivered == 120 && bench.store.totals().isBalanced)
        await bench.store.close()
    }

    @Test func poisonTag_anywhereInSmallBatch_isTheOnlyDeadLetter() async throws {
        for place in 1...20 {
            let bench = try await DeliveryBench()
            try await bench.append(20)
            let collector = try bench.collector("poison=\(place),answer=422")
            let ids = try await bench.store.tags(maximumCount: 20).map(\.id)
            let outcome = try await bench.uploader(to: collector.url).drain(timeLimit: .seconds(1 << 40))
            #expect(outcome == DrainOutcome(end: .drained, deliveredCount: 19, deadCount: 1, waitingCount: 0))
            let dead = try await bench.store.deadLetters(maximumCount: 10)
            #expect(dead.map(\.tag.id) == [ids[place - 1]] && dead.map(\.code) == ["bad_tag"])
            #expect(try bench.folder.collectedIDs().count == 19)
            await bench.store.close()
        }
    }

    @Test func unreadableBody_becomesADeadLetter_withoutBlockingDelivery() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(3)
        try await bench.append(600, body: "X")
        try await bench.append(4)
        let collector = try bench.collector("")
        let uploader = bench.uploader(to: collector.url)
        #expect(try await uploader.drain().end == .drained)
        #expect(uploader.progress.unreadableCount == 600 && uploader.progress.deliveredCount == 7)
        #expect(try await bench.store.deadLetters(maximumCount: 1).map(\.code) == ["unreadable_body"])
        #expect(bench.store.totals().losses.dead == 600 && bench.store.totals().isBalanced)
        #expect(try bench.folder.collectedIDs().count == 7)
        // The outcome of a drain excludes everything before it.
        try await bench.append(2)
        let outcome = try await uploader.drain()
        #expect(outcome == DrainOutcome(end: .drained, deliveredCount: 2, deadCount: 0, waitingCount: 0))
        await bench.store.close()
    }

    @Test func waits_followTheSchedule() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(10)
        let collector = try bench.collector("status=401@first=2 status=503,retry-after=7200@first=3")
        #expect(
            try await bench.uploader(to: collector.url).drain(timeLimit: .seconds(1 << 40)).end == .drained)
        #expect(bench.clock.sleeps == [.seconds(900), .seconds(900), .seconds(3_600)])
        await bench.store.close()
    }

    /// The time limit includes failed attempts, because the user of the tool waits for these too.
    @Test func drainTimeLimit_includesFailedAttempts() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(10)
        let clock = bench.clock
        let sink = SlowSink(clock: clock, seconds: 20)
        guard case .gaveUp = try await bench.uploader(to: sink).drain(timeLimit: .seconds(5)).end else {
            Issue.record("it did not give up")
            return
        }
        #expect(sink.count.next() == 2)
        await bench.store.close()
    }

    @Test func run_deliversLaterTags_andEndsWhenItsTaskIsCancelled() async throws {
        let bench = try await DeliveryBench()
        let collector = try bench.collector("lost-answer@every=3")
        let uploader = bench.uploader(to: collector.url)
        let task = Task { try await uploader.run() }
        for _ in 0..<5 {
            try await bench.append(60)
            try await wait(for: "an empty store", asking: { bench.store.totals().inStore == 0 })
        }
        task.cancel()
        try await task.value
        #expect(Set(try bench.folder.collectedIDs()).count == 300)
        #expect(collector.status.accepted == 300 && bench.store.totals().delivered == 300)
        await bench.store.close()
    }

    @Test func token_isSentButNotShownInErrors() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(5)
        let tokens = try CollectorTokens(parsing: "s3cret-token")
        let collector = try bench.collector("") { $0.tokens = tokens }
        let wrong = bench.uploader(to: collector.url, token: "wr0ng-token")
        guard case .gaveUp(let reason) = try await wrong.drain(timeLimit: .zero).end else {
            Issue.record("a wrong token was taken")
            return
        }
        #expect(reason.contains("401") && !reason.contains("wr0ng") && !"\(wrong.progress)".contains("wr0ng"))
        let right = bench.uploader(to: collector.url, token: "s3cret-token")
        #expect(try await right.drain().end == .drained)
        #expect(collector.status.accepted == 5)
        await bench.store.close()
    }
}

/// Stops a task until the test lets it continue.
private final class TestGate: Sendable {
    private let arrivals = AsyncStream.makeStream(of: Void.self)
    private let openings = AsyncStream.makeStream(of: Void.self)

    func pass() async {
        arrivals.continuation.finish()
        for await _ in openings.stream {}
    }

    func waitForArrival() async { for await _ in arrivals.stream {} }

    func open() { openings.continuation.finish() }
}

/// A buffer has one uploader at a time.
@Suite(.timeLimit(.minutes(30))) struct UploaderOwnershipTests {
    /// The second uploader throws while the first one sends, and may deliver afterwards.
    @Test(arguments: ["run", "drain"]) func secondUploader_whileOneDelivers_throwsInUse(call: String)
        async throws
    {
        let bench = try await DeliveryBench()
        try await bench.append(3)
        let isSending = TestGate()
        let first = bench.uploader(
            to: ScriptedSink { _, _ in
                await isSending.pass()
                return .received(rejected: [])
            })
        let second = bench.uploader(to: ScriptedSink { _, _ in .received(rejected: []) })
        async let drained = first.drain()
        await isSending.waitForArrival()
        await #expect(throws: StoreError.inUse(pid: getpid())) {
            if call == "run" { try await second.run() } else { _ = try await second.drain() }
        }
        isSending.open()
        let outcome = try await drained
        #expect(outcome.deliveredCount == 3)
        #expect(try await second.drain().end == .drained)
        await bench.store.close()
    }
}

/// A sink that responds late and then asks for a retry.
private struct SlowSink: TagSink {
    let identity = "slow"
    let clock: ManualClock
    let seconds: Int
    let count = Counter()

    func deliver(_ batch: TagBatch) async -> SinkOutcome {
        _ = count.next()
        clock.advance(by: .seconds(seconds))
        // No shorter than the jitter of any first wait.
        return SinkOutcome(.retry(reason: "no answer in time", notBefore: .seconds(1)))
    }
}
