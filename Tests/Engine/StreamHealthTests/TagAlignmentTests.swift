import NielsenID3
import Testing

@testable import StreamHealth

/// Equal tags of several streams, and the removal of tags that have waited long enough.
@Suite struct TagAlignmentTests {
    /// A tag with its identity, as seen by one stream.
    private static func tag(
        _ sequence: UInt16, at position: Double, in stream: Int
    ) throws -> (identity: RenditionTagIdentity, occurrence: RenditionOccurrence) {
        let observed = try ComparedTag(sequence, at: position).observed()
        let identity = try #require(RenditionTagIdentity(observed))
        return (identity, RenditionOccurrence(observed, stream: stream, name: nil, index: 0))
    }

    private static func add(
        _ sequence: UInt16, at position: Double, in stream: Int, to alignment: inout TagAlignment
    ) throws -> Int {
        let (identity, occurrence) = try tag(sequence, at: position, in: stream)
        return alignment.add(occurrence, of: identity, at: position)
    }

    @Test func equalTags_alignedByOrder_areMatchedInOrder() throws {
        var alignment = TagAlignment(.order, streamCount: 2)
        let first = try Self.add(50, at: 5, in: 0, to: &alignment)
        let second = try Self.add(50, at: 500, in: 0, to: &alignment)
        #expect(first != second)
        #expect(try Self.add(50, at: 900, in: 1, to: &alignment) == first)
        #expect(try Self.add(50, at: 950, in: 1, to: &alignment) == second)
        let third = try Self.add(50, at: 990, in: 1, to: &alignment)
        #expect(alignment[first]?.shift(from: 0, to: 1) == 895)
        #expect(alignment[second]?.shift(from: 1, to: 0) == -450)
        #expect(alignment[third]?.isCommon == false)
        #expect(alignment[third]?.shift(from: 0, to: 1) == nil)
    }

    @Test func equalTags_alignedByPosition_areMatchedWithinReach() throws {
        var alignment = TagAlignment(.position(reach: 30), streamCount: 3)
        let first = try Self.add(50, at: 0, in: 0, to: &alignment)
        let second = try Self.add(50, at: 50, in: 0, to: &alignment)
        #expect(try Self.add(50, at: 30, in: 1, to: &alignment) == second)
        #expect(try Self.add(50, at: 25, in: 2, to: &alignment) == first)
        #expect(try Self.add(50, at: 81, in: 1, to: &alignment) != second)
        #expect(alignment.count == 3)
        #expect(alignment.firstCommon(0, 1, among: 3)?.position == 50)
        #expect(alignment.removeFirst(upTo: 49)?.position == 0)
        #expect(alignment.removeFirst(upTo: 49) == nil)
    }

    @Test func tags_beforeACommonTag_areRemovedAndReturned() throws {
        var alignment = TagAlignment(.order, streamCount: 2)
        for sequence in UInt16(50)...52 { _ = try Self.add(sequence, at: 5, in: 0, to: &alignment) }
        _ = try Self.add(60, at: 5, in: 1, to: &alignment)
        let common = try Self.add(51, at: 15, in: 1, to: &alignment)
        let passed = alignment.removeAll(through: common, readLast: 1)
        #expect(passed.map { $0.identity?.sequence } == [50, 60])
        #expect(alignment.waiting.map { $0.identity?.sequence } == [52])
    }

    @Test func tags_beyondWindowOfAStream_dropItsOldestTag() throws {
        var alignment = TagAlignment(.order, streamCount: 2, window: 2)
        _ = try Self.add(70, at: 0, in: 1, to: &alignment)
        for sequence in UInt16(50)...52 { _ = try Self.add(sequence, at: 5, in: 0, to: &alignment) }
        #expect(alignment.waiting.map { $0.identity?.sequence } == [70, 51, 52])
        let (dropped, _) = try Self.tag(50, at: 5, in: 0)
        #expect(!alignment.isWaiting(dropped, in: 0))
    }

    @Test func interruption_ofAStream_startsItsNextStretch() throws {
        var alignment = TagAlignment(.order, streamCount: 2)
        let id = try Self.add(50, at: 5, in: 0, to: &alignment)
        alignment.interrupt(0)
        alignment.interrupt(1)
        #expect(try Self.add(50, at: 5, in: 1, to: &alignment) == id)
        #expect(alignment[id]?.stretches == [0, 1])
        #expect(alignment.stretches == [1, 1])
    }
}
