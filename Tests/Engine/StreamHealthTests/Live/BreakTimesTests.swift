import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// The times of advertisement breaks, for reports.
@Suite struct BreakTimesTests {
    /// Plays a minute of tags, a break, and tags again, and returns the break.
    private static func times(
        of seconds: Double, _ change: (inout ChannelHealthSettings) -> Void = { _ in }
    ) throws -> [Double] {
        var feed = ChannelFeed { change(&$0) }
        try feed.play(60)
        try feed.play(seconds, .unheard, isInBreak: true)
        let open = feed.health.breaks.open
        #expect(open == nil || feed.health.breaks.ended.isEmpty)
        try feed.play(60)
        #expect(feed.health.breaks.open == nil)
        let ended = feed.health.breaks.take()
        #expect(feed.health.breaks.take() == [])
        return ended.map { $0.upperBound.unixSeconds - $0.lowerBound.unixSeconds }
    }

    @Test func signaledBreak_hasItsLength() throws { #expect(try Self.times(of: 120) == [120]) }

    /// A playlist that marks everything as a break does not excuse a day.
    @Test func break_beyondItsMaximumLength_endsThere() throws {
        #expect(try Self.times(of: 660) == [600])
    }

    @Test func break_inWhichTagsAreExpected_isNone() throws {
        #expect(try Self.times(of: 60) { $0.expectsTagsInBreaks = true } == [])
    }
}
