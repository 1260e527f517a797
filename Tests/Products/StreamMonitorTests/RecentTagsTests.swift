import NielsenID3
import Testing
import TimedMedia

@testable import StreamMonitor

/// Which tags are copies of one that came before, so that the buffer gets each once.
@Suite struct RecentTagsTests {
    private static func tag(_ name: String = "a", at position: Double, pts: UInt64) throws -> TagOccurrence {
        let text = Array("www.nielsen.com/\(name)".utf8)
        let tag = NielsenTag(playerIdentifier: text.span)
        return TagOccurrence(
            tag: try #require(tag),
            origin: .recording(TagPlace(source: "one")), time: MediaTimestamp(pts: pts),
            seconds: Double(pts) / 90_000, carriage: .packedAudio, position: position)
    }

    @Test func tag_inTwoSegmentsOfARendition_isACopy_andAtAnotherTimeItIsNot() throws {
        var recent = RecentTags()
        #expect(recent.insert(try Self.tag(at: 10, pts: 900_000), rendition: 0))
        #expect(!recent.insert(try Self.tag(at: 10, pts: 900_000), rendition: 0))
        #expect(recent.insert(try Self.tag("b", at: 10, pts: 900_000), rendition: 0))
        #expect(recent.insert(try Self.tag(at: 20, pts: 1_800_000), rendition: 0))
    }

    @Test func tag_ofAnotherRendition_isACopyWhereItIsNear() throws {
        var recent = RecentTags()
        #expect(recent.insert(try Self.tag(at: 100, pts: 0), rendition: 0))
        #expect(!recent.insert(try Self.tag(at: 130, pts: 9), rendition: 1))
        #expect(recent.insert(try Self.tag(at: 160.5, pts: 9), rendition: 2))
    }

    /// After an outage a source lists what another one brought meanwhile.
    @Test func copies_takeNoPlacesOfOtherTags() throws {
        var recent = RecentTags()
        for number in 0..<200 {
            #expect(
                recent.insert(try Self.tag("\(number)", at: 10 * Double(number), pts: 1), rendition: 1_000))
        }
        for _ in 0..<2 {
            for number in 0..<200 {
                #expect(
                    !recent.insert(try Self.tag("\(number)", at: 10 * Double(number), pts: 2), rendition: 0))
            }
        }
    }

    /// The positions of primary and backup have nothing to do with each other.
    @Test func tag_ofTheBackup_isACopyWhereverItLies() throws {
        var recent = RecentTags()
        #expect(recent.insert(try Self.tag(at: 5_000, pts: 0), rendition: 0))
        #expect(!recent.insert(try Self.tag(at: 10, pts: 9), rendition: 1_000))
    }
}
