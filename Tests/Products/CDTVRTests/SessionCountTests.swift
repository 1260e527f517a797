import CDTVRHeader
import Foundation
import TagStore
import TestSupport
import Testing

/// The fields of dtvr_counts and dtvr_buffer_counts, each by what makes it count.
@Suite(.timeLimit(.minutes(30))) struct SessionCountTests {
    /// The playhead moves before held tags are dropped: a tag that it has reached was presented.
    @Test(arguments: [Double.nan, 29, 30, 31])
    func playheadOfStop_decidesWhatWasPresented(playhead: Double) async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path))
        #expect(try await session.settle() == DTVR_DONE)
        #expect(session.play() == DTVR_DONE)
        #expect(session.send("www.nielsen.com/later", mediaTime: 30) == DTVR_HELD)
        #expect(session.stop(at: playhead) == DTVR_DONE)
        let counts = session.counts
        #expect(counts.stored == 1 && counts.held == 0 && counts.flushed == (playhead >= 30 ? 0 : 1))
        #expect(try await session.destroy() == DTVR_DONE)
    }

    /// 4 MiB wait in memory; the rest is lost, and counted.
    @Test func tagsForAFolderThatCannotBeMade_areQueuedUntilTheyAreLost() async throws {
        let session = try #require(CSession("/dev/null/none"))
        let text = String(repeating: "x", count: 30_000)
        for index in 0..<200 { session.send("www.nielsen.com/\(index)/\(text)") }
        #expect(try await session.settle() == DTVR_NOT_ON_DISK)
        let counts = session.counts
        #expect(counts.stored == 200 && counts.queued > 100 && counts.lost > 20)
        #expect(counts.accepted == 0 && counts.queued + counts.lost == counts.stored)
        #expect(session.bufferCounts == nil)
        #expect(try await session.destroy() == DTVR_NOT_ON_DISK)
    }

    @Test func tagsThatAnOperatorOrACollectorRemoves_areCountedByCause() async throws {
        let folder = try TemporaryFolder()
        let first = try #require(CSession(folder.path))
        for index in 0..<10 { first.send("www.nielsen.com/\(index)") }
        #expect(try await first.destroy() == DTVR_DONE)
        let buffer = try await TagBuffer.open(directory: folder.path)
        let batch = try await buffer.nextBatch(maximumCount: 5, maximumByteCount: 1_000_000)
        #expect(batch.count == 5)
        try await buffer.acknowledge(
            Acknowledgement(
                delivered: batch[..<2].map(\.sequence),
                refused: batch[2..<5].map { .init(sequence: $0.sequence, code: "no") }))
        let pruned = try await buffer.prune(olderThan: .zero)
        #expect(pruned == 5)
        await buffer.close()
        let second = try #require(CSession(folder.path))
        #expect(try await second.settle() == DTVR_DONE)
        let counts = try #require(second.bufferCounts)
        #expect(counts.accepted == 10 && counts.delivered == 2 && counts.dead == 3 && counts.pruned == 5)
        #expect(counts.waiting == 0 && counts.evicted == 0 && counts.expired == 0 && counts.damaged == 0)
        #expect(try await second.destroy() == DTVR_DONE)
    }
}
