import TestSupport
import Testing

@testable import TagStore

/// Retrying and pruning tags that a collector permanently refused.
@Suite(.timeLimit(.minutes(30))) struct DeadLetterTests {
    /// Returns a buffer of tags, every third refused and all others delivered, and the refused tags.
    private func refusing(_ count: Int, in directory: TestDirectory) async throws -> (TagBuffer, [StoredTag])
    {
        var source = BodySource(seed: 7)
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        for start in stride(from: 0, to: count, by: 50) {
            try await store.append(source.tags(start..<min(start + 50, count)))
        }
        let tags = try await store.nextBatch(maximumCount: count, maximumByteCount: .max)
        let refused = tags.filter { $0.sequence.isMultiple(of: 3) }
        try await store.acknowledge(
            Acknowledgement(
                delivered: tags.map(\.sequence).filter { !$0.isMultiple(of: 3) },
                refused: refused.map { .init(sequence: $0.sequence, code: "bad_tag") }))
        return (store, refused)
    }

    @Test(arguments: [3, 30, 3_000])
    func retry_restoresTagsUnchanged_andBalancesTotals(count: Int) async throws {
        let directory = TestDirectory()
        let (store, refused) = try await refusing(count, in: directory)
        #expect(store.losses().dead == Int64(refused.count))
        #expect(try await store.retryDeadLetters() == Int64(refused.count))
        #expect(try await store.tags(maximumCount: 10_000) == refused)
        #expect(try await store.deadLetters(maximumCount: 10).isEmpty)
        #expect(store.losses().total == 0 && store.totals().inStore == Int64(refused.count))
        try await expectConservation(store, offered: count)
        #expect(try await store.verify().isIntact)
        #expect(try await store.retryDeadLetters() == 0)
        await store.close()

        // Later tags get new sequences.
        let again = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(again.totals().accepted == Int64(count) && again.totals().isBalanced)
        let outcome = try await again.append([NewTag(body: [1])])
        #expect(outcome.sequences == Int64(count + 1)...Int64(count + 1))
        #expect(try await again.tags(maximumCount: 10_000).dropLast() == refused[...])
        try await again.acknowledge(Acknowledgement(delivered: refused.map(\.sequence)))
        #expect(again.totals().delivered == Int64(count) && again.totals().isBalanced)
        await again.close()
    }

    @Test func pruneDeadLetters_removesOldOnes_andPreservesTheirCount() async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        let store = try await TagBuffer.open(directory: directory.path, clock: clock)
        for sequence in 1...2 as ClosedRange<Int64> {
            try await store.append([NewTag(body: [UInt8(sequence)])])
            try await store.acknowledge(
                Acknowledgement(refused: [.init(sequence: sequence, code: "bad_tag")]))
            clock.advance(by: .days(1))
        }
        #expect(try await store.pruneDeadLetters(olderThan: .days(3)) == 0)
        #expect(try await store.pruneDeadLetters(olderThan: .days(2)) == 1)
        #expect(try await store.deadLetters(maximumCount: 10).map(\.tag.sequence) == [2])
        #expect(try await store.pruneDeadLetters(olderThan: .zero) == 1)
        #expect(store.losses().dead == 2 && store.totals().isBalanced)
        await store.close()
    }

    /// The oldest dead letters beyond the size limit are deleted at the next refusal, and when a buffer is opened.
    @Test(arguments: [2_000_000, 100_000_000]) func deadLetters_areLimitedInSize(before: Int) async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 8)
        let (limit, clock) = (2_000_000, ManualClock())
        var store = try await TagBuffer.open(
            directory: directory.path, settings: StoreSettings(maximumByteCount: before), clock: clock)
        for start in stride(from: 0, to: 600, by: 20) {
            try await store.append(source.tags(start..<start + 20))
            let tags = try await store.nextBatch(maximumCount: 20, maximumByteCount: .max)
            try await store.acknowledge(
                Acknowledgement(refused: tags.map { .init(sequence: $0.sequence, code: "bad_tag") }))
        }
        await store.close()
        store = try await TagBuffer.open(
            directory: directory.path, settings: StoreSettings(maximumByteCount: limit), clock: clock)
        let count = try await store.deadLetters(maximumCount: 1_000).count
        // A stored body has at least 200 bytes.
        #expect(count > 0 && count * 200 <= StoreBudget(maximumByteCount: limit).deadByteCount, "\(count)")
        #expect(store.losses().dead == 600)
        await store.close()
    }
}
