import HLSPlaylist
import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// The checks with a row in the monitor only, each at its limit and beyond it.
@Suite struct LiveCheckTests {
    private static func finding(of event: PlaylistEvent) throws -> RecentFinding? {
        var feed = ChannelFeed()
        try feed.play(12)
        feed.perform { $0.observe([event], at: $1) }
        #expect(feed.findings.count <= 1)
        return feed.health.recentFindings.last
    }

    @Test func playlistEvents_areReportedByTheirCheck() throws {
        let table: [(PlaylistEvent, CheckID, CheckStatus, UInt64?, String)] = [
            (
                .stale(unchangedFor: .seconds(9.5), targetDuration: .seconds(6)), .playlistStale, .fail, nil,
                "the playlist has not changed for 9.5 s: with a target duration of 6 s it must change within 9 s (clock: wall)"
            ),
            (
                .sequenceGap(expected: 7, found: 9), .playlistSequenceGap, .fail, 9,
                "the playlist begins with media sequence 9, not with 7: 2 segments were removed before any load "
                    + "listed them"
            ),
            (
                .sequenceGap(expected: 8, found: 9), .playlistSequenceGap, .fail, 9,
                "the playlist begins with media sequence 9, not with 8: 1 segment was removed before any load "
                    + "listed it"
            ),
            (
                .sequenceBack(newest: 90, found: 0), .playlistSequenceBack, .warn, 0,
                "the playlist begins with media sequence 0, but the newest segment was 90: the sequence decreased or "
                    + "restarted"
            ),
            (
                .discontinuitySequence(mediaSequence: 5, expected: 2, found: 3),
                .playlistDiscontinuitySequence,
                .warn, 5,
                "the segment with media sequence 5 has discontinuity sequence 3, but had 2 in the previous load"
            ),
            (
                .segmentTooLong(mediaSequence: 5, seconds: 9.6, targetDuration: 6), .playlistSegmentTooLong,
                .warn, 5, "the segment with media sequence 5 lasts 9.6 s: the target duration is 6 s"
            ),
            (
                .dateJump(mediaSequence: 5, milliseconds: -1_001), .playlistDateJump, .warn, 5,
                "the date of the segment with media sequence 5 is 1.001 s before the end of the previous segment, "
                    + "without a discontinuity: up to 1 s is normal"
            ),
            (
                .segmentReplaced(mediaSequence: 5, from: "a.ts", to: "b.ts"), .segmentChanged, .warn, 5,
                "the segment with media sequence 5 is now b.ts, but was a.ts in the previous load"
            ),
        ]
        for (event, check, status, mediaSequence, detail) in table {
            let found = try #require(try Self.finding(of: event), "\(event)")
            #expect(found.check == check)
            #expect(found.finding.status == status)
            #expect(found.finding.place.mediaSequence == mediaSequence)
            #expect(found.finding.detail == detail)
        }
        #expect(try Self.finding(of: .dateJump(mediaSequence: 5, milliseconds: 1_000)) == nil)
        // Numbers that no playlist contains do not trap.
        _ = try Self.finding(of: .sequenceGap(expected: .min, found: .max))
    }

