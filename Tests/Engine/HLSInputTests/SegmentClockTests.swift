import ID3v2
import Testing

@testable import HLSInput

@Suite struct SegmentClockTests {
    private static func segment(
        _ name: String, date: Int64? = nil, isStated: Bool = true
    ) -> Presentation.Segment {
        var segment = Presentation.Segment(address: .path(name), name: name)
        segment.programDateTime = date
        segment.statesDate = date != nil && isStated
        return segment
    }

    private static let eventMessage = Carriage.eventMessage(
        .init(schemeIDURI: "", value: "", version: 1, id: 0, duration: nil))

    private static func facts(earliest pts: UInt64) -> CarriageFacts {
        var facts = CarriageFacts()
        facts.container = .transportStream(packetSize: 188)
        facts.earliestMediaTime = MediaTimestamp(pts: pts)
        return facts
    }

    /// Without tags for more than half the period of a PTS, the media times of the segments continue the timeline.
    @Test func seconds_acrossAWrapWithoutTags_continueToIncrease() {
        var clock = SegmentClock()
        let hour: UInt64 = 90_000 * 3_600
        var place = clock.place(Self.segment("s"), at: 0, facts: Self.facts(earliest: 0))
        for index in 0...30 {
            place = clock.place(Self.segment("s"), at: 0, facts: Self.facts(earliest: UInt64(index) * hour))
        }
        #expect(place.seconds(of: MediaTimestamp(pts: 30 * hour), on: .packedAudio) == 108_000)
    }

    @Test func seconds_afterADiscontinuity_areOnANewTimeline() {
        var clock = SegmentClock()
        let last = MediaTimestamp.transportPeriod - 90_000
        var old = clock.place(Self.segment("s"), at: 0, facts: Self.facts(earliest: last))
        var segment = Self.segment("t")
        segment.isDiscontinuity = true
        var new = clock.place(segment, at: 6, facts: Self.facts(earliest: 0))
        // A tag that began before the discontinuity is returned after it, and keeps its own timeline.
        #expect(old.seconds(of: MediaTimestamp(pts: last), on: .packedAudio) == Double(last) / 90_000)
        #expect(new.seconds(of: MediaTimestamp(pts: 90_000), on: .packedAudio) == 1)
    }

    @Test func seconds_withoutMediaTimes_followTheTagsAcrossTheWrap() {
        var clock = SegmentClock()
        let period = MediaTimestamp.transportPeriod
        var place = clock.place(Self.segment("s"), at: 0, facts: CarriageFacts())
        let before = place.seconds(of: MediaTimestamp(pts: period - 90_000), on: .segmentFront)
        clock.proceed(from: place)
        place = clock.place(Self.segment("s"), at: 0, facts: CarriageFacts())
        #expect(place.seconds(of: MediaTimestamp(pts: 90_000), on: .segmentFront) == before + 2)
    }

