import HLSPlaylist
import ID3v2
import NielsenID3
import StreamHealth
import Testing

@Suite struct QuietHoursTests {
    @Test func hours_includeStartMinute_butNotEndMinute() throws {
        for (text, minutes) in [
            ("02:00-05:30", Array(120..<330)), ("23:00-01:00", Array(0..<60) + Array(1_380..<1_440)),
            ("00:00-00:01", [0]), ("23:59-24:00", [1_439]), ("22:00-00:00", Array(1_320..<1_440)),
            ("00:01-00:00", Array(1..<1_440)),
        ] {
            let hours = try #require(QuietHours(text), "\(text)")
            #expect((0..<1_440).filter(hours.contains(minute:)) == minutes, "\(text)")
        }
    }

    @Test(arguments: [
        "", "-", "02:00", "02:00-", "2:00-05:30", "02:00-5:30", "02:60-05:00", "24:00-05:00", "02:00-24:01",
        "02:00-02:00", "00:00-24:00", "02.00-05.30", "02:00–05:30", " 02:00-05:30", "02:00-05:30-06:00",
        "-2:00-05:30", "٠٢:00-05:30", "02:00:00-05:30",
    ])
    func invalidText_isRejected(text: String) {
        #expect(QuietHours(text) == nil)
    }

    /// Returns a channel with quiet hours; like the samples, it starts at 12:00.
    private static func feed(_ hours: String) -> ChannelFeed {
        ChannelFeed { $0.quietHours = QuietHours(hours) }
    }

    @Test func quietHours_pauseTheChannel_andNeedNoTags() throws {
        var feed = Self.feed("12:10-12:30")
        try feed.play(600)
        try feed.play(1_140, .unheard)
        #expect(feed.health.state == .paused && feed.alerts == [] && feed.findings == [])
        try feed.play(120)
        #expect(feed.health.state == .healthy)
        #expect(feed.states == [.healthy, .paused, .healthy])
        #expect(feed.findings == [], "\(feed.events)")
    }

    @Test func quietHours_followAdjustedWallClock() throws {
        var feed = Self.feed("12:10-12:30")
        try feed.play(600)
        feed.health.wallTimeOffset = -300
        try feed.play(240)
        #expect(feed.health.state != .paused)
        try feed.play(120)
        #expect(feed.health.state == .paused)
        #expect(feed.health.stateSince == WallTime(unixSeconds: Double(TagSample.noon) + 600))
    }

    @Test func silence_afterQuietHours_countsFromTheirEnd() throws {
        var feed = Self.feed("12:10-12:30")
        try feed.play(600)
        try feed.play(1_224, .unheard)
        #expect(feed.health.state == .healthy)
        try feed.play(18, .unheard)
        #expect(feed.health.state == .silent)
    }

    @Test func silence_isClearedWhenQuietHoursBegin() throws {
        var feed = Self.feed("12:02-12:30")
        try feed.play(60)
        try feed.play(120, .unheard)
        #expect(feed.alerts == ["raise presence.silent", "clear presence.silent"])
        #expect(feed.health.state == .paused)
    }

    /// Alerts other than those of presence are sent.
    @Test func quietHours_doNotHideAnOutage() throws {
        var feed = Self.feed("12:00-13:00")
        try feed.play(60)
        feed.perform { $0.observe([.stale(unchangedFor: .seconds(10), targetDuration: .seconds(6))], at: $1) }
        #expect(feed.health.state == .paused && feed.alerts == ["raise playlist.stale"])
    }

    /// An outage that began before the quiet hours continues in them.
    @Test func startOfQuietHours_clearsOnlyTheSilenceAlert() throws {
        var feed = Self.feed("12:02-12:30")
        try feed.play(30)
        try feed.play(42, .unheard)
        feed.perform { $0.observe([.stale(unchangedFor: .seconds(10), targetDuration: .seconds(6))], at: $1) }
        for _ in 0..<30 {
            feed.wait(3)
            feed.perform { $0.observe(.unchanged, at: $1) }
        }
        #expect(feed.alerts == ["raise presence.silent", "raise playlist.stale", "clear presence.silent"])
        #expect(feed.health.state == .paused && feed.openAlerts.map(\.check) == [.playlistStale])
    }

    @Test func quietHours_useChannelTimeZone() throws {
        var feed = ChannelFeed {
            $0.quietHours = QuietHours("02:00-03:00")
            $0.minuteOfDay = { Int(($0.unixSeconds / 60 - 600).truncatingRemainder(dividingBy: 1_440)) }
        }
        try feed.play(6)
        #expect(feed.health.state == .paused)
    }
}
