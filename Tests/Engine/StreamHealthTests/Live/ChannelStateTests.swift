import HLSPlaylist
import ID3v2
import NielsenID3
import StreamHealth
import Testing

@Suite struct ChannelStateTests {
    /// The events that can happen to a channel.
    enum Happening: CaseIterable {
        case segmentWithTag, segmentWithoutTag, badTag, twoFailedLoads, goodLoad, silence, pause, resume, end
    }

    /// Returns a channel in a state, reached in the shortest way.
    private static func feed(in state: ChannelState) throws -> ChannelFeed {
        var feed = ChannelFeed()
        switch state {
        case .connecting: break
        case .healthy: try feed.play(60)
        case .degraded:
            try feed.play(60)
            Self.perform(.badTag, &feed)
        case .silent:
            try feed.play(60)
            Self.perform(.silence, &feed)
        case .unreachable:
            try feed.play(60)
            Self.perform(.twoFailedLoads, &feed)
        case .paused:
            try feed.play(60)
            Self.perform(.pause, &feed)
        case .ended:
            try feed.play(60)
            Self.perform(.end, &feed)
        }
        feed.forget()
        return feed
    }

    private static func perform(_ happening: Happening, _ feed: inout ChannelFeed) {
        switch happening {
        case .segmentWithTag: try? feed.play(12)
        case .segmentWithoutTag: try? feed.play(6, .unheard)
        case .badTag:
            feed.change = { $0.checksumError = 1 }
            try? feed.play(12)
            feed.change = { _ in }
        case .twoFailedLoads:
            for _ in 0..<2 {
                feed.perform { $0.observe(.failed(FetchFailure(httpStatus: 503)), at: $1) }
            }
        case .goodLoad: feed.perform { $0.observe(.unchanged, at: $1) }
        case .silence: feed.wait(31)
        case .pause: feed.perform { $0.pause(at: $1) }
        case .resume: feed.perform { $0.resume(at: $1) }
        case .end: feed.perform { $0.end(at: $1) }
        }
    }

    /// Every combination of a state and an event, written out.
    @Test func everyState_afterEveryEvent_matchesTransitionTable() throws {
        let c = ChannelState.connecting
        let h = ChannelState.healthy
        let d = ChannelState.degraded
        let s = ChannelState.silent
        let u = ChannelState.unreachable
        let p = ChannelState.paused
        let e = ChannelState.ended
        let table: [(ChannelState, [ChannelState])] = [
            // tag, no tag, bad tag, failed loads, good load, silence, pause, resume, end
            (c, [h, h, d, u, c, s, p, c, e]),
            (h, [h, h, d, u, h, s, p, h, e]),
            (d, [d, d, d, u, d, s, p, d, e]),
            // A tag ends the silence, but the finding of the silence is less than a minute old.
            (s, [d, s, d, u, s, s, p, s, e]),
            // A segment comes with a successful load, but the findings of the failures are less than a minute old.
            (u, [d, d, d, u, d, u, p, u, e]),
            (p, [p, p, p, p, p, p, p, c, e]),
            (e, [e, e, e, e, e, e, e, c, e]),
        ]
        #expect(table.map(\.0) == ChannelState.allCases)
        for (state, expected) in table {
            let before = try Self.feed(in: state)
            #expect(before.health.state == state)
            for (happening, next) in zip(Happening.allCases, expected) {
                var feed = before
                Self.perform(happening, &feed)
                #expect(feed.health.state == next, "\(state), \(happening)")
                #expect(feed.states.last ?? state == next)
            }
        }
    }

    @Test func degradedState_aMinuteAfterLastFinding_becomesHealthy() throws {
        var feed = try Self.feed(in: .degraded)
        let found = feed.health.stateSince
        while feed.health.state == .degraded { try feed.play(6) }
        #expect(feed.health.stateSince > found + 60 && feed.health.stateSince < found + 62)
        #expect(feed.states == [.healthy])
        let fail = feed.health.outcomes.first { $0.id == .tagChecksum }
        #expect(fail?.status == .fail && fail?.count == 1)
    }

