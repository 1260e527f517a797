import ID3v2
import NielsenID3
import Testing

@testable import StreamHealth

@Suite struct AudioDistanceTests {
    private func tag(at time: MediaTimestamp?, after audio: MediaTimestamp?, isTransport: Bool = true) throws
        -> TagOccurrence
    {
        var tag = TagOccurrence(
            tag: try TagSample.data(0).decoded(), origin: .recording(TagPlace(source: "sample")), time: nil,
            seconds: nil, carriage: .transportStream(pid: 258))
        tag.time = time
        tag.transport =
            isTransport
            ? .init(packetCount: 2, fillsPackets: true, streamID: 0xBD, precedingMediaTime: audio) : nil
        return tag
    }

    @Test func transportTag_isMeasuredFromPrecedingAudio() throws {
        let tag = try tag(at: MediaTimestamp(pts: 900_000), after: MediaTimestamp(pts: 855_000))
        #expect(AudioDistance.seconds(of: tag, in: nil) == 0.5)
    }

    @Test func ptsWrap_betweenAudioAndTag_doesNotAffectDistance() throws {
        let end = MediaTimestamp(pts: MediaTimestamp.transportPeriod - 45_000)
        let start = MediaTimestamp(pts: 45_000)
        #expect(
            try #require(AudioDistance.seconds(of: tag(at: start, after: end), in: nil)).magnitude < 1.001)
        #expect(try #require(AudioDistance.seconds(of: tag(at: end, after: start), in: nil)) < -0.999)
    }

    @Test func distance_withoutAudioOrTagTime_isNil() throws {
        #expect(AudioDistance.seconds(of: try tag(at: MediaTimestamp(pts: 1), after: nil), in: nil) == nil)
        #expect(AudioDistance.seconds(of: try tag(at: nil, after: MediaTimestamp(pts: 1)), in: nil) == nil)
        #expect(
            AudioDistance.seconds(
                of: try tag(at: MediaTimestamp(pts: 1), after: nil, isTransport: false), in: nil)
                == nil)
    }

    @Test(arguments: [(5.0, -5.0), (10, 0), (12, 0), (16, 0), (20, 4)])
    func tag_notInTransportStream_isMeasuredFromSegment(seconds: Double, distance: Double) throws {
        var facts = CarriageFacts()
        facts.earliestMediaTime = MediaTimestamp(ticks: 10 * 48_000, timescale: 48_000)
        facts.latestMediaTime = MediaTimestamp(ticks: 16 * 48_000, timescale: 48_000)
        let tag = try tag(
            at: MediaTimestamp(ticks: UInt64(seconds * 1_000), timescale: 1_000), after: nil,
            isTransport: false)
        let segment = ObservedSegment(
            name: tag.origin.place.segment, mediaSequence: tag.origin.place.mediaSequence, duration: 6,
            position: 0,
            facts: facts)
        #expect(AudioDistance.seconds(of: tag, in: segment) == distance)
    }
}
