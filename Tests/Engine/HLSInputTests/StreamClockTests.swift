import Testing
import TimedMedia

@testable import HLSInput

@Suite struct StreamClockTests {
    private static func segment(_ name: String, date: Int64? = nil) -> Programme.Segment {
        var segment = Programme.Segment(address: .path(name), name: name)
        segment.programDateTime = date
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

    /// Tags a day apart, beyond half the period of a PTS: the media times of the segments between keep the line.
    @Test func seconds_overAWrapWithoutTags_growOn() {
        var clock = StreamClock()
        let hour: UInt64 = 90_000 * 3_600
        var place = clock.place(Self.segment("s"), at: 0, facts: Self.facts(earliest: 0))
        for index in 0...30 {
            place = clock.place(Self.segment("s"), at: 0, facts: Self.facts(earliest: UInt64(index) * hour))
        }
        #expect(place.seconds(of: MediaTimestamp(pts: 30 * hour), on: .packedAudio) == 108_000)
    }

    @Test func seconds_behindADiscontinuity_areOnALineOfTheirOwn() {
        var clock = StreamClock()
        let last = MediaTimestamp.transportPeriod - 90_000
        var old = clock.place(Self.segment("s"), at: 0, facts: Self.facts(earliest: last))
        var segment = Self.segment("t")
        segment.isDiscontinuity = true
        var new = clock.place(segment, at: 6, facts: Self.facts(earliest: 0))
        // A tag that began before the discontinuity comes out behind it, and keeps its own line.
        #expect(old.seconds(of: MediaTimestamp(pts: last), on: .packedAudio) == Double(last) / 90_000)
        #expect(new.seconds(of: MediaTimestamp(pts: 90_000), on: .packedAudio) == 1)
    }

    @Test func seconds_withoutMediaTimes_followTheTagsOverTheWrap() {
        var clock = StreamClock()
        let period = MediaTimestamp.transportPeriod
        var place = clock.place(Self.segment("s"), at: 0, facts: CarriageFacts())
        let before = place.seconds(of: MediaTimestamp(pts: period - 90_000), on: .segmentFront)
        clock.proceed(from: place)
        place = clock.place(Self.segment("s"), at: 0, facts: CarriageFacts())
        #expect(place.seconds(of: MediaTimestamp(pts: 90_000), on: .segmentFront) == before + 2)
    }

    /// 90 kHz too, as many packagers have it, beyond the 33 bits that a PTS has.
    @Test(arguments: [48_000, 90_000, 1] as [UInt32])
    func seconds_ofAnEventMessage_areAbsolute(timescale: UInt32) throws {
        var clock = StreamClock()
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
        #expect(place.programDateTime(of: time, on: Self.eventMessage) == date + 3_000)
    }

    @Test func programDateTime_isTheSegmentsPlusTheDistanceFromItsFirstTime() {
        var clock = StreamClock()
        let date: Int64 = 1_795_176_000_000
        let place = clock.place(Self.segment("s", date: date), at: 0, facts: Self.facts(earliest: 900_000))
        #expect(place.programDateTime(of: MediaTimestamp(pts: 900_000), on: .packedAudio) == date)
        #expect(place.programDateTime(of: MediaTimestamp(pts: 990_045), on: .packedAudio) == date + 1_001)
        #expect(place.programDateTime(of: MediaTimestamp(pts: 810_000), on: .packedAudio) == date - 1_000)
        #expect(place.programDateTime(of: nil, on: .packedAudio) == nil)
        // Across the wrap: the segment begins a second before it, the tag comes a second after.
        let late = clock.place(
            Self.segment("s", date: date), at: 0,
            facts: Self.facts(earliest: MediaTimestamp.transportPeriod - 90_000))
        #expect(late.programDateTime(of: MediaTimestamp(pts: 90_000), on: .packedAudio) == date + 2_000)
        let undated = clock.place(Self.segment("s"), at: 0, facts: Self.facts(earliest: 0))
        #expect(undated.programDateTime(of: MediaTimestamp(pts: 0), on: .packedAudio) == nil)
    }
}