    @Test func silence_isReportedBeyondLimit_notAtLimit() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        let last = try #require(feed.health.lastTagTime)
        feed.perform { health, _ in health.advance(to: SteadyTime(seconds: last.unixSeconds + 30)) }
        #expect(feed.health.state == .healthy)
        feed.perform { health, _ in health.advance(to: SteadyTime(seconds: last.unixSeconds + 30.5)) }
        #expect(feed.health.state == .silent)
        #expect(feed.alerts == ["raise presence.silent"])
        #expect(feed.findings == [.presenceSilent])
        let seconds = Int(last.unixSeconds) % 86_400
        let clock = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        #expect(
            feed.health.recentFindings.last?.finding.detail
                == "No DATA tag since \(clock.joined(separator: ":")) UTC (30 s), the limit is 30 s")
    }

    @Test func silence_isEndedByDataTagEvenWithInvalidChecksum_butNotByInfoTag() throws {
        for (change, state) in [
            ({ _ in }, ChannelState.degraded), ({ $0.checksumError = 1 }, .degraded),
            ({ $0.kind = 1 }, .silent),
        ] as [((inout TagSample) -> Void, ChannelState)] {
            var feed = try Self.feed(in: .silent)
            feed.change = change
            try feed.play(12)
            #expect(feed.health.state == state)
        }
    }

    @Test func silence_usesPolicyLimit() throws {
        var policy = HealthPolicy()
        policy[.silence] = 120
        var feed = ChannelFeed(policy: policy)
        try feed.play(320)
        try feed.play(114, .unheard)
        #expect(feed.health.state == .healthy, "\(feed.events)")
        try feed.play(12, .unheard)
        #expect(feed.health.state == .silent)
    }

    /// All loads of an hour fail: reported with the first failures, and again when the cause changes.
    @Test func outage_isReportedWithFirstFailures_andWhenItsCauseChanges() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        for second in 0..<1_200 {
            feed.wait(3)
            let status = second < 600 ? 503 : 404
            feed.perform { $0.observe(.failed(FetchFailure(httpStatus: status)), at: $1) }
        }
        #expect(feed.findings.filter { $0 == .playlistHTTP }.count == 3)
        #expect(feed.health.state == .unreachable)
        #expect(feed.alerts == ["raise playlist.http"])
        feed.forget()
        try feed.play(120)
        #expect(feed.alerts == ["clear playlist.http"])
        #expect(feed.states == [.degraded, .healthy])
    }

    @Test func singleFailedLoad_isAFindingButNotAnOutage() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.perform { $0.observe(.failed(FetchFailure(reason: "timed out")), at: $1) }
        #expect(feed.health.state == .degraded && feed.alerts == [])
        #expect(
            feed.health.recentFindings.last?.finding.detail == "the load of the playlist failed: timed out")
    }

    /// One of two renditions cannot be loaded, but the channel can be followed.
    @Test func channel_withNoLoadableRendition_isUnreachable() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        for rendition in [1, 1, 1] {
            feed.perform {
                $0.observe(.failed(FetchFailure(httpStatus: 404)), rendition: RenditionID(rendition), at: $1)
            }
        }
        #expect(feed.health.state == .degraded)
        for _ in 0..<2 { feed.perform { $0.observe(.failed(FetchFailure(httpStatus: 404)), at: $1) } }
        #expect(feed.health.state == .unreachable)
    }

    /// A rendition that is no longer loaded, because another one is followed, does not affect the channel.
    @Test func rendition_noLongerLoaded_isForgottenAfterAMinute() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        for _ in 0..<3 {
            feed.perform {
                $0.observe(.failed(FetchFailure(httpStatus: 404)), rendition: RenditionID(1), at: $1)
            }
        }
        feed.perform {
            $0.observe(
                [.stale(unchangedFor: .seconds(10), targetDuration: .seconds(6))], rendition: RenditionID(1),
                at: $1)
        }
        #expect(feed.alerts == ["raise playlist.http"])
        #expect(feed.openAlerts.first?.consequences.map(\.check) == [.playlistStale])
        try feed.play(54)
        #expect(feed.openAlerts.count == 1)
        try feed.play(90)
        #expect(feed.alerts == ["raise playlist.http", "clear playlist.http"])
        #expect(feed.health.state == .healthy)
    }

    /// The state of an unreachable channel is unknown, so earlier violations are not over.
    @Test func alerts_ofAnUnreachableChannel_stayOpen() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        for _ in 0..<2 { feed.perform { $0.observe([.sequenceBack(newest: 9, found: 0)], at: $1) } }
        for _ in 0..<60 {
            feed.wait(5)
            feed.perform { $0.observe(.failed(FetchFailure(httpStatus: 503)), at: $1) }
        }
        #expect(feed.openAlerts.map(\.check).contains(.playlistSequenceBack))
        try feed.play(60)
        #expect(feed.openAlerts == [])
    }

    @Test func pause_clearsAlertsAndIgnoresInput() throws {
        var feed = try Self.feed(in: .silent)
        feed.perform { $0.pause(at: $1) }
        #expect(feed.alerts == ["clear presence.silent"] && feed.openAlerts == [])
        feed.forget()
        feed.wait(600)
        try feed.play(60, .unheard)
        #expect(feed.events == [])
        feed.perform { $0.resume(at: $1) }
        try feed.play(60)
        #expect(feed.states == [.connecting, .healthy])
        #expect(feed.health.tags.data == 6)
    }

    /// A wall clock that is set back has no effect.
    @Test func time_thatMovesBackwardOrIsNaN_isIgnored() throws {
        var feed = try Self.feed(in: .healthy)
        let since = feed.health.stateSince
        feed.perform { health, now in health.advance(to: now - 86_400) }
        feed.perform { health, _ in health.advance(to: SteadyTime(seconds: .nan)) }
        #expect(feed.health.state == .healthy && feed.health.stateSince == since)
        feed.wait(31)
        #expect(feed.health.state == .silent)
    }

    /// A channel that waits for its start is silent the limit of `presence.silent` after it, and not before.
    @Test func channelThatWaitsForItsStart_isJudgedFromTheStart() {
        var feed = ChannelFeed()
        for _ in 0..<100 { feed.hold(1) }
        #expect(feed.health.state == .connecting)
        feed.wait(29)
        #expect(feed.health.state == .connecting)
        feed.wait(2)
        #expect(feed.health.state == .silent)
    }

    /// A channel whose playlist could not be loaded before a restart counts so until a load succeeds.
    @Test func unreachableChannel_thatWaitsForItsStartAfterARestart_staysUnreachable() {
        var feed = ChannelFeed()
        Self.perform(.twoFailedLoads, &feed)
        var next = ChannelFeed(openAlerts: feed.health.openAlerts, after: 3)
        for _ in 0..<100 { next.hold(1) }
        #expect(next.health.state == .unreachable)
        next.perform { $0.observe(.unchanged, at: $1) }
        #expect(next.health.state == .connecting)
    }
}
