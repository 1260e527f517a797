import HLSPlaylist
import Testing

/// Playlists whose server counts from another number after a restart, although it lists the same segments.
@Suite struct RenumberedPlaylistTests {
    private static let date = ["#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z"]
    private static let nextDate = ["#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:10Z"]

    /// Upwards, where dates show it, and downwards.
    @Test(arguments: [(101, date, nextDate), (2, date, nextDate), (2, [], [])])
    func renumberedPlaylist_continues_withTheAwaitedSegments(
        first: Int, lines: [String], nextLines: [String]
    ) throws {
        var follower = PlaylistFollower()
        let start = first == 101 ? 1 : 50
        let before = try livePlaylist("\(start) | s1 s2 s3", lines: lines)
        #expect(follower.observe(.playlist(before), at: .zero).renumberedBy == 0)
        let renumbered = try livePlaylist("\(first) | s2 s3 s4", lines: nextLines)
        let update = follower.observe(
            .playlist(renumbered), at: .seconds(10), awaiting: start + 2...start + 5)
        #expect(update.renumberedBy == first - start - 1)
        #expect(update.newSegments.map(\.mediaSequence) == [first + 2])
        #expect(update.awaited.map(\.mediaSequence) == [first + 1])
        #expect(update.listed == first...first + 2)
        #expect(update.isContinuation && !update.isReset)
        #expect(follower.lastMediaSequence == first + 2)
        // The known segments have the new numbers.
        let next = follower.observe(
            .playlist(try livePlaylist("\(first + 1) | s3 s4 s5")), at: .seconds(20),
            awaiting: first + 1...first + 2)
        #expect(next.renumberedBy == 0 && next.events.isEmpty)
        #expect(next.newSegments.map(\.mediaSequence) == [first + 3])
        #expect(next.awaited.map(\.mediaSequence) == [first + 1, first + 2])
    }
}
