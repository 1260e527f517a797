import Foundation
import HLSPlaylist
import ID3v2
import NielsenID3
import StreamHealth
import Testing

@Suite struct ChannelAlertTests {
    private static let reset = PlaylistEvent.sequenceBack(newest: 90, found: 0)
    static let stale = PlaylistEvent.stale(unchangedFor: .seconds(10), targetDuration: .seconds(6))

    /// Returns whether an event raises an alert, optionally repeated after some seconds.
    private static func isRaised(_ event: PlaylistEvent, again seconds: Double?) throws -> Bool {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.perform { $0.observe([event], at: $1) }
        if let seconds { feed.perform { $0.observe([event], at: $1 + seconds) } }
        return feed.alerts.contains { $0.hasPrefix("raise playlist.") }
    }

    @Test func alert_isRaisedByTheSecondFindingWithinAMinute() throws {
        #expect(try !Self.isRaised(Self.reset, again: nil))
        #expect(try Self.isRaised(Self.reset, again: 1))
        #expect(try Self.isRaised(Self.reset, again: 60))
        #expect(try !Self.isRaised(Self.reset, again: 60.5))
    }

    @Test func alert_forStalePlaylist_isRaisedImmediately() throws {
        #expect(try Self.isRaised(Self.stale, again: nil))
    }

