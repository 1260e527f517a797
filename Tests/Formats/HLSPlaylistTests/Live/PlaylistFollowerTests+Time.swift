import HLSPlaylist
import Testing

/// The times of reloads, and stale playlists.
extension PlaylistFollowerTests {
    @Test func reloadDelay_isTheTargetDuration_orHalfOfItIfUnchanged() throws {
        var follower = PlaylistFollower()
        let first = try livePlaylist("1 | s1 s2")
        #expect(follower.observe(.playlist(first), at: .zero).reloadDelay == .seconds(10))
        #expect(follower.observe(.playlist(first), at: .seconds(10)).reloadDelay == .seconds(5))
        #expect(follower.observe(.unchanged, at: .seconds(15)).reloadDelay == .seconds(5))
        let longer = try livePlaylist("2 | s2 s3 s4", target: 12)
        #expect(follower.observe(.playlist(longer), at: .seconds(20)).reloadDelay == .seconds(12))
        #expect(follower.observe(.unchanged, at: .seconds(32)).reloadDelay == .seconds(6))
    }

    /// The segments have 10 s.
    @Test(arguments: [
        ("1 | s1", 10, 10.0), ("1 | s1", 11, 5), ("1 | s1 s2", 20, 20), ("1 | s1 s2 s3", 60, 15),
        ("1 |", 60, 60), ("1 | s1 s2 s3 s4", 20, 20),
    ])
    func reloadDelay_ofAPlaylistThatListsTooLittle_isHalfOfWhatItLists(
        text: String, target: Int, seconds: Double
    ) throws {
        var follower = PlaylistFollower()
        let playlist = try livePlaylist(text, target: target)
        #expect(follower.observe(.playlist(playlist), at: .zero).reloadDelay == .seconds(seconds))
        #expect(follower.observe(.unchanged, at: .seconds(seconds)).reloadDelay == .seconds(seconds / 2))
        #expect(follower.observe(.failed, at: .seconds(9), jitter: 1).reloadDelay == .seconds(seconds / 4))
    }

    @Test func failedLoad_isRetriedWithBackoff_upToTheTargetDuration() throws {
        var follower = PlaylistFollower()
        _ = follower.observe(.playlist(try livePlaylist("1 | s1 s2", target: 8)), at: .zero)
        var delays: [Duration] = []
        for _ in 0..<5 { delays.append(follower.observe(.failed, at: .seconds(8), jitter: 1).reloadDelay) }
        #expect(delays == [.seconds(2), .seconds(4), .seconds(8), .seconds(8), .seconds(8)])
        #expect(follower.observe(.failed, at: .seconds(8), jitter: 0).reloadDelay == .seconds(4))
        _ = follower.observe(.unchanged, at: .seconds(60))
        #expect(follower.observe(.failed, at: .seconds(64), jitter: 1).reloadDelay == .seconds(2))
    }

    @Test func unchangedPlaylist_isReportedAsStaleOnce_untilItChanges() throws {
        var follower = PlaylistFollower()
        let first = try livePlaylist("1 | s1 s2")
        #expect(follower.observe(.playlist(first), at: .zero).events.isEmpty)
        #expect(follower.observe(.unchanged, at: .seconds(15)).events.isEmpty)
        #expect(
            follower.observe(.unchanged, at: .seconds(16)).events
                == [.stale(unchangedFor: .seconds(16), targetDuration: .seconds(10))])
        #expect(follower.observe(.playlist(first), at: .seconds(21)).events.isEmpty)
        #expect(
            follower.observe(.playlist(try livePlaylist("1 | s1 s2 s3")), at: .seconds(26)).events.isEmpty)
        // A failed load does not show whether the playlist changed.
        #expect(follower.observe(.failed, at: .seconds(50)).events.isEmpty)
        #expect(
            follower.observe(.unchanged, at: .seconds(60)).events
                == [.stale(unchangedFor: .seconds(34), targetDuration: .seconds(10))])
    }

    /// The load of the last new segment was answered after 40 s.
    @Test func playlist_whoseLoadTookLong_isNotStaleAtTheNextLoad() throws {
        var follower = PlaylistFollower()
        _ = follower.observe(.playlist(try livePlaylist("1 | s1 s2")), at: .zero)
        let next = try livePlaylist("1 | s1 s2 s3")
        #expect(follower.observe(.playlist(next), at: .seconds(10), until: .seconds(50)).events.isEmpty)
        #expect(follower.observe(.unchanged, at: .seconds(50)).events.isEmpty)
        #expect(
            follower.observe(.unchanged, at: .seconds(66)).events
                == [.stale(unchangedFor: .seconds(16), targetDuration: .seconds(10))])
    }

    @Test(arguments: [(3.0, 0, 30), (1.5, 40, 40), (1.5, 5, 15)])
    func unchangedPlaylist_isStaleAfterTheLongerOfItsLimits(
        targetDurations: Double, minimum: Int, seconds: Int
    ) throws {
        var limit = StaleLimit()
        limit.targetDurations = targetDurations
        limit.minimum = .seconds(minimum)
        var follower = PlaylistFollower(staleLimit: limit)
        _ = follower.observe(.playlist(try livePlaylist("1 | s1 s2")), at: .zero)
        #expect(follower.observe(.unchanged, at: .seconds(seconds)).events.isEmpty)
        #expect(follower.observe(.unchanged, at: .seconds(seconds + 1)).events.count == 1)
    }

    @Test func endedPlaylist_isNeitherStaleNorReloaded() throws {
        for line in ["#EXT-X-ENDLIST", "#EXT-X-PLAYLIST-TYPE:VOD"] {
            var follower = PlaylistFollower()
            _ = follower.observe(.playlist(try livePlaylist("1 | s1 s2")), at: .zero)
            let ended = try livePlaylist("1 | s1 s2 s3", lines: [line])
            let update = follower.observe(.playlist(ended), at: .seconds(40))
            #expect(update.isEnded && update.events.isEmpty)
            #expect(update.newSegments.map(\.mediaSequence) == [3])
        }
    }

    @Test func reloadDelay_withAHostileTargetDuration_isBetweenASecondAndAnHour() throws {
        for (target, seconds) in [(0, 1), (1, 1), (3_600, 3_600), (1_000_000, 3_600), (1 << 40, 3_600)] {
            var follower = PlaylistFollower()
            let playlist = try livePlaylist("1 | s1", target: target, seconds: 1e6)
            #expect(follower.observe(.playlist(playlist), at: .zero).reloadDelay == .seconds(seconds))
        }
    }
}
