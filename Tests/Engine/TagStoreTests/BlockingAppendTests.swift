import Dispatch
import Foundation
import Synchronization
import Testing

@testable import TagStore

extension TagBuffer {
    /// Lets asynchronous tests append as a thread that blocks does.
    @discardableResult
    func appendBlocking(_ tags: [NewTag]) throws(StoreError) -> AppendOutcome { try appendAndWait(tags) }
}

/// Runs a closure on a thread of its own, and suspends until it returns.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { answer in
        Thread { answer.resume(returning: work()) }.start()
    }
}

/// Appends of threads that block: what they do themselves, and what they leave to the store's thread.
@Suite struct BlockingAppendTests {
    /// Every count of rows up to four pieces, on the caller's thread, with the store's own compressing along.
    @Test func append_ofEveryCount_comesBackInOrder() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 31)
        let store = try await TagBuffer.open(directory: directory.path, clock: TestClock())
        let groups = (1...66).map { count in source.tags(count * (count - 1) / 2..<count * (count + 1) / 2) }
        let outcomes = await onThread { groups.map { group in Result { try store.appendBlocking(group) } } }
        var last: Int64 = 0
        for (group, outcome) in zip(groups, outcomes) {
            let end = last + Int64(group.count)
            #expect(try outcome.get() == AppendOutcome(sequences: last + 1...end, durability: .durable))
            last = end
        }
        let stored = try await store.tags(maximumCount: 10_000)
        #expect(stored.map(\.id) == groups.joined().map(\.id))
        #expect(stored.map(\.body) == groups.joined().map(\.body))
        #expect(try await store.status().commitCount >= 66)
        try await expectConservation(store, offered: Int(last))
        await store.close()
    }

    /// Nobody else is at work, so the store's thread need not do anything, and could not.
    @Test func append_whileTheStoreHasNothingToDo_isDoneByTheCaller() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: TestClock())
        try await store.append([NewTag(body: [1])])
        let gate = DispatchSemaphore(value: 0)
        // As help it does not own the store, but keeps the thread from everything else.
        store.thread.enqueueHelp { gate.wait() }
        async let outcome = onThread { Result { try store.appendBlocking([NewTag(body: [2])]) } }
        while store.totals().accepted < 2, store.waitingAppendCount == 0 { await Task.yield() }
        #expect(store.totals().accepted == 2)
        gate.signal()
        #expect(try await outcome.get().sequences == 2...2)
        try await expectConservation(store, offered: 2)
        await store.close()
    }

    /// Callers that find the store at work share its next commits, like tasks.
    @Test func appends_whileTheStoreIsAtWork_shareCommits() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: TestClock())
        let before = try await store.status().commitCount
        let gate = DispatchSemaphore(value: 0)
        store.thread.enqueue { gate.wait() }
        let ranges = try await withThrowingTaskGroup(of: ClosedRange<Int64>?.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let tags = [NewTag(body: Array("tag \(number)".utf8)), NewTag(body: [])]
                    return try await onThread { Result { try store.appendBlocking(tags) } }.get().sequences
                }
            }
            while store.waitingAppendCount < 100 { await Task.yield() }
            gate.signal()
            return try await group.reduce(into: [ClosedRange<Int64>]()) { list, range in
                if let range { list.append(range) }
            }
        }
        #expect(ranges.map(\.lowerBound).sorted() == [Int64](stride(from: 1, to: 200, by: 2)))
        #expect(ranges.allSatisfy { $0.count == 2 })
        #expect(try await store.status().commitCount - before == 200 / Int64(StoreBudget.groupRowCount))
        try await expectConservation(store, offered: 200)
        await store.close()
    }

    /// Threads, tasks and a sender at the same time: every tag is delivered once, and each call has its own.
    @Test func appends_besideTasksAndASender_loseAndMixNothing() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: TestClock())
        let sizes = [1, 17, 40, 3]
        let groups = (0..<160).map { number in
            (0..<sizes[number % 4]).map { NewTag(body: Array("\(number) \($0)".utf8)) }
        }
        let delivered = try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                let own = groups.indices.filter { $0 / 4 % 4 == worker }
                group.addTask {
                    if worker < 2 {
                        try await onThread {
                            Result { for number in own { try store.appendBlocking(groups[number]) } }
                        }.get()
                    } else {
                        for number in own { try await store.append(groups[number]) }
                    }
                }
            }
            var delivered: [StoredTag] = []
            let count = groups.joined().count
            while delivered.count < count {
                let batch = try await store.nextBatch(maximumCount: 64, maximumByteCount: .max)
                try await store.settle(Settlement(delivered: batch.map(\.sequence)))
                delivered += batch
                if batch.isEmpty { await Task.yield() }
                // Where an append was refused there would be no end.
                if store.totals().refused > 0 { break }
            }
            try await group.waitForAll()
            return delivered
        }
        let places = Dictionary(uniqueKeysWithValues: delivered.map { ($0.id, $0) })
        #expect(places.count == delivered.count)
        for group in groups {
            let stored = group.compactMap { places[$0.id] }
            #expect(stored.map(\.body) == group.map(\.body))
            let first = try #require(stored.first?.sequence)
            #expect(stored.map(\.sequence) == [Int64](first..<first + Int64(group.count)))
        }
        try await expectConservation(store, offered: groups.joined().count)
        await store.close()
    }

    /// At its bound the store makes room, or refuses, as it does for tasks; every file stays within the bound.
    @Test(arguments: [StoreSettings.FullPolicy.evictOldest, .refuseNewest])
    func append_atTheBound_followsThePolicy(_ policy: StoreSettings.FullPolicy) async throws {
        let directory = TestDirectory()
        let settings = StoreSettings(maximumByteCount: 2_000_000, fullPolicy: policy)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: TestClock())
        let refused = await onThread { () -> Int in
            var random = SplitMix64(state: 32)
            var refused = 0
            for _ in 0..<200 {
                let tags = (0..<40).map { _ in NewTag(body: random.bytes(200)) }
                do throws(StoreError) {
                    try store.appendBlocking(tags)
                } catch {
                    refused += error == .full ? tags.count : 0
                }
                if directory.byteCount > settings.maximumByteCount { return -1 }
            }
            return refused
        }
        #expect((refused > 0) == (policy == .refuseNewest))
        #expect(store.totals().refused == Int64(refused))
        #expect((store.losses().evicted > 0) == (policy == .evictOldest))
        try await expectConservation(store, offered: 8_000)
        await store.close()
    }

    @Test func append_thatCannotBe_throwsAsForTasks() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: TestClock())
        #expect(try store.appendBlocking([]).sequences == nil)
        let body = [UInt8](repeating: 1, count: NewTag.maximumBodyByteCount + 1)
        #expect(throws: StoreError.appendTooLarge(byteCount: 65_537, limit: 65_536)) {
            try store.appendBlocking([NewTag(body: body)])
        }
        var random = SplitMix64(state: 33)
        let many = (0..<1_000).map { _ in NewTag(body: random.bytes(400)) }
        let tooMany = await onThread { Result { try store.appendBlocking(many) } }
        #expect(throws: StoreError.self) { try tooMany.get() }
        #expect(store.totals().refused == 1_001)
        await store.close()
        let closed = await onThread { Result { try store.appendBlocking([NewTag(body: [1])]) } }
        #expect(throws: StoreError.closed) { try closed.get() }
    }
}
