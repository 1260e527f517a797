import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

@Suite(.timeLimit(.minutes(30))) struct AppendTests {
    @Test func append_thenReopen_preservesTagsAndOrder() async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        var source = BodySource(seed: 1)
        let tags = source.tags(0..<120)
        let store = try await TagBuffer.open(directory: directory.path, clock: clock)
        let outcome = try await store.append(Array(tags[..<100]))
        #expect(outcome == AppendOutcome(sequences: 1...100, durability: .durable))
        try await store.append(Array(tags[100...]))
        try await expectConservation(store, offered: 120)
        let id = store.id
        await store.close()

        let again = try await TagBuffer.open(directory: directory.path, clock: clock)
        #expect(again.id == id)
        #expect(again.findings == OpeningFindings())
        let batch = try await again.nextBatch(maximumCount: 500, maximumByteCount: .max)
        #expect(batch.map(\.id) == tags.map(\.id))
        #expect(batch.map(\.body) == tags.map(\.body))
        #expect(batch.map(\.sequence) == [Int64](1...120))
        #expect(batch.allSatisfy { $0.received == clock.unixMilliseconds })
        try await again.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
        #expect(try await again.nextBatch(maximumCount: 500, maximumByteCount: .max).isEmpty)
        #expect(again.totals().delivered == 120)
        try await expectConservation(again, offered: 120)
        await again.close()
    }

    /// The counts cover every remainder of the statements for 16, 4 and 1 rows.
    @Test func append_ofAnyCount_isReadBackInOrder() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 14)
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        var tags: [NewTag] = []
        for count in 1...66 {
            let added = source.tags(tags.count..<tags.count + count)
            let outcome = try await store.append(added)
            tags += added
            #expect(outcome.sequences == Int64(tags.count - count + 1)...Int64(tags.count))
        }
        let stored = try await store.tags(maximumCount: 10_000)
        #expect(stored.map(\.id) == tags.map(\.id))
        #expect(stored.map(\.body) == tags.map(\.body))
        #expect(stored.map(\.sequence) == [Int64](1...Int64(tags.count)))
        #expect(try await store.verify().isIntact)
        try await expectConservation(store, offered: tags.count)
        await store.close()
    }

    /// The second append waits for the interval, which does not pass, and is committed by `close`.
    @Test func close_commitsAppendThatWaitsForInterval() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 15)
        let tags = source.tags(0..<2)
        var settings = StoreSettings()
        settings.commitInterval = .seconds(100_000)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        try await store.append([tags[0]])
        async let second = store.append([tags[1]])
        while store.waitingAppendCount == 0 { await Task.yield() }
        #expect(try await store.tags(maximumCount: 10).map(\.id) == [tags[0].id])
        await store.close()
        #expect(try await second == AppendOutcome(sequences: 2...2, durability: .durable))

        let again = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(try await again.tags(maximumCount: 10).map(\.body) == tags.map(\.body))
        await again.close()
    }

    @Test func appendsWithinInterval_shareOneCommit() async throws {
        var queue = AppendQueue(interval: .milliseconds(50))
        let start = ContinuousClock.now
        func add() async -> AppendQueue.Action {
            var action = AppendQueue.Action.refuse
            _ = await withCheckedContinuation { answer in
                let append = EncodedAppend(
                    entries: [], bytes: [0], owner: .nobody, receivedWall: 0, receivedBoot: 0)
                action = queue.add(AppendQueue.Waiting(append: append, answer: answer))
                // This test does not use the outcome.
                answer.resume(returning: .failure(.closed))
            }
            return action
        }
        /// Commits at a time in milliseconds, and returns the number of appends and whether another commit follows.
        func commit(at time: Int) -> (count: Int, isLast: Bool) {
            let group = queue.takeGroup(rowCount: 500, byteCount: 10, at: start + .milliseconds(time))
            return (group.count, !queue.endCommit())
        }
        #expect(await add() == .beginCommit)
        #expect(queue.timeToStart(at: start) == .zero)
        var result = commit(at: 0)
        #expect(result == (1, true))
        #expect(await add() == .beginCommit)
        #expect(queue.timeToStart(at: start + .milliseconds(20)) == .milliseconds(30))
        for _ in 0..<11 { #expect(await add() == .none) }
        #expect(queue.timeToStart(at: start + .milliseconds(60)) == .zero)
        // What does not fit in one commit does not wait for the interval.
        result = commit(at: 60)
        #expect(result == (10, false))
        #expect(queue.timeToStart(at: start + .milliseconds(60)) == .zero)
        result = commit(at: 61)
        #expect(result == (2, true))
        #expect(queue.timeToStart(at: start + .milliseconds(61)) == .milliseconds(50))
    }

    /// Concurrent large appends share one compressor, which must not mix up their bodies.
    @Test func concurrentLargeAppends_doNotMixUpTags() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        let groups = (0..<24).map { group in
            var source = BodySource(seed: UInt64(group))
            return source.tags(group * 1_000..<group * 1_000 + 40 + group)
        }
        let outcomes = try await withThrowingTaskGroup(of: (Int, AppendOutcome).self) { tasks in
            for (number, group) in groups.enumerated() {
                tasks.addTask { (number, try await store.append(group)) }
            }
            var outcomes: [Int: AppendOutcome] = [:]
            for try await (number, outcome) in tasks { outcomes[number] = outcome }
            return outcomes
        }
        let stored = try await store.tags(maximumCount: 10_000)
        #expect(stored.count == groups.reduce(0) { $0 + $1.count })
        for (number, group) in groups.enumerated() {
            let sequences = try #require(outcomes[number]?.sequences)
            let own = stored.filter { sequences.contains($0.sequence) }
            #expect(own.map(\.id) == group.map(\.id))
            #expect(own.map(\.body) == group.map(\.body))
        }
        try await expectConservation(store, offered: stored.count)
        await store.close()
    }

    @Test func append_ofNoTags_usesNoSequence() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(try await store.append([]).sequences == nil)
        #expect(try await store.append([NewTag(body: [1])]).sequences == 1...1)
        try await expectConservation(store, offered: 1)
        await store.close()
    }

    /// Empty bodies, single bytes, incompressible and compressible bodies, and a body of the maximum size.
    @Test func append_ofAnyBody_isReadBackUnchanged() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 2)
        var bodies: [[UInt8]] = [[], [0], [0xFF], Array(repeating: 7, count: NewTag.maximumBodyByteCount)]
        for count in 1...64 { bodies.append(source.body(count, byteCount: count)) }
        bodies.append((0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 3) })
        for dictionaries in [[], BodyDictionary.shipped] {
            let settings = StoreSettings(dictionaries: dictionaries)
            let path = directory.path + "/\(dictionaries.count)"
            let store = try await TagBuffer.open(directory: path, settings: settings, clock: ManualClock())
            try await store.append(bodies.map { NewTag(body: $0) })
            let batch = try await store.nextBatch(maximumCount: 500, maximumByteCount: .max)
            #expect(batch.map(\.body) == bodies)
            try await expectConservation(store, offered: bodies.count)
            await store.close()
        }
    }

    /// A row must be decoded with the dictionary that it was encoded with, not with a later one.
    @Test func append_beforeANewDictionary_isReadableAfterwards() async throws {
        let directory = TestDirectory()
        let shipped = try #require(BodyDictionary.shipped.last)
        let next = BodyDictionary(version: shipped.version + 1, bytes: Array(shipped.bytes.reversed()))
        var source = BodySource(seed: 3)
        let tags = source.tags(0..<30)
        for (index, dictionaries) in [[], [shipped], [shipped, next]].enumerated() {
            let settings = StoreSettings(dictionaries: dictionaries)
            let store = try await TagBuffer.open(
                directory: directory.path, settings: settings, clock: ManualClock())
            try await store.append(Array(tags[(index * 10)..<(index * 10 + 10)]))
            await store.close()
        }
        let settings = StoreSettings(dictionaries: [shipped, next])
        let store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        let batch = try await store.nextBatch(maximumCount: 500, maximumByteCount: .max)
        #expect(batch.map(\.body) == tags.map(\.body))
        try await expectConservation(store)
        await store.close()
    }

    @Test func append_tooLarge_isRefusedAndCounted() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 4)
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        let large = NewTag(body: [UInt8](repeating: 1, count: NewTag.maximumBodyByteCount + 1))
        await #expect(throws: StoreError.appendTooLarge(byteCount: 65_537, limit: 65_536)) {
            try await store.append([NewTag(body: [1]), large])
        }
        let many = source.tags(0..<1_000)
        await #expect(throws: StoreError.self) { try await store.append(many) }
        try await store.append(source.tags(0..<400))
        #expect(store.totals().refused == 1_002)
        #expect(store.totals().accepted == 400)
        try await expectConservation(store, offered: 1_402)
        await store.close()
        let again = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        try await expectConservation(again, offered: 1_402)
        await again.close()
    }

    /// A thousand concurrent appends need as few commits as the group size allows, and their sequences have no gaps.
    @Test func concurrentAppends_shareCommits() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        let before = try await store.status().commitCount
        // No commit starts until all appends wait.
        let gate = DispatchSemaphore(value: 0)
        store.thread.enqueue { gate.wait() }
        let ranges = try await withThrowingTaskGroup(of: ClosedRange<Int64>?.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let body = Array("tag \(number)".utf8)
                    return try await store.append([NewTag(body: body), NewTag(body: body)]).sequences
                }
            }
            while store.waitingAppendCount < 1_000 { await Task.yield() }
            gate.signal()
            return try await group.reduce(into: [ClosedRange<Int64>]()) { list, range in
                if let range { list.append(range) }
            }
        }
        let firsts = ranges.map(\.lowerBound).sorted()
        let expected = [Int64](stride(from: 1, to: 2_000, by: 2))
        #expect(firsts == expected)
        #expect(ranges.allSatisfy { $0.count == 2 })
        let commits = try await store.status().commitCount - before
        #expect(commits == 2_000 / Int64(StoreBudget.groupRowCount))
        try await expectConservation(store, offered: 2_000)
        await store.close()
    }

    @Test func close_withPendingAppends_losesNoTag() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        let accepted = await withTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    do {
                        return try await store.append([NewTag(body: Array("\(number)".utf8))]).sequences?
                            .count ?? 0
                    } catch {
                        return 0
                    }
                }
            }
            group.addTask {
                await store.close()
                return 0
            }
            return await group.reduce(0, +)
        }
        await #expect(throws: StoreError.closed) { try await store.append([NewTag(body: [1])]) }
        await #expect(throws: StoreError.closed) {
            try await store.nextBatch(maximumCount: 1, maximumByteCount: 1)
        }
        let again = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(again.totals().accepted == Int64(accepted))
        try await expectConservation(again)
        await again.close()
    }
}
