import HLSPlaylist
import StreamHealth
import StreamMonitor
import Testing
import TimedMedia

/// Alerts while the playlist cannot be loaded or is stale.
extension ChannelAlertTests {
    @Test func alertOfPersistentFault_duringOutage_isNeitherClearedNorRaisedAgain() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.facts = { $0.programs = [.program(pointer: false)] }
        try feed.play(60)
        for _ in 0..<40 {
            feed.wait(5)
            feed.perform { $0.observe(.failed(FetchFailure(httpStatus: 503)), at: $1) }
        }
        // The playlist can be loaded before its first segment is read.
        feed.perform { $0.observe(.changed(PlaylistEdge(targetDuration: 6)), at: $1) }
        try feed.play(60)
        #expect(
            feed.alerts == [
                "raise carriage.pmt-descriptors", "raise playlist.http", "clear playlist.http",
            ])
    }

    @Test func silence_whilePlaylistIsUnreachableOrStale_raisesNoAlert() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        for _ in 0..<100 {
            feed.wait(3)
            feed.perform { $0.observe(.failed(FetchFailure(httpStatus: 503)), at: $1) }
        }
        feed.perform { $0.observe([Self.stale], at: $1) }
        for _ in 0..<100 {
            feed.wait(3)
            feed.perform { $0.observe(.unchanged, at: $1) }
        }
        #expect(feed.openAlerts.map(\.check) == [.playlistHTTP, .playlistStale])
        // Tags are expected again once segments are listed.
        feed.perform { $0.observe(.changed(PlaylistEdge(targetDuration: 6)), at: $1) }
        try feed.play(36, .unheard)
        #expect(feed.health.state == .silent && feed.openAlerts.contains { $0.check == .presenceSilent })
    }

    /// The playlist is stale for two of every ten seconds, which do not count.
    @Test func silence_onFrequentlyStalePlaylist_isReported() throws {
        var feed = ChannelFeed()
        feed.segmentLength = 10
        try feed.play(60)
        let begin = feed.position
        while !feed.findings.contains(.presenceSilent), feed.position < begin + 300 {
            feed.perform { $0.observe([Self.stale], at: $1) }
            feed.wait(2)
            feed.perform { $0.observe(.changed(PlaylistEdge(targetDuration: 6)), at: $1) }
            feed.segmentLength = 8
            try feed.play(8, .unheard)
        }
        #expect(feed.position - begin == 40, "\(feed.position - begin)")
        let alert = try #require(feed.openAlerts.first { $0.check == .presenceSilent })
        #expect(
            alert.detail.contains("(39 s; 31 s of it with a current playlist), the limit is 30 s"),
            "\(alert.detail)")
    }

    @Test func silence_beforeAnOutage_lastsThroughIt() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        try feed.play(60, .unheard)
        for _ in 0..<2 { feed.perform { $0.observe(.failed(FetchFailure(httpStatus: 503)), at: $1) } }
        #expect(feed.health.state == .unreachable && feed.health.isSilent)
    }
}
