import CDTVRHeader
import Foundation
import TestSupport
import Testing

/// `dtvr_feed_segment`: its statuses and its numbers.
@Suite(.timeLimit(.minutes(30))) struct SegmentFeedTests {
    static func demo(_ number: Int) throws -> [UInt8] {
        Array(
            try Data(contentsOf: URL(fileURLWithPath: Project.root + "/media/demo/audio/seg0000\(number).ts"))
        )
    }

    private static func feed(
        _ session: CSession, _ bytes: [UInt8], at start: Double = .nan, track: UInt32 = 0, flags: UInt32 = 0
    ) -> (status: dtvr_status, tags: UInt64, repeats: UInt64) {
        var fed = dtvr_fed()
        fed.size = MemoryLayout<dtvr_fed>.size
        let status = unsafe dtvr_feed_segment(
            session.pointer, bytes, bytes.count, start, track, flags, &fed)
        return (status, fed.tags, fed.repeats)
    }

    @Test func tagsOfASegment_areHeld_andHandedOverOnce() async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path))
        #expect(try await session.settle() == DTVR_DONE)
        #expect(session.play() == DTVR_DONE)
        var tags: UInt64 = 0
        for number in 0..<10 {
            let fed = Self.feed(session, try Self.demo(number), at: Double(number) * 2)
            #expect(fed.status == DTVR_DONE && fed.repeats == 0)
            tags += fed.tags
            let other = Self.feed(session, try Self.demo(number), at: Double(number) * 2, track: 15)
            #expect(other.status == DTVR_DONE && other.tags == 0 && other.repeats == fed.tags)
        }
        #expect(tags > 1 && session.counts.handed == tags && session.counts.held >= tags - 1)
        let again = Self.feed(session, try Self.demo(0), at: 0, flags: UInt32(DTVR_FEED_JUMP))
        #expect(again.status == DTVR_DONE && again.tags >= 1)
        let later = Self.feed(session, try Self.demo(0), at: 900, flags: UInt32(DTVR_FEED_DISCONTINUITY))
        #expect(later.status == DTVR_DONE && later.tags == again.tags)
        #expect(try await session.destroy() == DTVR_DONE)
        #expect(Self.feed(session, try Self.demo(0)).status == DTVR_NO_SESSION)
    }

    @Test func segmentWithoutPosition_repeatsItsTags_unlessItIsDiscontinuous() async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path))
        #expect(try await session.settle() == DTVR_DONE)
        let first = Self.feed(session, try Self.demo(0))
        #expect(first.tags >= 1 && first.repeats == 0)
        let again = Self.feed(session, try Self.demo(0))
        #expect(again.tags == 0 && again.repeats == first.tags)
        let other = Self.feed(session, try Self.demo(0), flags: UInt32(DTVR_FEED_DISCONTINUITY))
        #expect(other.tags == first.tags && other.repeats == 0)
        #expect(try await session.destroy() == DTVR_DONE)
    }

    @Test func invalidArguments_haveTheirStatus() async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path))
        #expect(try await session.settle() == DTVR_DONE)
        let bytes = try Self.demo(0)
        #expect(Self.feed(session, bytes, track: 16).status == DTVR_INVALID_OPTION)
        #expect(Self.feed(session, bytes, track: .max).status == DTVR_INVALID_OPTION)
        #expect(Self.feed(session, bytes, flags: 4).status == DTVR_INVALID_OPTION)
        #expect(Self.feed(session, []).status == DTVR_INVALID)
        #expect(Self.feed(session, Array("<html>".utf8)).status == DTVR_INVALID)
        var unsized = dtvr_fed()
        let statuses = unsafe [
            dtvr_feed_segment(session.pointer, bytes, bytes.count, 0, 0, 0, &unsized),
            dtvr_feed_segment(session.pointer, bytes, -1, 0, 0, 0, nil),
            dtvr_feed_segment(session.pointer, nil, 1, 0, 0, 0, nil),
            dtvr_feed_segment(nil, bytes, bytes.count, 0, 0, 0, nil),
        ]
        #expect(
            statuses == [DTVR_INVALID_OPTION, DTVR_INVALID_OPTION, DTVR_NULL_POINTER, DTVR_NULL_POINTER])
        #expect(session.counts.handed == 0)
        let status = unsafe dtvr_feed_segment(session.pointer, bytes, bytes.count, 0, 0, 0, nil)
        #expect(status == DTVR_DONE && session.counts.handed == 1)
        for start in [Double.infinity, -Double.infinity, 1e300, -1] as [Double] {
            #expect(Self.feed(session, bytes, at: start, flags: 2).status == DTVR_DONE)
        }
        #expect(try await session.destroy() == DTVR_DONE)
    }
}
