import HLSPlaylist
import ID3v2
import NielsenID3
import StreamHealth
import Testing

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
        #expect(feed.openAlerts.map(\.check) == [.playlistStale])
        #expect(feed.alerts == ["raise playlist.http", "clear playlist.http", "raise playlist.stale"])
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
        let detail = try #require(feed.alertChanges.last { $0.check == .presenceSilent })
            .detail
        #expect(
            detail.contains("(39 s; 31 s of it with a current playlist), the limit is 30 s"), "\(detail)")
    }

    @Test func silence_beforeAnOutage_lastsThroughIt() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        try feed.play(60, .unheard)
        for _ in 0..<2 { feed.perform { $0.observe(.failed(FetchFailure(httpStatus: 503)), at: $1) } }
        #expect(feed.health.state == .unreachable && feed.health.isSilent)
    }

    /// A server accepts a request and does not answer it for 70 s.
    ///
    /// Its alert comes when that of a silence would have come, and names the cause.
    @Test func load_thatHangs_isAnAlertInsteadOfASilence() throws {
        var silent = ChannelFeed()
        try silent.play(60)
        while silent.alerts.isEmpty { silent.wait(1) }
        #expect(silent.alerts == ["raise presence.silent"])

        var feed = ChannelFeed()
        try feed.play(60)
        let start = feed.now
        feed.perform { $0.beginLoad(of: .first, at: $1) }
        while feed.alerts.isEmpty { feed.wait(1) }
        #expect(feed.alerts == ["raise playlist.http"] && feed.position == silent.position)
        #expect(feed.health.state == .unreachable)
        feed.wait(70 - (feed.now - start))
        #expect(feed.health.reason == "the load of the playlist has not been answered for 70 s")
        #expect(feed.openAlerts.map(\.detail) == [feed.health.reason])
        feed.perform { $0.observe(.changed(PlaylistEdge(targetDuration: 6)), at: $1) }
        try feed.play(120)
        #expect(feed.alerts == ["raise playlist.http", "clear playlist.http"])
        let episode = try #require(feed.alertChanges.last)
        #expect(try #require(episode.last) == episode.onset + 70)
        #expect(feed.health.state == .healthy)
    }

    /// The loads time out one after another, so none of them hangs for long.
    @Test func loads_thatTimeOutInTurn_areAnAlertInsteadOfASilence() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        let start = feed.now
        feed.perform { $0.beginLoad(of: .first, at: $1) }
        feed.wait(22)
        feed.perform { $0.observe(.failed(FetchFailure(reason: "timed out")), at: $1) }
        feed.perform { $0.beginLoad(of: .first, at: $1) }
        feed.wait(60)
        #expect(feed.alerts == ["raise playlist.http"])
        // The problem began with the load, not with its failure.
        #expect(feed.alertChanges.first?.onset.unixSeconds == start.seconds)
        #expect(feed.health.state == .unreachable)
    }

    /// A load that takes a moment when tags have been missing for long is not their cause.
    @Test func silence_duringAShortLoad_isReported() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        for _ in 0..<20 {
            feed.perform { $0.beginLoad(of: .first, at: $1) }
            feed.wait(1)
            feed.perform { $0.observe(.changed(PlaylistEdge(targetDuration: 6)), at: $1) }
            feed.wait(1)
        }
        #expect(feed.alerts == ["raise presence.silent"])
    }

    /// The primary hangs, but the playlist of the backup is current: tags are missing there for another reason.
    @Test func silence_whileOnlyOneOfTwoSourcesHangs_isReported() throws {
        var feed = ChannelFeed()
        let backup = RenditionID(0, of: .backup)
        try feed.play(60)
        feed.perform { $0.beginLoad(of: .first, at: $1) }
        for _ in 0..<20 {
            feed.wait(2)
            feed.perform { $0.observe(.changed(PlaylistEdge(targetDuration: 6)), rendition: backup, at: $1) }
        }
        #expect(feed.alerts == ["raise presence.silent"])
    }
}