    /// Many packagers use 90 kHz too, with times beyond the 33 bits of a PTS.
    @Test(arguments: [48_000, 90_000, 1] as [UInt32])
    func seconds_ofAnEventMessage_areAbsolute(timescale: UInt32) throws {
        var clock = SegmentClock()
        var facts = CarriageFacts()
        facts.container = .fragmentedMP4(isInitialization: false)
        let first = try #require(
            MediaTimestamp(ticks: 1_795_176_000 * UInt64(timescale), timescale: timescale))
        facts.earliestMediaTime = first
        let date: Int64 = 1_795_176_000_000
        var place = clock.place(Self.segment("s", date: date), at: 0, facts: facts)
        let time = try #require(
            MediaTimestamp(ticks: 1_795_176_003 * UInt64(timescale), timescale: timescale))
        #expect(place.seconds(of: time, on: Self.eventMessage) == 1_795_176_003)
        #expect(Self.date(of: time, in: place, on: Self.eventMessage) == date + 3_000)
    }

    private static func date(
        of time: MediaTimestamp?, in place: SegmentClock.SegmentPosition, on carriage: Carriage = .packedAudio
    ) -> Int64? {
        var place = place
        return place.programDateTime(ofSeconds: time.map { place.seconds(of: $0, on: carriage) })
    }

    private static let date: Int64 = 1_795_176_000_000

    @Test func programDateTime_isTheSegmentDatePlusTheOffsetFromItsFirstTime() {
        var clock = SegmentClock()
        let (date, segment) = (Self.date, Self.segment("s", date: Self.date))
        let place = clock.place(segment, at: 0, facts: Self.facts(earliest: 900_000))
        #expect(Self.date(of: MediaTimestamp(pts: 900_000), in: place) == date)
        #expect(Self.date(of: MediaTimestamp(pts: 990_045), in: place) == date + 1_001)
        #expect(Self.date(of: MediaTimestamp(pts: 810_000), in: place) == date - 1_000)
        #expect(Self.date(of: nil, in: place) == nil)
        // Across the wrap: the segment begins a second before it, and the tag is a second after it.
        clock = SegmentClock()
        let late = clock.place(
            segment, at: 0, facts: Self.facts(earliest: MediaTimestamp.transportPeriod - 90_000))
        #expect(Self.date(of: MediaTimestamp(pts: 90_000), in: late) == date + 2_000)
        clock = SegmentClock()
        let undated = clock.place(Self.segment("s"), at: 0, facts: Self.facts(earliest: 0))
        #expect(Self.date(of: MediaTimestamp(pts: 0), in: undated) == nil)
    }

    /// Segments of 6.006 s with a stated duration of 6 s: the playlist's sums fall behind by 6 ms per segment.
    @Test func programDateTime_afterAStatedDate_followsTimestampsNotDurations() throws {
        var clock = SegmentClock()
        for index in 0..<1_000 {
            let first = UInt64(index) * 540_540
            let place = clock.place(
                Self.segment("s", date: Self.date + Int64(index) * 6_000, isStated: index == 0), at: 0,
                facts: Self.facts(earliest: first))
            let expected = Self.date + Int64(index) * 6_006 + 1_000
            try #require(Self.date(of: MediaTimestamp(pts: first + 90_000), in: place) == expected)
            clock.proceed(from: place)
        }
    }

    @Test func programDateTime_statedAgain_replacesTheEarlierOne() {
        var clock = SegmentClock()
        _ = clock.place(Self.segment("s", date: Self.date), at: 0, facts: Self.facts(earliest: 0))
        let jump = Self.date + 3_600_000
        let place = clock.place(Self.segment("t", date: jump), at: 6, facts: Self.facts(earliest: 540_000))
        #expect(Self.date(of: MediaTimestamp(pts: 540_000), in: place) == jump)
    }

    /// The clock differs after a discontinuity, so only the sums of durations apply.
    @Test func programDateTime_afterADiscontinuity_followsTheSumOfDurations() {
        var clock = SegmentClock()
        _ = clock.place(Self.segment("s", date: Self.date), at: 0, facts: Self.facts(earliest: 0))
        var segment = Self.segment("t", date: Self.date + 6_000, isStated: false)
        segment.isDiscontinuity = true
        let place = clock.place(segment, at: 6, facts: Self.facts(earliest: 7_000_000))
        #expect(Self.date(of: MediaTimestamp(pts: 7_090_000), in: place) == Self.date + 7_000)
    }

    /// The segment with the stated date was not read, so the next one uses the playlist's sum.
    @Test func programDateTime_ofASkippedSegment_appliesToTheNext() {
        var clock = SegmentClock()
        _ = clock.place(Self.segment("r", date: Self.date - 99_000), at: 0, facts: Self.facts(earliest: 0))
        clock.skip(Self.segment("s", date: Self.date))
        let place = clock.place(
            Self.segment("t", date: Self.date + 6_000, isStated: false), at: 6,
            facts: Self.facts(earliest: 1_080_000))
        #expect(Self.date(of: MediaTimestamp(pts: 1_080_000), in: place) == Self.date + 6_000)
    }
}