    /// Simultaneous findings in several renditions count as one event.
    @Test func alert_needsTwoFindingsInTheSameRendition() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        for rendition in 0..<5 {
            feed.perform { $0.observe([Self.reset], rendition: RenditionID(rendition), at: $1) }
        }
        #expect(feed.findings.count == 5 && feed.alerts == [])
        feed.perform { $0.observe([Self.reset], rendition: RenditionID(3), at: $1 + 1) }
        #expect(feed.alerts == ["raise playlist.sequence-back"])
    }

    /// A window of hours is read at once; findings far apart in media time are separate one-off events.
    @Test func alert_needsTwoFindingsCloseInMediaTime() throws {
        for (distance, isRaised) in [(48.0, true), (600, false)] {
            var feed = ChannelFeed()
            try feed.play(60)
            feed.latency = 10_000
            feed.change = { $0.checksumError = 1 }
            try feed.play(12, advances: false)
            feed.change = { _ in }
            feed.latency -= distance
            try feed.play(distance, advances: false)
            feed.change = { $0.checksumError = 1 }
            feed.latency -= 12
            try feed.play(12, advances: false)
            #expect(feed.alerts.contains("raise tag.checksum") == isRaised, "\(distance)")
        }
    }

    @Test func alert_isRaisedOnce_andClearedAfterTwoTagsWithoutFindings() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.change = { if $0.kind == 2 { $0.checksumError = 1 } }
        try feed.play(600)
        feed.change = { _ in }
        #expect(feed.alerts == ["raise tag.checksum"])
        let alert = try #require(feed.openAlerts.first)
        #expect(alert.severity == .fail && alert.check == .tagChecksum)
        let tags = feed.health.tags.data
        while feed.openAlerts != [] { try feed.play(6) }
        #expect(feed.health.tags.data == tags + 2)
        try feed.play(600)
        #expect(feed.alerts == ["raise tag.checksum", "clear tag.checksum"])
        #expect(feed.alertChanges.map(\.since) == [alert.since, alert.since])
    }

    /// The delay applies even if two tags arrive sooner.
    @Test func alert_isNotClearedBeforeTheDelay() throws {
        for delay in [10.0, 40] {
            var feed = ChannelFeed(clearDelay: delay)
            try feed.play(60)
            feed.perform { $0.observe([Self.stale], at: $1) }
            feed.perform { $0.observe(.changed(PlaylistEdge(targetDuration: 6)), at: $1) }
            let since = try #require(feed.openAlerts.first).since.unixSeconds
            while feed.openAlerts != [] { try feed.play(6) }
            let seconds = feed.now.seconds - since
            #expect(seconds >= max(delay, 10) && seconds <= max(delay, 20) + 12, "\(seconds)")
        }
    }

    /// No tags arrive in a break, but the window of a minute ends nevertheless.
    @Test func alert_withoutTags_isClearedAfterTheWindow() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        for _ in 0..<2 { feed.perform { $0.observe([Self.reset], at: $1) } }
        try feed.play(54, .unheard, isInBreak: true)
        #expect(feed.alerts == ["raise playlist.sequence-back"])
        try feed.play(12, .unheard, isInBreak: true)
        #expect(feed.alerts == ["raise playlist.sequence-back", "clear playlist.sequence-back"])
    }

    @Test func stalePlaylistAlert_staysOpenUntilPlaylistChanges() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.perform { $0.observe([Self.stale], at: $1) }
        for _ in 0..<20 {
            feed.wait(3)
            feed.perform { $0.observe(.unchanged, at: $1) }
        }
        #expect(feed.alerts == ["raise playlist.stale"])
        try feed.play(30)
        #expect(feed.alerts == ["raise playlist.stale", "clear playlist.stale"])
    }

    /// One of two renditions fails and is loaded less and less often.
    ///
    /// Its alert stays open until a load succeeds.
    @Test func alert_ofFailingRendition_staysOpenUntilALoadSucceeds() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        for _ in 0..<2 {
            feed.perform {
                $0.observe(.failed(FetchFailure(reason: "timed out")), rendition: RenditionID(1), at: $1)
            }
        }
        try feed.play(48)
        #expect(feed.alerts == ["raise playlist.http"])
        feed.perform { $0.observe(.unchanged, rendition: RenditionID(1), at: $1) }
        try feed.play(48)
        #expect(feed.alerts == ["raise playlist.http", "clear playlist.http"])
    }

    /// A lasting violation that is reported once: the clocks drift apart.
    @Test func ongoingViolation_isReportedOnce_andRaisesAlert() throws {
        var feed = ChannelFeed()
        try feed.play(400)
        // The tags' clock loses three seconds in ten.
        var count: UInt32 = 0
        feed.change = {
            if $0.kind == 2 { count += 1 }
            $0.firstTime -= count * 3
            $0.lastTime -= count * 3
        }
        try feed.play(300)
        #expect(feed.findings == [.timeRate])
        #expect(feed.alerts == ["raise time.rate"])
    }

    /// A declaration that stays invalid is found in each segment, so its alert stays open.
    @Test func alert_ofFaultInEverySegment_staysOpenWhileFaultLasts() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.facts = { $0.programs = [.program(pointer: false)] }
        try feed.play(300)
        #expect(feed.alerts == ["raise carriage.pmt-descriptors"])
        feed.facts = { _ in }
        try feed.play(60)
        #expect(feed.alerts == ["raise carriage.pmt-descriptors", "clear carriage.pmt-descriptors"])
    }

    /// A packager publishes every 10 s with a target duration of 6 s.
    @Test func playlist_staleInEveryIntervalForAnHour_raisesOneAlert() throws {
        var feed = ChannelFeed(holdsAlerts: true)
        feed.segmentLength = 10
        feed.beforeSegment = { health, time in
            health.observe([.stale(unchangedFor: .seconds(9.5), targetDuration: .seconds(6))], at: time)
        }
        try feed.play(3_600)
        #expect(feed.alerts == ["raise playlist.stale"])
        feed.beforeSegment = { _, _ in }
        try feed.play(120)
        #expect(feed.alerts.count == 1)
        try feed.play(40)
        #expect(feed.alerts.count == 2)
    }

    /// The same packager with the load intervals that were observed behind FFmpeg: few loads are late enough, and up to
    /// two minutes pass between them.
    @Test(arguments: [[78, 107], [120], [30, 120, 40, 107, 78], [110, 10, 120]])
    func playlist_staleInFewIntervalsForAnHour_raisesOneAlert(gaps: [Double]) throws {
        var feed = ChannelFeed(holdsAlerts: true)
        feed.segmentLength = 10
        let start = feed.now
        var next = start + gaps[0]
        var staleCount = 0
        feed.beforeSegment = { health, time in
            guard time >= next else { return }
            health.observe([.stale(unchangedFor: .seconds(9.1), targetDuration: .seconds(6))], at: time)
            staleCount += 1
            next = next + gaps[staleCount % gaps.count]
        }
        var firstTime: SteadyTime?
        while feed.now - start < 3_600 {
            try feed.play(10)
            if staleCount == 1, firstTime == nil {
                // The alert is raised without delay.
                #expect(feed.alerts == ["raise playlist.stale"])
                firstTime = feed.now
            }
        }
        #expect(staleCount >= 29)
        #expect(feed.alerts == ["raise playlist.stale"])
    }

    /// The alert of a ten-minute outage is cleared within two and a half minutes of its end.
    @Test func alert_ofTenMinuteOutage_isClearedWithin150SecondsOfItsEnd() throws {
        var feed = ChannelFeed(holdsAlerts: true)
        try feed.play(60)
        feed.perform {
            $0.observe([.stale(unchangedFor: .seconds(9.1), targetDuration: .seconds(6))], at: $1)
        }
        #expect(feed.alerts == ["raise playlist.stale"])
        for _ in 0..<200 {
            feed.wait(3)
            feed.perform { $0.observe(.unchanged, at: $1) }
        }
        let start = feed.now
        func isCleared() -> Bool {
            feed.alerts.contains("clear playlist.stale")
        }
        while !isCleared(), feed.now - start < 600 { try feed.play(6) }
        #expect(feed.now - start >= 120 && feed.now - start <= 150, "\(feed.now - start)")
    }

    // MARK: Muted checks

    @Test func acceptedCheck_reportsFindings_withoutAlertOrDegradation() throws {
        var feed = ChannelFeed { $0.muted.accepted = [.tagChecksum] }
        try feed.play(60)
        feed.change = { if $0.kind == 2 { $0.checksumError = 1 } }
        try feed.play(120)
        #expect(feed.findings.contains(.tagChecksum) && feed.alerts == [])
        #expect(feed.health.state == .healthy)
    }

    @Test func ignoredCheck_reportsNoFindings() throws {
        var feed = ChannelFeed { $0.muted.ignored = [.tagChecksum] }
        try feed.play(60)
        feed.change = { if $0.kind == 2 { $0.checksumError = 1 } }
        try feed.play(120)
        #expect(feed.findings == [] && feed.alerts == [] && feed.health.state == .healthy)
    }

    @Test func openAlert_ofNewlyMutedCheck_isClearedImmediately() throws {
        let alert = Episode(
            check: .tagChecksum, severity: .fail, since: WallTime(unixSeconds: 1_000), detail: "d")
        var feed = ChannelFeed(openAlerts: [alert]) { $0.muted.accepted = [.tagChecksum] }
        feed.wait(1)
        #expect(feed.alerts == ["clear tag.checksum"])
    }

    // MARK: Restarts

    @Test func silence_openAtRestart_lastsUntilNextTag() throws {
        let alert = Episode(
            check: .presenceSilent, severity: .fail, since: WallTime(unixSeconds: 1_000), detail: "31 s")
        var feed = ChannelFeed(openAlerts: [alert])
        feed.wait(1)
        #expect(feed.health.state == .silent && feed.health.isSilent)
        try feed.play(12)
        #expect(!feed.health.isSilent)
    }

    @Test func openAlert_ofCheckWithLongWindow_staysOpenUntilCheckRuns() throws {
        var feed = ChannelFeed()
        feed.hasInfo = false
        try feed.play(1_200)
        let open = feed.openAlerts
        #expect(open.map(\.check) == [.infoLate])
        var again = ChannelFeed(openAlerts: open, after: 1_200)
        again.hasInfo = false
        try again.play(1_200)
        #expect(again.alerts == [])
        again.hasInfo = true
        try again.play(600)
        #expect(again.alerts == ["clear info.late"])
    }

    @Test func openAlert_isNotRaisedAgainAfterARestart() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.wait(40)
        let open = feed.openAlerts
        #expect(open.map(\.check) == [.presenceSilent])
        var again = ChannelFeed(openAlerts: open, after: 100)
        again.wait(600)
        #expect(again.alerts == [])
        #expect(again.openAlerts.map(\.since) == open.map(\.since))
        try again.play(60)
        #expect(again.alerts == ["clear presence.silent"])
        #expect(again.alertChanges.first?.since == open.first?.since)
    }

    /// Only a tag ends a silence, regardless of the silence limit.
    @Test func openSilenceAlert_staysOpenUntilTagsArrive() throws {
        let alert = Episode(
            check: .presenceSilent, severity: .fail, since: WallTime(unixSeconds: 1_000), detail: "31 s")
        var policy = HealthPolicy()
        policy[.silence] = 600
        var feed = ChannelFeed(policy: policy, openAlerts: [alert])
        try feed.play(300, .unheard)
        #expect(feed.openAlerts.map(\.since) == [alert.since])
        try feed.play(30)
        #expect(feed.alerts == ["clear presence.silent"])
    }

    @Test func openAlert_ofResolvedFault_isClearedAfterRestart() throws {
        let alert = Episode(
            check: .playlistHTTP, severity: .fail, since: WallTime(unixSeconds: 1_000.25), detail: "timed out"
        )
        var feed = ChannelFeed(openAlerts: [alert])
        feed.wait(9)
        #expect(feed.alerts == [])
        try feed.play(36)
        #expect(feed.alerts == ["clear playlist.http"])
    }

    @Test func openAlerts_ofSameCheck_areReducedToTheFirst() {
        let alerts = [1.0, 2].map {
            Episode(
                check: .playlistHTTP, severity: .fail, since: WallTime(unixSeconds: $0), detail: "")
        }
        #expect(ChannelFeed(openAlerts: alerts).openAlerts.map(\.since) == [alerts[0].since])
    }
}
