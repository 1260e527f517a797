import Foundation
import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import TagDelivery

@Suite(.timeLimit(.minutes(30))) struct TagIngestTests {
    private static func withStore(
        _ settings: StoreSettings = StoreSettings(), _ body: (TagBuffer) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let store = try await TagBuffer.open(directory: folder.path, settings: settings)
        try await body(store)
        await store.close()
    }

    @Test func records_exceptTruncatedOnes_areStoredUnchanged() async throws {
        try await Self.withStore { store in
            var records = try (0..<5).map { try #require(SampleTags.record($0, ticks: UInt64($0))) }
            records[2].isTruncated = true
            let outcome = try await TagIngest(into: store).append(records)
            #expect(outcome.acceptedCount == 4 && outcome.truncatedCount == 1 && outcome.refusedCount == 0)
            let stored = try await store.nextBatch(maximumCount: 10, maximumByteCount: 100_000)
            let back = try stored.map { try StoredBody.decode($0.body.span) }
            #expect(back == records.filter { !$0.isTruncated })
        }
    }

    @Test func tagIDs_areEqualForSameRecording_andDifferForOthers() async throws {
        try await Self.withStore { store in
            let record = try #require(SampleTags.record(1, ticks: 90_000))
            var other = record
            other.origin.place.source = "another"
            var later = record
            later.time = SampleTags.record(1, ticks: 90_001)?.time
            let ids = [record, record, other, later].map { TagID(of: $0) }
            #expect(ids[0] == ids[1])
            #expect(Set(ids).count == 3)
        }
    }

    /// More tags than one transaction may contain are appended in pieces, and none is lost.
    @Test func tags_beyondTransactionLimit_areAppendedInParts() async throws {
        try await Self.withStore { store in
            let records = try (0..<4_000).map { try #require(SampleTags.record($0 % 100, ticks: UInt64($0))) }
            let outcome = try await TagIngest(into: store).append(records)
            #expect(outcome.acceptedCount == 4_000)
            #expect(store.totals().inStore == 4_000 && store.totals().refused == 0)
        }
    }
}
