import NielsenID3
import StreamHealth
import Testing

@Suite struct AdvertisementBreakTests {
    @Test func signaledBreak_upToMaximumLength_needsNoTags() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        try feed.play(594, .unheard, isInBreak: true)
        #expect(feed.health.state == .healthy && feed.findings == [])
        // The maximum break of ten minutes, followed by the silence limit.
        try feed.play(30, .unheard, isInBreak: true)
        #expect(feed.health.state == .healthy)
        try feed.play(18, .unheard, isInBreak: true)
        #expect(feed.health.state == .silent && feed.alerts == ["raise presence.silent"])
    }

    @Test func breakWithoutTags_whenTagsAreExpectedInBreaks_isSilent() throws {
        var feed = ChannelFeed { $0.expectsTagsInBreaks = true }
        try feed.play(60)
        try feed.play(60, .unheard, isInBreak: true)
        #expect(feed.health.state == .silent)
        try feed.play(120)
        #expect(feed.findings == [.presenceSilent, .timeGap])
    }

    /// After a break, the first tag may take as long as any other tag.
    @Test func silence_afterABreak_countsFromItsEnd() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        try feed.play(120, .unheard, isInBreak: true)
        try feed.play(30, .unheard)
        #expect(feed.health.state == .healthy)
        try feed.play(12, .unheard)
        #expect(feed.health.state == .silent)
        #expect(
            feed.health.recentFindings.last?.finding.detail.contains(", when tags were expected again (3")
                == true)
    }

    /// A silence that began before the break continues in it.
    @Test func silence_startedBeforeBreak_continuesThroughBreak() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        try feed.play(60, .unheard)
        try feed.play(60, .unheard, isInBreak: true)
        #expect(feed.health.state == .silent)
        #expect(feed.alerts == ["raise presence.silent"])
    }

    @Test func stitchedBreak_untilClockContinues_needsNoTags() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.splice()
        try feed.play(120, .replaced)
        #expect(feed.health.state == .healthy)
        // The clock continues across the next discontinuity, so it does not start a break.
        feed.splice(by: 0)
        try feed.play(48, .replaced)
        #expect(feed.health.state == .silent)
    }

    @Test func stitchedBreak_endsAtFirstTag() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.splice()
        try feed.play(60, .replaced)
        try feed.play(12)
        try feed.play(42, .unheard)
        #expect(feed.health.state == .silent)
    }

    @Test func discontinuity_withContinuousClock_isNotABreak() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.splice(by: 0.5)
        try feed.play(48, .replaced)
        #expect(feed.health.state == .silent)
    }

    @Test func stitchedBreak_beyondMaximumLength_isSilent() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        for _ in 0..<40 {
            feed.splice()
            try feed.play(18, .replaced)
        }
        #expect(feed.health.state == .silent)
    }

    /// The first segment of a break cannot be read; the next one shows that the clock does not continue.
    @Test func stitchedBreak_withUnreadFirstSegment_isDetected() throws {
        var feed = ChannelFeed()
        try feed.play(60)
        feed.splice()
        feed.isUnread = true
        try feed.play(6, .replaced)
        feed.isUnread = false
        try feed.play(60, .replaced)
        #expect(feed.health.state == .healthy && feed.findings == [])
    }

    /// The last tag before a break ends in the first segment of the break and does not belong to it.
    @Test func stitchedBreak_containingEndOfPreviousTag_isDetected() throws {
        var feed = ChannelFeed()
        try feed.play(54)
        feed.holdsLastTag = true
        try feed.play(6)
        feed.holdsLastTag = false
        feed.splice()
        try feed.play(90, .replaced)
        #expect(feed.health.tags.data == 6)
        #expect(feed.health.state == .healthy && feed.findings == [])
    }

    /// A number that is missing just before a break may belong to an INFO tag that comes late.
    @Test func sequenceNumber_missingBeforeABreak_isNotALostTag() throws {
        var feed = ChannelFeed()
        try feed.play(120)
        feed.sequence += 1
        try feed.play(12)
        try feed.play(60, .unheard, isInBreak: true)
        try feed.play(60)
        #expect(feed.findings == [])
    }

    /// Tags lost just before a break are reported with the first tag after it.
    @Test func lostTags_beforeABreak_areReported() throws {
        var feed = ChannelFeed()
        try feed.play(120)
        try feed.play(24, .replaced)
        try feed.play(30)
        try feed.play(60, .unheard, isInBreak: true)
        try feed.play(60)
        #expect(feed.findings == [.sequenceStep])
    }
}
