import ID3v2
import NielsenID3
import StreamHealth
import Testing

@testable import Reporting

/// The data of a live channel that is stored to plot its last hour.
@Suite struct LiveTrackTests {
    private static let start = 1_800_000_000.0

    private static func tag(_ index: Int, at position: Double) throws -> TagOccurrence {
        let first = UInt32(Self.start) + UInt32(index * 10)
        return try #require(
            SampleStream.tag(
                SampleStream.owner(sequence: UInt16(index % 65_536), first: first, last: first + 9),
                at: position))
    }

    /// Appends a segment of 10 s with a tag in its middle, `late` seconds after it ended.
    private static func append(
        _ index: Int, to track: inout LiveTrack, position: Double? = nil, at end: Double? = nil,
        late: Double = 0, isDiscontinuity: Bool = false, wasRead: Bool = true, clockGoesOn: Bool = true
    ) throws {
        let position = position ?? Double(index * 10)
        let segment = ObservedSegment(
            name: "\(index).ts", duration: 10, position: position, isDiscontinuity: isDiscontinuity,
            facts: wasRead ? CarriageFacts() : nil)
        track.append(
            segment, tags: wasRead ? [try tag(index, at: position + 5)] : [], clockGoesOn: clockGoesOn,
            behindLive: 0,
            at: WallTime(unixSeconds: (end ?? Self.start + position + 10) + late))
    }

    @Test func track_keepsOnlyTheLastHour() throws {
        var track = LiveTrack(name: nil)
        for index in 0..<1_000 { try Self.append(index, to: &track) }
        let drawn = track.track(upTo: WallTime(unixSeconds: Self.start + 10_000))
        #expect(drawn.tagCount == 360)
        let positions = (0..<360).map { Double($0 * 10 + 5) }
        #expect(drawn.tags.map(\.position) == positions)
        #expect(drawn.tags.allSatisfy { $0.spacing == 10 && $0.severity == .pass && $0.kind == .data })
        #expect(drawn.tags.last?.sequence == 999)
        #expect(drawn.tags.last?.lastTime == UInt32(Self.start) + 9_999)
        #expect(drawn.clock == .wall(origin: Int64(Self.start) + 6_400))
        // Consecutive segments are merged into one.
        #expect(drawn.segments.map(\.position) == [0] && drawn.segments.map(\.duration) == [3_600])
        // Later, fewer of the tags are within the hour.
        #expect(track.track(upTo: WallTime(unixSeconds: Self.start + 11_800)).tagCount == 180)
        #expect(track.track(upTo: WallTime(unixSeconds: Self.start + 20_000)).tagCount == 0)
    }

    @Test func tags_beyondTheLimit_evictTheOldest() throws {
        var track = LiveTrack(name: nil)
        for index in 0..<200 {
            let position = Double(index * 10)
            let tags = try (0..<20).map { try Self.tag(index * 20 + $0, at: position + Double($0) / 4) }
            track.append(
                ObservedSegment(
                    name: nil, duration: 10, position: position, isDiscontinuity: index % 2 == 0,
                    facts: CarriageFacts()),
                tags: tags, clockGoesOn: true, behindLive: 0,
                at: WallTime(unixSeconds: Self.start + position + 10))
        }
        let drawn = track.track(upTo: WallTime(unixSeconds: Self.start + 2_000))
        #expect(drawn.tagCount == 600)
        #expect(drawn.tags.last?.sequence == 3_999)
        #expect(drawn.segments.count <= 240)
    }

    @Test func segments_readWithVaryingDelay_doNotMoveTags() throws {
        var track = LiveTrack(name: nil)
        for index in 0..<100 { try Self.append(index, to: &track, late: Double(index * 7 % 10)) }
        let positions = track.track(upTo: WallTime(unixSeconds: Self.start + 1_020)).tags.map(\.position)
        #expect(zip(positions, positions.dropFirst()).allSatisfy { $1 - $0 == 10 })
    }

    @Test func channel_afterOutage_resumesAtTheWallClockTime() throws {
        var track = LiveTrack(name: nil)
        for index in 0..<10 { try Self.append(index, to: &track) }
        // The channel returns after ten minutes, with positions from 0.
        for index in 10..<20 {
            let position = Double((index - 10) * 10)
            try Self.append(
                index, to: &track, position: position, at: Self.start + 700 + position + 10,
                isDiscontinuity: index == 10, clockGoesOn: index > 10)
        }
        let drawn = track.track(upTo: WallTime(unixSeconds: Self.start + 900))
        let seconds = drawn.tags.map { $0.position + Double(drawn.clock.origin ?? 0) - Self.start }
        let due = Array(0..<10) + Array(70..<80)
        #expect(seconds == due.map { Double($0 * 10 + 5) })
        // No spacing is measured across the outage.
        #expect(drawn.tags.indices.filter { drawn.tags[$0].spacing == nil } == [0, 10])
        #expect(drawn.segments.map(\.isDiscontinuity) == [false, true])
    }

    @Test func unreadSegment_isNotMerged() throws {
        var track = LiveTrack(name: nil)
        for index in 0..<9 { try Self.append(index, to: &track, wasRead: index != 4) }
        let drawn = track.track(upTo: WallTime(unixSeconds: Self.start + 100))
        #expect(drawn.segments.map(\.wasRead) == [true, false, true])
        #expect(drawn.segments.map(\.duration) == [40, 10, 40])
        #expect(TrackAnalysis(drawn).unread.count == 1)
    }

    @Test func finding_marksOnlyItsTag() throws {
        var track = LiveTrack(name: "v1")
        for index in 0..<5 { try Self.append(index, to: &track) }
        var finding = Verdicts.finding(.fail, segment: nil, seconds: 35, sequence: 2, tag: 2, "lost")
        finding.place.position = 25
        finding.place.rendition = "v2"
        track.mark(.sequenceStep, finding)
        #expect(
            track.track(upTo: WallTime(unixSeconds: Self.start + 60)).tags.allSatisfy { $0.severity == .pass }
        )
        finding.place.rendition = "v1"
        finding.consequences = [Finding.Consequence(check: .timeGap, detail: "late")]
        track.mark(.sequenceStep, finding)
        // A finding about another tag at that position is ignored.
        finding.place.sequence = 3
        track.mark(.timeOverlap, finding)
        let drawn = track.track(upTo: WallTime(unixSeconds: Self.start + 60))
        #expect(drawn.tags.map(\.severity) == [.pass, .pass, .fail, .pass, .pass])
        #expect(drawn.tags[2].problems.checks == [.sequenceStep, .timeGap])
        #expect(TrackAnalysis(drawn).gaps.map(\.from) == [drawn.tags[1].position])
    }

    @Test func nonFiniteOrHugeTimes_leaveTheOtherTagsInPlace() throws {
        var track = LiveTrack(name: nil)
        let values = [Double.nan, .infinity, -.infinity, 1e300, -1e300]
        for (index, value) in values.enumerated() {
            let end = WallTime(unixSeconds: Self.start + Double(index * 10))
            var tag = try Self.tag(index, at: 0)
            tag.position = value
            track.append(
                ObservedSegment(name: nil, duration: value, position: value, facts: nil), tags: [tag],
                clockGoesOn: true, behindLive: 0, at: end)
            try Self.append(index, to: &track)
        }
        let drawn = track.track(upTo: WallTime(unixSeconds: Self.start + 50))
        let seconds = drawn.tags.map { $0.position + Double(drawn.clock.origin ?? 0) - Self.start }
        #expect(seconds == [5, 15, 25, 35, 45])
        #expect(drawn.segments.map(\.duration).reduce(0, +) == 50)
        for time in [Double.nan, .infinity, 1e301] {
            #expect(track.track(upTo: WallTime(unixSeconds: time)).tagCount == 0)
        }
    }

    @Test func wallClockAxis_hasTicksAtRoundTimes() {
        // 2027-01-15 08:02:03 UTC.
        let clock = PositionClock.wall(origin: 1_800_000_123)
        let axis = PlotAxis.time(to: 3_600, clock: clock)
        #expect(
            axis.ticks.map(clock.text) == [
                "08:10:00", "08:20:00", "08:30:00", "08:40:00", "08:50:00", "09:00:00",
            ])
    }
}
