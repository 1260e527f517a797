import HostSystem
import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// The share of a buffer that records other than tags may use.
@Suite(.timeLimit(.minutes(30))) struct RecordShareTests {
    private static func text(
        _ count: Int, _ generator: inout RandomCallTests.SeededGenerator
    ) -> String {
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes.append(UInt8.random(in: 0x30...0x7A, using: &generator)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The session loads metadata every second, for longer than the buffer has room.
    @Test func metadataEverySecond_evictsNoTag() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        var options = SessionOptions(directory: folder.path)
        options.keepsIdentity = false
        options.store = StoreSettings(maximumByteCount: 2_000_000)
        let buffer = try await TagBuffer.open(directory: folder.path, settings: options.store, clock: clock)
        let session = MeasurementSession(options: options, clock: clock, buffer: buffer)
        session.initialize(["appid": "T1"])
        session.play(["channelName": "One"])
        var generator = RandomCallTests.SeededGenerator(state: 7)
        for second in 0..<3_000 {
            // The title is incompressible, so that the buffer is full after a third of the calls.
            let title = Self.text(1_500, &generator)
            session.loadMetadata(["type": "content", "assetid": "A", "title": .text(title)])
            if second % 10 == 0 { session.sendID3("www.nielsen.com/\(second)") }
            clock.advance(by: .seconds(1))
            if second % 100 == 99 { #expect(await session.flush()) }
        }
        #expect(await session.flush())
        let storage = session.storage
        #expect(session.counts.stored == 300 && storage.accepted == 300 && storage.lost == 0)
        let totals = buffer.totals()
        #expect(totals.losses.evicted > 1_000)
        #expect(totals.accepted == Int64(300 + storage.summaries))
        #expect(totals.accepted == Int64(totals.inStore) + totals.losses.evicted)
        let all = try await buffer.nextBatch(maximumCount: 10_000, maximumByteCount: .max)
        let records = try all.map { try StoredRecord.decode($0.body.span) }
        #expect(records.count(where: \.isTag) == 300)
        // The tags are in the order of the calls.
        let orders = records.compactMap { record -> UInt64? in
            guard case .tag(let tag) = record, case .session(let place, _) = tag.origin else {
                return nil
            }
            return place.order
        }
        #expect(orders == Array(0..<300))
        await session.finish()
        await buffer.close()
    }
}
