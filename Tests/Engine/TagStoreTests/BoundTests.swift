import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// The total size of all files, checked after every call during filling, eviction and draining.
@Suite(.timeLimit(.minutes(30))) struct BoundTests {
    @Test(arguments: [2_000_000, 5_000_000])
    func allFiles_duringFillEvictionAndDrain_stayWithinTheLimit(maximumByteCount: Int) async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        var source = BodySource(seed: 7)
        let settings = StoreSettings(maximumByteCount: maximumByteCount)
        let store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: clock)
        var offered = 0
        var peak = 0
        // Small and large bodies, singly and in the largest appends, until about three times the limit is evicted.
        var evictedAt: [Int] = []
        let enough = 3 * Int64(maximumByteCount / 1_000)
        while store.losses().evicted < enough, offered < maximumByteCount / 100 {
            let byteCount = [100, 400, 3_000][offered % 3]
            let count = [1, min(50, 40_000 / byteCount), 24_000 / byteCount][offered % 7 % 3]
            let before = store.losses().evicted
            try await store.append(source.tags(offered..<(offered + count), byteCount: byteCount))
            offered += count
            if store.losses().evicted > before { evictedAt.append(offered) }
            clock.advance(by: .milliseconds(200))
            peak = max(peak, directory.byteCount)
        }
        #expect(peak <= maximumByteCount)
        #expect(peak > maximumByteCount * 6 / 10, "the store gives away too much: \(peak)")
        #expect(evictedAt.count > 2)
        #expect(store.losses().evicted >= enough)
        try await expectConservation(store, offered: offered)
        while true {
            let batch = try await store.nextBatch(maximumCount: 500, maximumByteCount: .max)
            if batch.isEmpty { break }
            try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
            clock.advance(by: .milliseconds(200))
            peak = max(peak, directory.byteCount)
        }
        #expect(peak <= maximumByteCount)
        #expect(store.totals().inStore == 0)
        try await expectConservation(store, offered: offered)
        await store.close()
    }

    /// The default limit is enough for ten days with a tag every ten seconds, and the files never exceed it.
    @Test func defaultLimit_whenExceeded_holdsTenDaysOfTags() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        let tagsOfTenDays = 86_400
        // Incompressible bodies that are as large as real bodies after compression.
        var random = SplitMix64(state: 8)
        var offered = 0
        var peak = 0
        while offered < 125_000 {
            let tags = (0..<500).map { _ in
                NewTag(
                    id: TagID(high: random.next(), low: random.next()),
                    body: random.bytes(184))
            }
            try await store.append(tags)
            offered += tags.count
            peak = max(peak, directory.byteCount)
        }
        #expect(peak <= 30_000_000)
        #expect(store.losses().evicted > 0)
        #expect(store.totals().inStore > tagsOfTenDays)
        try await expectConservation(store, offered: offered)
        await store.close()
        #expect(directory.byteCount <= 30_000_000)
    }

    @Test func refuseNewest_atTheLimit_refusesAndCounts() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 9)
        let settings = StoreSettings(maximumByteCount: 2_000_000, fullPolicy: .refuseNewest)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        var offered = 0
        var hasRefused = false
        while !hasRefused, offered < 20_000 {
            let tags = source.tags(offered..<(offered + 50))
            offered += 50
            do {
                try await store.append(tags)
            } catch .full {
                hasRefused = true
            }
        }
        #expect(hasRefused && store.totals().refused == 50)
        #expect(store.losses().total == 0)
        #expect(try await store.tags(maximumCount: 1).first?.sequence == 1)
        try await expectConservation(store, offered: offered)
        // Acknowledged tags make room.
        try await store.acknowledge(Acknowledgement(delivered: [Int64](1...500)))
        try await store.append(source.tags(0..<50))
        try await expectConservation(store, offered: offered + 50)
        await store.close()
    }

    /// Between two exact counts, the estimate is never below the actual number of pages, for rows of any size.
    @Test func pageEstimate_afterAppendsOfAnySize_isNotBelowTheCount() throws {
        let budget = StoreBudget(maximumByteCount: 30_000_000)
        var random = SplitMix64(state: 18)
        for byteCount in [0, 184, 1_000, 1_360, 2_100, 4_000, 4_100, 6_200, 20_000] {
            let directory = TestDirectory()
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            let database = try TagDatabase(
                path: directory.path + "/tags.sqlite", budget: budget, synchronous: .normal)
            #expect(database.pages.estimate == nil)
            var fields = RowFields(
                sequence: 1, id: TagID(high: 1, low: 2), receivedWall: 1_790_000_000_000,
                receivedBoot: 5_000_000, epoch: 1, encoding: 0)
            for rowCount in [1, 1, 3, 40, 1, 16, 7] {
                let needed = budget.pageCount(ofRows: rowCount, byteCount: rowCount * byteCount)
                #expect(try database.pages.hasRoom(forPages: needed, within: budget.usablePageCount))
                try database.transaction { () throws(SQLiteFailure) in
                    for _ in 0..<rowCount {
                        try database.tags.append(
                            StoredRow(fields: fields, body: random.bytes(byteCount)))
                        fields.sequence += 1
                    }
                }
                let bound = try #require(database.pages.estimate)
                let used = try database.pages.usedCount()
                #expect(used <= bound, "\(rowCount) rows of \(byteCount) bytes: \(used) pages, not \(bound)")
                // Near the limit, the pages are counted, so the result is exact.
                #expect(!(try database.pages.hasRoom(forPages: 10, within: used + 9)))
                #expect(try database.pages.hasRoom(forPages: 10, within: used + 10))
            }
            // The estimate does not include any other growth, so it is discarded.
            try database.meta.set("key", [1])
            #expect(database.pages.estimate == nil)
        }
    }

    @Test func budget_forAnyLimit_staysWithinIt() throws {
        for maximum in stride(from: 2_000_000, through: 60_000_000, by: 37_123) {
            let budget = StoreBudget(maximumByteCount: maximum)
            let sum =
                budget.fencePageCount * StoreBudget.pageByteCount + budget.walByteCount
                + budget.reserveByteCount
                + StoreBudget.smallFilesByteCount
            try #require(sum <= maximum)
            // A checkpoint of the complete log fits into the space of the reserve.
            try #require(budget.reserveByteCount >= budget.walByteCount * 4_096 / 4_120 - 4_096)
            try #require(budget.usablePageCount > 200)
        }
        #expect(StoreBudget(maximumByteCount: 30_000_000).reserveByteCount == 1_605_632)
        #expect(StoreBudget(maximumByteCount: 30_000_000).checkpointPageCount == 256)
    }

    /// With a lower limit than before, opening the buffer reduces the files to the limit and counts the evicted tags.
    @Test func loweredLimit_withEvictOldest_evictsTagsOnOpening() async throws {
        let directory = TestDirectory()
        var random = SplitMix64(state: 19)
        var settings = StoreSettings(maximumByteCount: 12_000_000)
        var store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        var offered = 0
        while directory.byteCount < 9_000_000 {
            try await store.append((0..<200).map { _ in NewTag(body: random.bytes(200)) })
            offered += 200
        }
        await store.close()
        settings.maximumByteCount = 3_000_000
        // Under `refuseNewest`, the existing tags stay.
        settings.fullPolicy = .refuseNewest
        store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: ManualClock())
        #expect(store.totals().inStore == Int64(offered))
        await #expect(throws: StoreError.full) { try await store.append([NewTag(body: [1])]) }
        #expect(directory.byteCount > 6_000_000)
        await store.close()
        settings.fullPolicy = .evictOldest
        store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: ManualClock())
        #expect(directory.byteCount <= settings.maximumByteCount, "\(directory.byteCount)")
        #expect(directory.byteCount > 2_000_000)
        #expect(store.losses().evicted > 0 && store.losses().total == store.losses().evicted)
        #expect(try await store.append([NewTag(body: [1])]).durability == .durable)
        try await expectConservation(store, offered: offered + 2)
        await store.close()
        #expect(directory.byteCount <= settings.maximumByteCount)
    }

    /// Under `refuseNewest`, existing tags above a lower limit stay; the files shrink once the tags are delivered.
    @Test func loweredLimit_withRefuseNewest_isReachedOnceTagsAreDelivered() async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        var random = SplitMix64(state: 20)
        var settings = StoreSettings(maximumByteCount: 12_000_000, fullPolicy: .refuseNewest)
        var store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: clock)
        while directory.byteCount < 6_000_000 {
            try await store.append((0..<200).map { _ in NewTag(body: random.bytes(200)) })
        }
        await store.close()
        settings.maximumByteCount = 3_000_000
        store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: clock)
        #expect(directory.byteCount > settings.maximumByteCount)
        while let batch = try await store.nextBatch(maximumCount: 500, maximumByteCount: .max).nonEmpty {
            try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
        }
        clock.advance(by: .seconds(60))
        _ = try await store.nextBatch(maximumCount: 1, maximumByteCount: .max)
        #expect(directory.byteCount <= settings.maximumByteCount, "\(directory.byteCount)")
        #expect(store.losses().total == 0)
        try await expectConservation(store)
        await store.close()
    }
}
