import CDTVRHeader
import Foundation
import Glibc
import TestSupport
import Testing

@testable import TagStore

/// Each field of dtvr_counts and dtvr_buffer_counts, with the events that it counts.
@Suite(.timeLimit(.minutes(30))) struct SessionCountTests {
    /// The playhead moves before held tags are flushed, so a tag that it has reached counts as presented.
    @Test(arguments: [Double.nan, 29, 30, 31])
    func playheadOfStop_determinesWhetherATagWasPresented(playhead: Double) async throws {
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

    /// At most 4 MiB of tags wait in memory; the others are lost and counted.
    @Test func tags_forAFolderThatCannotBeCreated_areQueuedUntilLost() async throws {
        let session = try #require(CSession("/dev/null/none"))
        let text = String(repeating: "x", count: 30_000)
        for index in 0..<200 { session.send("www.nielsen.com/\(index)/\(text)") }
        // There is room for more while a group is being written.
        var assetCount = 0
        while session.counts.lost_summaries == 0, assetCount < 20_000 {
            session.playAssetWithoutTags()
            assetCount += 1
        }
        #expect(try await session.settle() == DTVR_NOT_ON_DISK)
        let counts = session.counts
        #expect(counts.stored == 200 && counts.queued > 100 && counts.lost > 20)
        #expect(counts.lost_summaries > 0)
        #expect(counts.accepted == 0 && counts.queued + counts.lost == counts.stored)
        #expect(session.bufferCounts == nil)
        #expect(try await session.destroy() == DTVR_NOT_ON_DISK)
    }

    /// The lock of another process that does not serve the buffer.
    @Test func session_whileAnotherProcessOwnsTheBuffer_isInUse_andWrittenAfterwards() async throws {
        let folder = try TemporaryFolder()
        let lock = try FileHandle(forUpdating: URL(fileURLWithPath: folder.write("lock", "1\n".utf8)))
        #expect(flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        let session = try #require(CSession(folder.path))
        for number in 0..<3 { session.send("www.nielsen.com/\(number)") }
        // As many seconds are more than the limit of the suite.
        #expect(try await session.settle(milliseconds: 2_000) == DTVR_IN_USE)
        #expect(session.counts.queued == 3 && session.counts.lost == 0)
        #expect(try await session.destroy(milliseconds: 2_000) == DTVR_IN_USE)
        try lock.close()
        let next = try #require(CSession(folder.path))
        #expect(try await next.settle() == DTVR_DONE)
        // The tags, and the record of the app.
        try await wait(for: "the tags of the first session") { next.bufferCounts?.accepted ?? 0 >= 4 }
        #expect(try await next.destroy() == DTVR_DONE)
    }

    @Test func tagsRemovedByOperatorOrCollector_areCountedByCause() async throws {
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
        // The tags that are left, and the records of the app and of its run.
        #expect(pruned == 7)
        await buffer.close()
        let second = try #require(CSession(folder.path))
        #expect(try await second.settle() == DTVR_DONE)
        let counts = try #require(second.bufferCounts)
        #expect(counts.accepted == 12 && counts.delivered == 2 && counts.dead == 3 && counts.pruned == 7)
        #expect(counts.waiting == 0 && counts.evicted == 0 && counts.expired == 0 && counts.damaged == 0)
        #expect(try await second.destroy() == DTVR_DONE)
    }

    /// While the disk is full, the buffer stores tags in 1 MiB of memory.
    ///
    /// If that is full too, the oldest tags are lost.
    @Test(.enabled(if: SmallDisk.isAllowed, "file systems cannot be mounted here"))
    func tagsOnAFullDisk_areCountedInMemoryAndThenAsLost() async throws {
        let folder = try TemporaryFolder()
        guard let disk = SmallDisk(at: folder.path, byteCount: 4_000_000) else { return }
        let session = try #require(CSession(folder.path + "/store", .init(maximumByteCount: 3_000_000)))
        #expect(try await session.settle() == DTVR_DONE)
        #expect(session.bufferCounts?.in_memory == 0 && session.bufferCounts?.memory_lost == 0)
        try FileManager.default.removeItem(atPath: folder.path + "/store/reserve")
        disk.fill(leaving: 0)
        var counts = dtvr_buffer_counts()
        var number = 0
        while counts.memory_lost == 0, number < 4_000 {
            let filler = String((0..<3_000).map { _ in "0123456789abcdef".randomElement() ?? "x" })
            session.send("www.nielsen.com/\(number)/\(filler)")
            number += 1
            guard number.isMultiple(of: 20) else { continue }
            _ = try await session.settle()
            disk.fill(leaving: 0)
            counts = try #require(session.bufferCounts)
        }
        #expect(counts.in_memory > 100 && counts.memory_lost > 0)
        #expect(try await session.settle() == DTVR_NOT_ON_DISK)
        #expect(try await session.destroy() == DTVR_NOT_ON_DISK)
        _ = consume disk
        withExtendedLifetime(folder) {}
    }

    /// An earlier owner of the buffer refused a tag because the buffer was full, and the disk damaged another tag.
    @Test func refusedOrDamagedTags_areCountedByCause() async throws {
        let folder = try TemporaryFolder()
        let settings = StoreSettings(maximumByteCount: 2_000_000, fullPolicy: .refuseNewest)
        let buffer = try await TagBuffer.open(directory: folder.path, settings: settings)
        var random = SystemRandomNumberGenerator()
        var refusedCount: UInt64 = 0
        while refusedCount == 0 {
            do throws(StoreError) {
                let body = (0..<30_000).map { _ in UInt8.random(in: 0...255, using: &random) }
                try await buffer.append([NewTag(body: body)])
            } catch {
                refusedCount += 1
            }
        }
        await buffer.close()
        do {
            let connection = try SQLiteConnection(path: folder.path + "/tags.sqlite")
            try connection.run("PRAGMA locking_mode=EXCLUSIVE")
            try connection.run(
                "UPDATE tag SET body = zeroblob(length(body)) WHERE seq = (SELECT max(seq) FROM tag)")
        }
        let session = try #require(CSession(folder.path, .init(maximumByteCount: 2_000_000)))
        #expect(try await session.settle() == DTVR_DONE)
        let counts = try #require(session.bufferCounts)
        #expect(counts.refused == refusedCount && counts.damaged == 1)
        #expect(try await session.destroy() == DTVR_DONE)
    }

    /// The session counts one tag of each outcome and two channels.
    ///
    /// Its other records are those of the app, of two channels, of the playback of an asset, and of the time until the
    /// choice.
    @Test func outcomes_areCountedSeparately() async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path))
        #expect(try await session.settle() == DTVR_DONE)
        #expect(session.play() == DTVR_DONE)
        #expect(session.send("www.nielsen.com/a") == DTVR_STORED)
        #expect(session.send("www.nielsen.com/a") == DTVR_REPEAT)
        #expect(session.send("com.example/a") == DTVR_IGNORED)
        #expect(session.send("") == DTVR_INVALID)
        session.playAssetWithoutTags()
        #expect(try await session.settle() == DTVR_DONE)
        #expect(session.optOut("nielsenappsdk://1") == DTVR_DONE)
        #expect(session.send("www.nielsen.com/b") == DTVR_DISCARDED)
        #expect(try await session.settle() == DTVR_DONE)
        let counts = session.counts
        #expect(counts.handed == 5 && counts.stored == 1 && counts.repeats == 1 && counts.ignored == 1)
        #expect(counts.invalid == 1 && counts.discarded == 1 && counts.sessions == 2)
        #expect(counts.accepted == 1 && counts.summaries == 5 && counts.lost_summaries == 0)
        #expect(try await session.destroy() == DTVR_DONE)
    }

    /// The collector refuses the tag permanently; the delivery has no other problem.
    @Test func deadLetter_isCountedInTheDelivery() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in
            [response("400 Bad Request", #"{"error":{"code":"bad_tag","message":"no"}}"#)]
        }
        try folder.write(
            "configuration.json", #"{"collectors":{"us":"\#(server.base)/"},"records":"tags"}"#.utf8)
        let session = try #require(
            CSession(folder.path + "/store", .init(configurationFile: folder.path + "/configuration.json")))
        session.send("www.nielsen.com/a")
        try await wait(for: "the dead letter") { session.delivery.dead_letters == 1 }
        try await wait(for: "the state") { session.delivery.state == DTVR_DELIVERY_IDLE }
        #expect(session.delivery.code == 0 && session.delivery.since_unix_ms == 0)
        #expect(try await session.destroy() == DTVR_DONE)
        #expect(session.notices.codes.contains(9))
        server.stop()
    }

    /// The fields that a test of this suite, of `SessionOptionTests`, of `DeliverWithinTests` or of `SegmentFeedTests`
    /// covers.
    private static let shown: Set<String> = [
        "handed", "stored", "repeats", "ignored", "invalid", "discarded", "held", "flushed", "sessions",
        "queued",
        "accepted", "lost", "summaries", "lost_summaries", "delivered", "waiting", "evicted", "expired",
        "dead",
        "pruned", "damaged", "in_memory", "memory_lost", "refused", "dead_letters", "tags",
    ]

    @Test func everyCountField_isCoveredByATest() throws {
        let path = Project.root + "/Sources/Products/CDTVRHeader/dtvr.h"
        let header = try String(contentsOfFile: path, encoding: .utf8)
        let fields = header.split(separator: "\n").compactMap {
            $0.wholeMatch(of: #/ +uint64_t ([a-z_]+);/#)?.1
        }
        #expect(Set(fields.map(String.init)) == Self.shown.union(["maximum_bytes", "maximum_age_seconds"]))
    }
}
