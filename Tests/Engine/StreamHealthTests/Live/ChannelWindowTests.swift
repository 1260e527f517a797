import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// The checks that run at the end of a recording, here in a window of a live channel.
@Suite struct ChannelWindowTests {
    /// Three DATA tags within a minute of media are enough.
    @Test func count_belowThreeTagsPerMinute_isReportedOnce() throws {
        for (every, isFound) in [(2, false), (3, true)] {
            var policy = HealthPolicy()
            policy[.gap] = 1_000
            var feed = ChannelFeed(policy: policy)
            feed.segmentLength = 10
            try feed.play(120)
            for index in 0..<24 { try feed.play(10, index % every == 0 ? .sent : .unheard) }
            #expect(feed.findings == (isFound ? [.tagCount] : []), "\(every): \(feed.events)")
            #expect(feed.alerts == (isFound ? ["raise tag.count"] : []))
            try feed.play(120)
            #expect(feed.alerts == (isFound ? ["raise tag.count", "clear tag.count"] : []))
        }
    }

    /// A silence is one violation: its missing tags are not counted as well, neither during nor after it.
    @Test(arguments: [30.0, 45, 60, 90]) func count_duringAndAfterSilence_isNotReported(limit: Double) throws
    {
        var policy = HealthPolicy()
        policy[.silence] = limit
        var feed = ChannelFeed(policy: policy)
        try feed.play(330)
        try feed.play(300, .unheard)
        try feed.play(300)
        #expect(feed.findings == [.presenceSilent, .timeGap])
        #expect(feed.alerts == ["raise presence.silent", "clear presence.silent"])
    }

    /// The window restarts after each break, so the first tag may come late.
    @Test func countWindow_restartsAfterEachBreak() throws {
        var feed = ChannelFeed()
        feed.segmentLength = 10
        try feed.play(60)
        for _ in 0..<6 {
            try feed.play(60, .unheard, isInBreak: true)
            try feed.play(20, .unheard)
            try feed.play(10)
        }
        #expect(feed.findings == [])
    }

    @Test func owner_absentFromStart_isReportedAfter30Seconds() throws {
        var feed = ChannelFeed()
        feed.latency = 0
        try feed.play(24, .unheard, advances: false)
        #expect(feed.findings == [])
        try feed.play(6, .unheard, advances: false)
        #expect(feed.findings == [.ownerPresent])
        // Only `presence.silent` raises an alert.
        try feed.play(60, .unheard)
        #expect(feed.findings == [.ownerPresent, .presenceSilent])
        #expect(feed.alerts == ["raise presence.silent"])
    }

    /// A channel that begins in a break has time for its first tag after the break.
    @Test func owner_absentDuringInitialBreak_isNotReported() throws {
        var feed = ChannelFeed()
        try feed.play(12, .unheard)
        try feed.play(60, .unheard, isInBreak: true)
        try feed.play(18, .unheard)
        try feed.play(60)
        #expect(feed.findings == [])
    }

    @Test func info_isLateAfter310SecondsOfMedia() throws {
        var feed = ChannelFeed()
        feed.segmentLength = 10
        try feed.play(600)
        feed.hasInfo = false
        // The last INFO tag was in the segment that ended at 310 s.
        try feed.play(20)
        #expect(feed.findings == [])
        try feed.play(10)
        #expect(feed.findings == [.infoLate])
        try feed.play(60)
        #expect(feed.findings == [.infoLate] && feed.alerts == ["raise info.late"])
        feed.hasInfo = true
        try feed.play(360)
        #expect(feed.alerts == ["raise info.late", "clear info.late"])
    }

    /// The ways in which media with an INFO tag is lost.
    enum Loss: CaseIterable { case unread, removed, neverMade, readInPart, longerThanInterval }

    /// An INFO tag that was lost with media that was not read is not late.
    @Test(arguments: Loss.allCases) func infoTag_lostWithUnreadMedia_isNotLate(loss: Loss) throws {
        var feed = ChannelFeed()
        // The INFO tags are at 310, 610 and 910 s.
        try feed.play(600)
        try feed.lose(loss, 24)
        try feed.play(600)
        #expect(!feed.findings.contains(.infoLate), "\(feed.events)")
        feed.hasInfo = false
        try feed.play(600)
        #expect(feed.findings.count { $0 == .infoLate } == 1)
    }

    /// An INFO tag in the part of a segment that was read counts.
    @Test func infoTag_inPartOfUnreadableSegment_counts() throws {
        var feed = ChannelFeed()
        try feed.play(606)
        feed.isUnread = true
        try feed.play(6)
        feed.isUnread = false
        // Other unread media does not delay the finding by more than the interval.
        try feed.play(288)
        feed.hasInfo = false
        try feed.play(12)
        #expect(!feed.findings.contains(.infoLate))
        try feed.play(24)
        #expect(feed.findings.contains(.infoLate))
    }

