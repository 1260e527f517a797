import TestSupport
import Testing

@testable import TagStore

/// The position of a reader, which becomes durable together with its tags or not at all.
@Suite(.timeLimit(.minutes(30))) struct BookmarkTests {
    @Test func bookmark_ofEachReader_survivesReopening() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 41)
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(try await store.bookmark(of: "one", in: "one") == nil)
        try await store.append(
            source.tags(0..<2), bookmark: Bookmark(channel: "one", reader: "one", position: 7))
        try await store.append(
            source.tags(2..<3), bookmark: Bookmark(channel: "one", reader: "two", position: .max))
        try await store.append(
            source.tags(3..<4), bookmark: Bookmark(channel: "one", reader: "one", position: 8))
        try await store.append(source.tags(4..<5))
        await store.close()

        let again = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(try await again.bookmark(of: "one", in: "one") == 8)
        #expect(try await again.bookmark(of: "two", in: "one") == .max)
        #expect(try await again.bookmark(of: "on", in: "one") == nil)
        #expect(try await again.verify().isIntact)
        await again.close()
    }

    @Test func recentTags_ofEachChannel_surviveReopening() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 43)
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        func tags(_ bits: some Sequence<UInt64>) -> [Bookmark.RecentTag] { bits.map { .init(bits: $0) } }
        func bookmark(_ channel: String, _ tags: [Bookmark.RecentTag]) -> Bookmark {
            Bookmark(channel: channel, reader: channel, position: 1, recentTags: tags)
        }
        #expect(try await store.recentTags(of: "one").isEmpty)
        try await store.append(source.tags(0..<1), bookmark: bookmark("one", tags([1, 2])))
        try await store.append(source.tags(1..<2), bookmark: bookmark("two", tags(0..<1_000)))
        try await store.append(source.tags(2..<3), bookmark: bookmark("one", tags([1, 2, 1 << 48 - 1])))
        try await store.append(
            source.tags(3..<4), bookmark: Bookmark(channel: "one", reader: "one", position: 2))
        await store.close()

        let again = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(try await again.recentTags(of: "one") == tags([1, 2, 1 << 48 - 1]))
        #expect(try await again.recentTags(of: "two") == tags(872..<1_000))
        #expect(try await again.verify().isIntact)
        await again.close()
    }

    @Test func bookmark_ofRefusedTags_isUnchanged() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 42)
        let settings = StoreSettings(maximumByteCount: 2_000_000, fullPolicy: .refuseNewest)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: settings, clock: ManualClock())
        var position: Int64 = 0
        do throws(StoreError) {
            while position < 10_000 {
                let start = Int(position) * 20
                try await store.append(
                    source.tags(start..<start + 20),
                    bookmark: Bookmark(channel: "one", reader: "one", position: position + 1))
                position += 1
            }
        } catch {
            #expect(error == .full)
        }
        #expect((1..<10_000).contains(position))
        #expect(try await store.bookmark(of: "one", in: "one") == position)
        await store.close()
    }

    /// Each bookmark is the position of its reader's last tag, so that a reader continues there after a crash.
    @Test func bookmarks_ofConcurrentReaders_matchTheirLastTags() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        await withTaskGroup(of: Void.self) { group in
            for reader in 0..<8 {
                group.addTask {
                    var source = BodySource(seed: UInt64(100 + reader))
                    for position in 0..<20 {
                        do throws(StoreError) {
                            try await store.append(
                                source.tags(position..<position + 1),
                                bookmark: Bookmark(
                                    channel: "one", reader: "\(reader)", position: Int64(position)))
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
            }
        }
        #expect(store.totals().accepted == 160)
        for reader in 0..<8 { #expect(try await store.bookmark(of: "\(reader)", in: "one") == 19) }
        await store.close()
    }
}
