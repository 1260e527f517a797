import ID3v2
import NielsenID3
import TagStore
import TestSupport
import Testing

@testable import StreamMonitor

/// The detection of duplicate tags, so that the buffer stores each tag once.
@Suite struct RecentTagsTests {
    /// Returns a tag of a live channel whose checksum is unreadable.
    private static func damaged(_ name: String = "a", sequence: UInt64, pts: UInt64) throws -> TagOccurrence {
        let bytes = Array("www.nielsen.com/\(name)".utf8)
        let tag = NielsenTag(playerIdentifier: bytes.span)
        return try occurrence(#require(tag), sequence: sequence, pts: pts)
    }

    private static func occurrence(_ tag: NielsenTag, sequence: UInt64, pts: UInt64) -> TagOccurrence {
        TagOccurrence(
            tag: tag, origin: .channel(id: "one", TagPlace(source: "http://a/", mediaSequence: sequence)),
            time: MediaTimestamp(pts: pts), seconds: Double(pts) / 90_000, carriage: .packedAudio,
            position: Double(pts) / 90_000)
    }

    @Test func damagedTag_isADuplicateOnlyAtTheSamePosition() throws {
        var recent = RecentTags()
        #expect(recent.insert(try Self.damaged(sequence: 1, pts: 9)))
        #expect(!recent.insert(try Self.damaged(sequence: 1, pts: 9)))
        #expect(recent.insert(try Self.damaged("b", sequence: 1, pts: 9)))
        #expect(recent.insert(try Self.damaged(sequence: 2, pts: 9)))
        #expect(recent.insert(try Self.damaged(sequence: 1, pts: 10)))
    }

    /// After an outage a source lists tags that another source has delivered in the meantime.
    @Test func duplicates_evictNoOtherTags() throws {
        var recent = RecentTags()
        let tags = try (0..<256).map { try Self.damaged("\($0)", sequence: 1, pts: 1) }
        let isNew = (tags + tags + tags).map { recent.insert($0) }
        #expect(isNew == Array(repeating: true, count: 256) + Array(repeating: false, count: 512))
    }

    /// A tag that is still being written must be read again after a crash.
    @Test func bookmark_includesStoredTags_andThoseWrittenWithIt() throws {
        var recent = RecentTags()
        let tags = try (0..<3).map { try Self.damaged("\($0)", sequence: 1, pts: 1) }
        for tag in tags { _ = recent.insert(tag) }
        recent.markStored([tags[0]])
        let ids = recent.stored(with: [tags[2]])
        var after = RecentTags(stored: ids)
        let isNew = tags.map { after.insert($0) }
        #expect(isNew == [false, true, false])
    }

    @Test func bookmark_hasAtMost128Tags() throws {
        var recent = RecentTags()
        for number in 0..<1_000 {
            let tag = try Self.damaged("\(number)", sequence: 1, pts: 1)
            let isNew = recent.insert(tag)
            try #require(isNew)
            recent.markStored([tag])
        }
        let ids = recent.stored(with: [])
        #expect(ids.count == 128)
        var after = RecentTags(stored: ids)
        #expect(!after.insert(try Self.damaged("999", sequence: 1, pts: 1)))
        #expect(after.insert(try Self.damaged("0", sequence: 1, pts: 1)))
    }
}