    /// A stream without INFO tags is reported, even if it loses a segment every few minutes; and once.
    @Test(arguments: Loss.allCases, [60.0, 120, 180, 240, 300])
    func infoTags_missingBetweenRepeatedLosses_areLateAfterTwoIntervals(loss: Loss, every seconds: Double)
        throws
    {
        if loss == .longerThanInterval { return }
        var feed = ChannelFeed()
        try feed.play(330)
        feed.hasInfo = false
        // The last INFO tag was at 310 s.
        var read = 20.0
        while read <= 618, !feed.findings.contains(.infoLate) {
            try feed.play(seconds)
            read += seconds
            try feed.lose(loss, 6)
        }
        #expect(feed.findings.contains(.infoLate), "\(loss)")
        for _ in 0..<6 {
            try feed.play(seconds)
            try feed.lose(loss, 6)
        }
        #expect(feed.findings.count { $0 == .infoLate } == 1, "\(loss)")
        #expect(feed.alerts.filter { $0.hasSuffix("info.late") } == ["raise info.late"], "\(loss)")
    }

    /// Damage that loses nothing does not delay the finding, and neither does damage soon after an INFO tag.
    @Test func infoTag_afterEarlyDamageAndLaterLoss_isNotLate() throws {
        var feed = ChannelFeed()
        try feed.play(318)
        feed.facts = { $0.isTruncated = true }
        try feed.play(6)
        feed.facts = { _ in }
        try feed.play(276)
        try feed.lose(.unread, 24)
        try feed.play(600)
        #expect(!feed.findings.contains(.infoLate))
    }

    /// Lost segments need no tags, and do not hide that the others have too few.
    @Test(arguments: [(1, false), (3, true)]) func count_withEverySixthSegmentLost_isOfTheOthers(
        every: Int, isFound: Bool
    ) throws {
        var policy = HealthPolicy()
        policy[.gap] = 1_000
        var feed = ChannelFeed(policy: policy)
        feed.segmentLength = 10
        try feed.play(120)
        for index in 0..<36 {
            if index % 6 == 5 {
                try feed.lose(.unread, 10)
            } else {
                try feed.play(10, index % every == 0 ? .sent : .unheard)
            }
        }
        #expect(feed.findings.contains(.tagCount) == isFound, "\(feed.findings)")
    }

    /// An INFO tag that a break replaced is not missing.
    @Test func infoTag_replacedByBreak_isNotReportedLate() throws {
        var feed = ChannelFeed()
        try feed.play(580)
        try feed.play(120, .replaced, isInBreak: true)
        try feed.play(260)
        #expect(feed.findings == [])
    }

    /// Only one of two renditions carries the tags.
    @Test func windows_areEvaluatedAcrossAllRenditions() throws {
        var policy = HealthPolicy()
        policy[.gap] = 1_000
        var feed = ChannelFeed(policy: policy)
        feed.segmentLength = 10
        func play(_ tags: ChannelFeed.Tags) throws {
            try feed.play(10, tags)
            let segment = ObservedSegmentSample.audio(at: feed.position)
            feed.perform { health, now in
                health.observe(
                    SegmentObservation(rendition: RenditionID(1), segment: segment, tags: []), at: now)
            }
        }
        for _ in 0..<36 { try play(.sent) }
        #expect(feed.findings == [], "\(feed.events)")
        for index in 0..<12 { try play(index % 3 == 0 ? .sent : .unheard) }
        #expect(feed.findings == [.tagCount])
    }

    /// Segments that were not read do not count as media without tags.
    @Test func unreadSegments_needNoTags() throws {
        var feed = ChannelFeed()
        for index in 0..<10 {
            feed.perform { health, now in
                let segment = ObservedSegmentSample.unread(at: Double(index) * 6)
                health.observe(
                    SegmentObservation(rendition: RenditionID(0), segment: segment, tags: []), at: now)
            }
        }
        #expect(feed.findings == [])
    }

    /// The tags of a window of hours were due before they are read, by their distance from the live edge.
    @Test func wallClockCheck_ofWindowReadAtOnce_allowsForDistanceFromLiveEdge() throws {
        for (behind, count) in [(0.0, 2), (7_200, 0)] {
            var feed = ChannelFeed()
            let sample = StreamSample(TagSample.data(0..<2), seconds: 30)
            for index in 0..<3 {
                let segment = sample.observed(segment: index)
                let tags = try sample.tags.filter { Int($0.position / 10) == index }
                    .map { try sample.observed($0, in: index) }
                feed.perform { health, now in
                    health.observe(
                        SegmentObservation(rendition: RenditionID(0), segment: segment, tags: tags),
                        behindLive: behind,
                        at: now + 7_200)
                }
            }
            #expect(feed.findings.filter { $0 == .timeWallClock }.count == count)
        }
    }
}

extension ChannelFeed {
    /// Loses media with its tags.
    fileprivate mutating func lose(_ loss: ChannelWindowTests.Loss, _ seconds: Double) throws {
        switch loss {
        case .unread:
            isUnread = true
            try play(seconds, .replaced)
            isUnread = false
        case .removed: lose(seconds)
        case .neverMade: stop(seconds)
        case .readInPart:
            facts = { $0.isTruncated = true }
            try play(seconds, .replaced)
            facts = { _ in }
        case .longerThanInterval: lose(420)
        }
    }
}