    @Test func segment_loadingLongerThanItsDuration_isReportedAsSlow() throws {
        for (seconds, isSlow) in [(0.1, false), (6, false), (6.001, true), (.infinity, false)] {
            var feed = ChannelFeed()
            try feed.play(12)
            feed.perform {
                $0.observe(
                    SegmentFetch(name: "s.ts", mediaSequence: 7, duration: 6, seconds: seconds), at: $1)
            }
            #expect(feed.findings == (isSlow ? [.segmentSlow] : []), "\(seconds)")
        }
        var policy = HealthPolicy()
        policy[.slowSegment] = 0.5
        var feed = ChannelFeed(policy: policy)
        feed.perform { $0.observe(SegmentFetch(name: "s.ts", duration: 6, seconds: 3.5), at: $1) }
        #expect(feed.findings == [.segmentSlow])
        #expect(
            feed.health.recentFindings.last?.finding.detail
                == "the segment of 6 s took 3.5 s to load: up to 3 s is normal (clock: wall)")
    }

    @Test func lateSegment_isReportedWithItsDelay_unlessItsLoadFailed() throws {
        var feed = ChannelFeed()
        var fetch = SegmentFetch(name: "s.ts", mediaSequence: 7, duration: 6, seconds: 1)
        feed.perform { $0.observe(fetch, at: $1) }
        #expect(feed.findings == [])
        fetch.delay = 12.5
        feed.perform { $0.observe(fetch, at: $1) }
        #expect(feed.findings == [.segmentLate])
        let found = try #require(feed.health.recentFindings.last?.finding)
        #expect(found.detail.contains("12.5 s") && found.place.mediaSequence == 7, "\(found)")
        fetch.failure = FetchFailure(httpStatus: 404)
        feed.perform { $0.observe(fetch, at: $1) }
        #expect(feed.findings == [.segmentLate, .segmentHTTP])
    }

    @Test func failedSegment_isReported_untilALoadSucceeds() throws {
        var feed = ChannelFeed()
        try feed.play(12)
        var fetch = SegmentFetch(
            name: "s.ts", mediaSequence: 7, duration: 6, seconds: 60, failure: FetchFailure(httpStatus: 404))
        feed.perform { $0.observe(fetch, at: $1) }
        #expect(feed.findings == [.segmentHTTP])
        let found = try #require(feed.health.recentFindings.last?.finding)
        #expect(found.detail == "the load of the segment was answered with HTTP status 404")
        #expect(found.place.segment == "s.ts" && found.place.mediaSequence == 7)
        fetch.failure = nil
        fetch.seconds = 1
        feed.perform { $0.observe(fetch, at: $1) }
        #expect(feed.findings == [.segmentHTTP])
    }

    /// Rendition names without their queries may be equal.
    @Test func finding_ofRenditionWithDuplicateName_hasItsOwnRenditionID() throws {
        var feed = ChannelFeed()
        feed.health.setRenditions([
            .init(id: RenditionID(0), name: "list.m3u8?…", role: "low"),
            .init(id: RenditionID(1), name: "list.m3u8?…", role: "high"),
        ])
        let fetch = SegmentFetch(
            name: "a.ts", duration: 6, seconds: 1, failure: FetchFailure(reason: "timed out"))
        feed.perform { $0.observe(fetch, rendition: RenditionID(1), at: $1) }
        let found = try #require(feed.health.recentFindings.last?.finding)
        #expect(found.place.rendition == "list.m3u8?…" && found.place.renditionID == RenditionID(1))
    }

    /// The limit is three target durations between the slowest and the fastest rendition.
    @Test func drift_beyondThreeTargetDurations_isReportedOnce() throws {
        for (lag, isDrift) in [(0.0, false), (18, false), (18.5, true)] {
            var feed = ChannelFeed()
            feed.health.setRenditions([
                .init(id: RenditionID(0), name: nil), .init(id: RenditionID(1), name: "low.m3u8"),
            ])
            for _ in 0..<2 {
                feed.perform { health, now in
                    for rendition in 0..<2 {
                        let end = WallTime(unixSeconds: now.seconds - 4 - Double(rendition) * lag)
                        health.observe(
                            .changed(PlaylistEdge(targetDuration: 6, endDate: end)),
                            rendition: RenditionID(rendition),
                            at: now)
                    }
                }
            }
            #expect(feed.findings == (isDrift ? [.playlistVariantDrift] : []), "\(lag)")
            guard isDrift else { continue }
            let found = try #require(feed.health.recentFindings.last?.finding)
            #expect(found.place.rendition == "low.m3u8")
            #expect(
                found.detail
                    == "the playlist ends 22.5 s behind the wall clock, that of another rendition 4 s: up to 18 s of "
                    + "difference is normal (clock: wall)")
        }
    }

    /// Playlists without dates, and a single rendition, show no drift.
    @Test func drift_withoutDates_isNotRun() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.perform {
            $0.observe(.changed(PlaylistEdge(targetDuration: 6)), rendition: RenditionID(1), at: $1)
        }
        #expect(feed.health.outcomes[.playlistVariantDrift].status == .notRun)
    }

    @Test func channelOutcomes_coverAllChecks_andVerdictExcludesMonitorChecks() throws {
        var feed = ChannelFeed()
        try feed.play(120)
        let ofChannels = CheckID.ofMonitorOnly.filter { !CheckID.ofMonitorItself.contains($0) }
        #expect(ofChannels + CheckID.ofMonitorItself == CheckID.ofMonitorOnly)
        #expect(feed.health.outcomes.map(\.id) == CheckID.all + ofChannels)
        #expect(feed.health.outcomes[.playlistHTTP].status == .pass)
        #expect(feed.health.outcomes[.presenceSilent].status == .pass)
        #expect(feed.health.outcomes[.timeGap].status == .pass)
        #expect(feed.health.outcomes[.tagCount].status == .pass)
        #expect(try StreamSample([]).verdict().outcomes.map(\.id) == CheckID.all)
        #expect(Set(CheckID.all).isDisjoint(with: CheckID.ofMonitorOnly))
    }
}
