import NielsenID3
import TagRecord
import Testing

@testable import HLSInput

@Suite struct RenditionMergerTests {
    private static func numbers(_ records: [TagOccurrence]) -> [Int?] { records.map(\.tag.breakout) }

    private static func merger(of count: Int) -> RenditionMerger { RenditionMerger(renditionCount: count) }

    @Test func tags_ofOneRendition_areReleasedAtOnceAndInOrder() throws {
        var merger = Self.merger(of: 1)
        for number in [3, 1, 2, 1] {
            merger.add(try #require(SampleTags.record(number, rendition: "v")), rendition: 0, position: 0)
        }
        #expect(Self.numbers(merger.release()) == [3, 1, 2, 1])
        #expect(merger.release().isEmpty)
    }

    /// Segments of 6 s, read in parallel; each tag is in both renditions.
    @Test func copies_inTwoRenditions_mergeIntoOneTagWithBothNames() throws {
        var merger = Self.merger(of: 2)
        var released: [TagOccurrence] = []
        for segment in 0..<20 {
            for rendition in 0..<2 {
                let record = try #require(SampleTags.record(segment, rendition: "r\(rendition)"))
                merger.add(record, rendition: rendition, position: Double(segment) * 6)
                merger.advance(rendition: rendition, to: Double(segment + 1) * 6)
                released += merger.release()
            }
        }
        for rendition in 0..<2 { merger.advance(rendition: rendition, to: .infinity) }
        released += merger.release()
        #expect(Self.numbers(released) == Array(0..<20))
        #expect(released.allSatisfy { $0.origin.place.renditions == ["r0", "r1"] })
    }

    /// A tag that only the first rendition has, on a timeline.
    ///
    ///     rendition 0   tag at 10 ----------------------
    ///     rendition 1   10 ... 40: waits    40.1: released
    @Test func tag_missingInTheOtherRendition_isReleasedAfterTheWindow() throws {
        var merger = Self.merger(of: 2)
        merger.add(try #require(SampleTags.record(1, rendition: "r0")), rendition: 0, position: 10)
        merger.advance(rendition: 1, to: 10 + RenditionMerger.window)
        #expect(merger.release().isEmpty)
        merger.advance(rendition: 1, to: 10.1 + RenditionMerger.window)
        #expect(Self.numbers(merger.release()) == [1])
    }

    @Test func tag_presentTwiceInBothRenditions_yieldsTwoTags() throws {
        var merger = Self.merger(of: 2)
        for rendition in 0..<2 {
            for position in [0.0, 6.0] {
                let record = try #require(SampleTags.record(1, rendition: "r\(rendition)"))
                merger.add(record, rendition: rendition, position: position)
            }
        }
        for rendition in 0..<2 { merger.advance(rendition: rendition, to: .infinity) }
        let released = merger.release()
        #expect(released.map(\.origin.place.renditions) == [["r0", "r1"], ["r0", "r1"]])
    }

    @Test func copies_furtherApartThanTheWindow_areTwoTags() throws {
        var merger = Self.merger(of: 2)
        merger.add(try #require(SampleTags.record(1, rendition: "r0")), rendition: 0, position: 0)
        let late = RenditionMerger.window + 1
        merger.add(try #require(SampleTags.record(1, rendition: "r1")), rendition: 1, position: late)
        for rendition in 0..<2 { merger.advance(rendition: rendition, to: .infinity) }
        #expect(merger.release().map(\.origin.place.renditions) == [["r0"], ["r1"]])
    }

    /// If all segment durations are zero, no position passes the window.
    @Test func tags_beyondTheLimit_areReleasedOldestFirst() throws {
        var merger = RenditionMerger(renditionCount: 2, maximumWaitingCount: 100)
        let record = try #require(SampleTags.record(1, rendition: "r0"))
        for _ in 0..<103 { merger.add(record, rendition: 0, position: 0) }
        #expect(merger.release().count == 3)
        #expect(merger.release().isEmpty)
    }

    @Test func laterTag_waitsForAnEarlierPendingTag() throws {
        var merger = Self.merger(of: 2)
        merger.add(try #require(SampleTags.record(1, rendition: "r0")), rendition: 0, position: 0)
        merger.add(try #require(SampleTags.record(2, rendition: "r0")), rendition: 0, position: 6)
        merger.add(try #require(SampleTags.record(2, rendition: "r1")), rendition: 1, position: 6)
        #expect(merger.release().isEmpty)
        merger.advance(rendition: 1, to: .infinity)
        #expect(Self.numbers(merger.release()) == [1, 2])
    }
}
