import TestSupport
import Testing

@testable import TagStore

/// The bound and the end of bookmarks, whose keys come from playlists and channel files.
@Suite(.timeLimit(.minutes(30))) struct BookmarkBoundTests {
    private static let small = StoreSettings(maximumByteCount: 2_000_000)

    private static let recentTags = (0..<128).map { Bookmark.RecentTag(bits: 1 << 40 + $0) }

    private static func bookmark(_ channel: String, _ reader: String, _ position: Int64 = 1) -> Bookmark {
        Bookmark(channel: channel, reader: reader, position: position, recentTags: recentTags)
    }

    /// Opens the database of a closed buffer.
    private static func withMeta<Result>(
        _ directory: TestDirectory, _ body: (borrowing SQLiteConnection, MetaTable) throws -> Result
    ) throws -> Result {
        let connection = try SQLiteConnection(path: directory.path + "/tags.sqlite")
        return try body(connection, try MetaTable(on: connection, pages: PageCounter(on: connection)))
    }

    private static func keys(_ directory: TestDirectory) throws -> [String] {
        try withMeta(directory) { connection, _ in
            try connection.run("SELECT key FROM meta WHERE key LIKE '%/%' ORDER BY key")
        }
    }

    @Test func channel_keepsThePositionsOfItsLast64Readers() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 51)
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        func name(_ number: Int) -> String { "\(number)" + String(repeating: "x", count: 10_000) }
        for number in 0..<200 {
            try await store.append(
                source.tags(number..<number + 1), bookmark: Self.bookmark("one", name(number), Int64(number)))
            // A reader that is still followed stays.
            try await store.append(
                source.tags(number..<number + 1), bookmark: Self.bookmark("one", "first", Int64(number)))
        }
        for number in 0..<200 {
            let position = try await store.bookmark(of: name(number), in: "one")
            #expect(position == (number < 137 ? nil : Int64(number)))
        }
        #expect(try await store.bookmark(of: "first", in: "one") == 199)
        #expect(try await store.bookmark(of: "first", in: "two") == nil)
        #expect(try await store.recentTags(of: "one") == Self.recentTags)
        await store.close()
        let sizes = try Self.withMeta(directory) { connection, _ in
            try connection.run("SELECT length(value) FROM meta WHERE key LIKE 'bookmarks/%'")
        }
        #expect(sizes == ["1805"])
    }

    /// Server names of renditions that change with each segment, in the smallest buffer.
    @Test func readersWithoutEnd_evictNoTag() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 52)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: Self.small, clock: ManualClock())
        store.setEqualShares(2, of: TagOwner(channel: "one"))
        for number in 0..<500 {
            try await store.append(
                source.tags(number..<number + 1), of: TagOwner(channel: "one"),
                bookmark: Self.bookmark("one", String(repeating: "\(number),", count: 2_000)))
        }
        #expect(store.totals().inStore == 500 && store.totals().losses.total == 0)
        await store.close()
    }

    @Test(arguments: [(days: 9, isFollowed: false), (11, true), (11, false)], [true, false])
    func bookmark_ofARemovedChannel_expiresLikeATag(
        age: (days: Int64, isFollowed: Bool), isTrusted: Bool
    ) async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 53)
        let clock = ManualClock(isSynchronized: isTrusted)
        let store = try await TagBuffer.open(directory: directory.path, clock: clock)
        let owners = ["one", "two"].map { TagOwner(channel: $0) }
        for owner in owners { store.setEqualShares(2, of: owner) }
        for (index, channel) in ["one", "two"].enumerated() {
            try await store.append(
                source.tags(index..<index + 1), of: owners[index], bookmark: Self.bookmark(channel, "r"))
        }
        if !age.isFollowed { store.keepShares(of: [owners[1]]) }
        clock.advance(by: .days(age.days))
        try await store.expire()
        let isExpired = age.days > 10 && !age.isFollowed && isTrusted
        #expect(try await store.bookmark(of: "r", in: "one") == (isExpired ? nil : 1))
        #expect(try await store.recentTags(of: "one").isEmpty == isExpired)
        #expect(try await store.bookmark(of: "r", in: "two") == 1)
        await store.close()
    }

    /// Channels start after the buffer is open, so the bookmarks of all are kept for an hour.
    @Test func bookmark_thatIsOldAtTheOpening_isKeptForItsChannel() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 54)
        let clock = ManualClock()
        for isLater in [false, true] {
            let store = try await TagBuffer.open(directory: directory.path, clock: clock)
            if !isLater {
                for (index, channel) in ["one", "two"].enumerated() {
                    try await store.append(
                        source.tags(index..<index + 1), bookmark: Self.bookmark(channel, "r"))
                }
            } else {
                try await store.expire()
                store.setEqualShares(2, of: TagOwner(channel: "one"))
                clock.advance(by: .seconds(3_601))
                try await store.expire()
                #expect(try await store.bookmark(of: "r", in: "one") == 1)
                #expect(try await store.bookmark(of: "r", in: "two") == nil)
            }
            await store.close()
            clock.advance(by: .days(30))
        }
    }

    @Test func bookmarksOfManyChannels_useAtMostAQuarter_andTheOldestGo() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 55)
        let clock = ManualClock()
        let store = try await TagBuffer.open(directory: directory.path, settings: Self.small, clock: clock)
        for number in 0..<600 {
            try await store.append(
                source.tags(number..<number + 1), bookmark: Self.bookmark("\(number)", "r"))
            clock.advance(by: .seconds(1))
        }
        clock.advance(by: .seconds(60))
        try await store.expire()
        var found: [Int] = []
        for number in 0..<600 where try await store.bookmark(of: "r", in: "\(number)") != nil {
            found.append(number)
        }
        #expect((100..<400).contains(found.count) && found == Array(600 - found.count..<600))
        let pending = store.totals().inStore
        try await store.append(source.tags(0..<1))
        #expect(store.totals().inStore == pending + 1)
        await store.close()
    }

    /// A channel has the less room for tags, the more its bookmarks use.
    @Test func bookmarks_countAsUseOfTheirChannel() async throws {
        let directory = TestDirectory()
        do {
            let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
            await store.close()
        }
        let budget = StoreBudget(maximumByteCount: 2_000_000)
        let database = try TagDatabase(
            path: directory.path + "/tags.sqlite", budget: budget, synchronous: .full)
        let owner = TagOwner(channel: "one")
        func use() -> Int { database.tags.use?.byteCounts[owner] ?? 0 }
        try database.set(Self.bookmark("one", "a"), at: 5)
        try database.countUse(maximumRowCount: 10)
        #expect(use() == 13 + 16 + 768)
        try database.set(Self.bookmark("one", "b"), at: 6)
        try database.set(Self.bookmark("one", "a"), at: 7)
        #expect(use() == 13 + 32 + 768)
        let listed = try database.bookmarks.list()
        #expect(listed.map(\.written) == [7] && listed.map(\.owner) == [owner])
        try database.delete(listed)
        #expect(try database.bookmarks.list().isEmpty && use() == 0)
    }

    // MARK: Earlier versions

    @Test func bookmarksOfAnEarlierVersion_areReadUntilTheirChannelWrites_andExpire() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 56)
        let clock = ManualClock()
        await (try await TagBuffer.open(directory: directory.path, clock: clock)).close()
        try Self.withMeta(directory) { _, meta in
            for channel in ["one", "two"] {
                try meta.setNumber("bookmark/\(channel)/a", 7)
                try meta.setNumber("bookmark/\(channel)/b", 8)
                try meta.set("recent/\(channel)", [0, 0, 0, 0, 0, 9, 1, 2])
            }
        }
        let store = try await TagBuffer.open(directory: directory.path, clock: clock)
        #expect(try await store.bookmark(of: "one/a", in: "one") == 7)
        #expect(try await store.recentTags(of: "one") == [.init(bits: 9)])
        try await store.append(
            source.tags(0..<1), bookmark: Bookmark(channel: "one", reader: "one/a", position: 10))
        #expect(try await store.bookmark(of: "one/a", in: "one") == 10)
        #expect(try await store.bookmark(of: "one/b", in: "one") == 8)
        #expect(try await store.recentTags(of: "one") == [.init(bits: 9)])
        await store.close()
        let key = try Self.keys(directory).filter { $0.hasPrefix("bookmarks/") }
        #expect(key.count == 1)
        #expect(
            try Self.keys(directory)
                == ["bookmark/one/b", "bookmark/two/a", "bookmark/two/b"] + key + ["recent/two"])

        let again = try await TagBuffer.open(directory: directory.path, clock: clock)
        for age in [Duration.seconds(3_601), .days(9), .days(2)] {
            clock.advance(by: age)
            try await again.expire()
        }
        #expect(try await again.bookmark(of: "two/a", in: "two") == nil)
        await again.close()
        #expect(try Self.keys(directory).isEmpty)
    }

    /// A buffer that the bookmarks of an earlier version have filled accepts tags again, and keeps those that wait.
    @Test func bookmarksOfAnEarlierVersion_thatFillTheBuffer_areRemovedAtTheOpening() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 57)
        let first = try await TagBuffer.open(
            directory: directory.path, settings: Self.small, clock: ManualClock())
        try await first.append(source.tags(0..<100))
        await first.close()
        try Self.withMeta(directory) { connection, meta in
            try connection.run("BEGIN")
            for number in 0..<9_000 { try meta.setNumber("bookmark/one/\(number) and a long name of it", 7) }
            try connection.run("COMMIT")
        }
        let store = try await TagBuffer.open(
            directory: directory.path, settings: Self.small, clock: ManualClock())
        #expect(store.totals().inStore == 100 && store.totals().losses.total == 0)
        try await store.append(source.tags(100..<200))
        #expect(store.totals().inStore == 200 && store.totals().losses.total == 0)
        await store.close()
    }

    /// Each cut of a value and each value of its count is read as far as it goes.
    @Test func damagedValue_isReadAsMissing_orShortened() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 58)
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        for reader in ["a", "b"] {
            try await store.append(source.tags(0..<1), bookmark: Self.bookmark("one", reader))
        }
        await store.close()
        let key = try #require(try Self.keys(directory).first)
        let whole = try #require(try Self.withMeta(directory) { _, meta in try meta.value(key) })
        var values = (0..<80).map { Array(whole.prefix($0)) }
        values += (0..<256).map { whole.prefix(12) + [UInt8($0)] + whole.dropFirst(13) }
        for value in values {
            let database = try TagDatabase(
                path: directory.path + "/tags.sqlite", budget: StoreBudget(maximumByteCount: 2_000_000),
                synchronous: .normal)
            try database.meta.set(key, value)
            _ = try database.bookmarks.position(of: "a", in: "one")
            #expect(try database.bookmarks.recentTags(of: "one").count <= 134)
            #expect(try database.bookmarks.list().count == 1)
            try database.set(Self.bookmark("one", "b", 5), at: 1)
            #expect(try database.bookmarks.position(of: "b", in: "one") == 5)
        }
    }
}
