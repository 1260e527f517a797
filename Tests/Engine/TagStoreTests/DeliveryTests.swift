import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

@Suite(.timeLimit(.minutes(30))) struct DeliveryTests {
    private func filled(_ count: Int, in directory: TestDirectory, seed: UInt64 = 1) async throws -> TagBuffer
    {
        var source = BodySource(seed: seed)
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        for start in stride(from: 0, to: count, by: 100) {
            try await store.append(source.tags(start..<min(start + 100, count)))
        }
        return store
    }

    @Test func nextBatch_respectsBothLimits_butReturnsAtLeastOneTag() async throws {
        let directory = TestDirectory()
        let store = try await filled(300, in: directory)
        #expect(try await store.nextBatch(maximumCount: 7, maximumByteCount: .max).count == 7)
        #expect(try await store.nextBatch(maximumCount: 500, maximumByteCount: 4_000).count == 10)
        #expect(try await store.nextBatch(maximumCount: 500, maximumByteCount: 3_999).count == 9)
        #expect(try await store.nextBatch(maximumCount: 500, maximumByteCount: 1).count == 1)
        let after = try await store.nextBatch(maximumCount: 2, maximumByteCount: .max, after: 100)
        #expect(after.map(\.sequence) == [101, 102])
        for count in [0, -1, 10_001] {
            await #expect(throws: StoreError.invalidSetting(name: "maximumCount")) {
                try await store.nextBatch(maximumCount: count, maximumByteCount: 1)
            }
        }
        try await expectConservation(store, offered: 300)
        await store.close()
    }

    /// The sequences may be in any order, duplicate or unknown.
    @Test func acknowledge_ofAnySequences_removesExactlyThose() async throws {
        let directory = TestDirectory()
        let store = try await filled(64, in: directory)
        var left = Set([Int64](1...64))
        for part in [[5], [1, 2, 3], [64, 9, 11, 10, 9], [1, 999], [20, 22, 24], []] as [[Int64]] {
            try await store.acknowledge(Acknowledgement(delivered: part))
            left.subtract(part)
            let tags = try await store.tags(maximumCount: 100)
            let expected = left.sorted()
            #expect(tags.map(\.sequence) == expected)
            #expect(Int(store.totals().delivered) == 64 - left.count)
            try await expectConservation(store, offered: 64)
        }
        await store.close()
    }

    @Test func acknowledge_ofMoreThanOneStep_removesAll() async throws {
        let directory = TestDirectory()
        let store = try await filled(1_300, in: directory)
        try await store.acknowledge(Acknowledgement(delivered: [Int64](1...1_300)))
        #expect(store.totals().delivered == 1_300)
        try await expectConservation(store, offered: 1_300)
        await store.close()
    }

    @Test func acknowledge_withRefusedTags_createsDeadLetters() async throws {
        let directory = TestDirectory()
        let store = try await filled(10, in: directory)
        let batch = try await store.nextBatch(maximumCount: 10, maximumByteCount: .max)
        let code = String(repeating: "x", count: 100)
        try await store.acknowledge(
            Acknowledgement(
                delivered: [Int64](1...10),
                refused: [.init(sequence: 4, code: "bad-checksum"), .init(sequence: 9, code: code)],
                deliveryState: [1, 2, 3]))
        let dead = try await store.deadLetters(maximumCount: 10)
        #expect(dead.map(\.tag) == [batch[3], batch[8]])
        #expect(dead.map(\.code) == ["bad-checksum", String(repeating: "x", count: 64)])
        #expect(store.losses().dead == 2)
        #expect(store.totals().delivered == 8)
        #expect(try await store.deliveryState() == [1, 2, 3])
        try await expectConservation(store, offered: 10)
        await store.close()
        let again = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(again.losses().dead == 2)
        #expect(try await again.deliveryState() == [1, 2, 3])
        #expect(try await again.deadLetters(after: 4, maximumCount: 10).map(\.tag.sequence) == [9])
        await again.close()
    }

    /// The dead letters have a size limit; those deleted because of it remain in the totals.
    @Test func acknowledge_withManyRefusedTags_limitsStoredDeadLetters() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 5)
        let settings = StoreSettings(maximumByteCount: 2_000_000)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        for start in stride(from: 0, to: 600, by: 50) {
            let outcome = try await store.append(source.tags(start..<(start + 50)))
            let refused = try #require(outcome.sequences).map {
                Acknowledgement.Refusal(sequence: $0, code: "no")
            }
            try await store.acknowledge(Acknowledgement(refused: refused))
        }
        let dead = try await store.deadLetters(maximumCount: 1_000)
        #expect(dead.count < 300)
        #expect(dead.last?.tag.sequence == 600)
        #expect(store.losses().dead == 600)
        try await expectConservation(store, offered: 600)
        await store.close()
    }

    @Test func deliveryState_isInitiallyEmptyAndLimitedInSize() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(try await store.deliveryState().isEmpty)
        try await store.acknowledge(Acknowledgement(deliveryState: [UInt8](repeating: 9, count: 4_096)))
        await #expect(throws: StoreError.invalidSetting(name: "deliveryState")) {
            try await store.acknowledge(Acknowledgement(deliveryState: [UInt8](repeating: 9, count: 4_097)))
        }
        #expect(try await store.deliveryState().count == 4_096)
        await store.close()
    }

    /// A batch in flight is protected from eviction, so that no tag is counted twice.
    ///
    /// Once it is acknowledged or another batch is requested, its tags may be evicted.
    @Test func eviction_whileABatchIsInFlight_sparesIt() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 6)
        let settings = StoreSettings(maximumByteCount: 2_000_000)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        var offered = 0
        func fill(untilEvicted count: Int64) async throws {
            while store.losses().evicted < count {
                try await store.append(source.tags(offered..<(offered + 50)))
                offered += 50
            }
        }
        try await store.append(source.tags(0..<100))
        offered = 100
        let batch = try await store.nextBatch(maximumCount: 40, maximumByteCount: .max)
        try await fill(untilEvicted: 2_000)
        let oldest = try await store.tags(maximumCount: 41)
        #expect(oldest.prefix(40).map(\.id) == batch.map(\.id))
        #expect(oldest[40].sequence > 2_000)
        try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
        #expect(store.totals().delivered == 40)
        try await expectConservation(store, offered: offered)

        let second = try await store.nextBatch(maximumCount: 40, maximumByteCount: .max)
        let third = try await store.nextBatch(maximumCount: 40, maximumByteCount: .max, after: 3_000)
        #expect(third.first?.sequence != second.first?.sequence)
        try await fill(untilEvicted: store.losses().evicted + 3_000)
        try await store.acknowledge(Acknowledgement(delivered: second.map(\.sequence)))
        #expect(
            store.totals().delivered == 40, "the second batch was not spared after the third was asked for")
        try await expectConservation(store, offered: offered)
        await store.close()
    }

    /// A batch may be prefetched while the previous one is in flight; both are then protected.
    @Test func eviction_whileASecondBatchIsPrefetched_sparesBoth() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 7)
        let settings = StoreSettings(maximumByteCount: 2_000_000)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        try await store.append(source.tags(0..<100))
        var offered = 100
        let first = try await store.nextBatch(maximumCount: 40, maximumByteCount: .max)
        let second = try await store.nextBatch(
            maximumCount: 30, maximumByteCount: .max, after: 40, keeping: 1...40)
        #expect(first.map(\.sequence) == [Int64](1...40) && second.map(\.sequence) == [Int64](41...70))
        #expect(try await store.status().inFlightCount == 70)
        while store.losses().evicted < 2_000 {
            try await store.append(source.tags(offered..<(offered + 50)))
            offered += 50
        }
        let oldest = try await store.tags(maximumCount: 71)
        #expect(oldest.prefix(70).map(\.id) == (first + second).map(\.id))
        #expect(oldest[70].sequence > 2_000)
        try await store.acknowledge(Acknowledgement(delivered: first.map(\.sequence)))
        #expect(try await store.status().inFlightCount == 30)
        try await store.acknowledge(Acknowledgement(delivered: second.map(\.sequence)))
        #expect(try await store.status().inFlightCount == 0)
        #expect(store.totals().delivered == 70)
        try await expectConservation(store, offered: offered)

        // There are no tags after this sequence, but the batch in flight stays protected.
        let third = try await store.nextBatch(maximumCount: 40, maximumByteCount: .max)
        let last = try #require(third.last?.sequence)
        let none = try await store.nextBatch(
            maximumCount: 40, maximumByteCount: .max, after: Int64(offered), keeping: third[0].sequence...last
        )
        #expect(none.isEmpty)
        #expect(try await store.prune(olderThan: .zero) == store.totals().losses.pruned)
        #expect(try await store.tags(maximumCount: 100).map(\.id) == third.map(\.id))
        try await expectConservation(store, offered: offered)
        await store.close()
    }
}
