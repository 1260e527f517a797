import TestSupport
import Testing

@testable import TagStore

/// Stored tags that are excluded from delivery until they are released.
@Suite(.timeLimit(.minutes(30))) struct HeldTagTests {
    private static func open(_ directory: TestDirectory) async throws -> TagBuffer {
        try await TagBuffer.open(directory: directory.path, clock: ManualClock())
    }

    private static func batch(_ store: TagBuffer) async throws -> [StoredTag] {
        try await store.nextBatch(maximumCount: 100, maximumByteCount: .max)
    }

    /// Tags before and after held ones are delivered, and their acknowledgement does not affect held ones.
    @Test func heldTags_beforeRelease_areExcludedFromBatches() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 61)
        let store = try await Self.open(directory)
        let tags = source.tags(0..<9)
        try await store.append(Array(tags[0..<3]))
        let held = try await store.append(Array(tags[3..<6]), isHeld: true)
        try await store.append(Array(tags[6..<9]))
        let sequences = Array(try #require(held.sequences))
        let first = try await Self.batch(store)
        #expect(first.map(\.id) == (tags[0..<3] + tags[6..<9]).map(\.id))
        try await store.acknowledge(Acknowledgement(delivered: first.map(\.sequence)))
        #expect(store.totals().inStore == 3)
        #expect(try await Self.batch(store).isEmpty)
        try await store.release([ReleasedTag(sequence: sequences[1])])
        #expect(try await Self.batch(store).map(\.id) == [tags[4].id])
        try await store.release(sequences.map { ReleasedTag(sequence: $0) })
        #expect(try await Self.batch(store).map(\.body) == tags[3..<6].map(\.body))
        #expect(try await store.verify().isIntact)
        await store.close()
    }

    /// A body of any length can be replaced.
    ///
    /// The checksum is updated, and all other fields of the row stay the same.
    @Test(arguments: [0, 1, 100, 400, 4_000, 65_536]) func heldTag_releasedWithAnotherBody_hasThatBody(
        byteCount: Int
    ) async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 62)
        let store = try await Self.open(directory)
        let tags = source.tags(0..<3)
        let outcome = try await store.append(tags, isHeld: true)
        let sequences = Array(try #require(outcome.sequences))
        let body = Array(source.body(9, byteCount: byteCount).prefix(byteCount))
        try await store.release([
            ReleasedTag(sequence: sequences[1], body: body),
            ReleasedTag(sequence: sequences[2] + 1, body: body),
        ])
        let batch = try await Self.batch(store)
        #expect(batch.map(\.id) == [tags[1].id] && batch.map(\.body) == [body])
        #expect(try await store.verify().isIntact)
        await store.close()
        let again = try await Self.open(directory)
        #expect(try await Self.batch(again).map(\.body) == [tags[0].body, body, tags[2].body])
        await again.close()
    }

    /// Tags that are still held when a process ends are delivered by the next one, with their original bodies.
    @Test func heldTags_afterReopening_areDelivered() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 63)
        let tags = source.tags(0..<2)
        let store = try await Self.open(directory)
        try await store.append(tags, isHeld: true)
        #expect(try await Self.batch(store).isEmpty)
        await store.close()
        let again = try await Self.open(directory)
        #expect(try await Self.batch(again).map(\.id) == tags.map(\.id))
        await again.close()
        await #expect(throws: StoreError.closed) { try await again.release([ReleasedTag(sequence: 1)]) }
    }
}
