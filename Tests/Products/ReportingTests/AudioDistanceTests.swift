import NielsenID3
import StreamHealth
import Testing
import TimedMedia

@testable import Reporting

@Suite struct AudioDistanceTests {
    private func tag(at time: MediaTimestamp?, after audio: MediaTimestamp?, isTransport: Bool = true) throws
        -> TagOccurrence
    {
        var tag = try #require(
            SampleStream.tag(
                SampleStream.owner(sequence: 1, first: 1_448_385_600, last: 1_448_385_609), at: 0))
        tag.time = time
        tag.transport =
            isTransport
            ? .init(packetCount: 2, fillsPackets: true, streamID: 0xBD, precedingMediaTime: audio) : nil
        return tag
    }

    @Test func packets_areMeasuredFromTheAudioBefore() throws {
        let tag = try tag(at: MediaTimestamp(pts: 900_000), after: MediaTimestamp(pts: 855_000))
        #expect(AudioDistance.seconds(of: tag) == 0.5)
    }

    @Test func clockThatWrappedBetween_isNoDistance() throws {
        let end = MediaTimestamp(pts: MediaTimestamp.transportPeriod - 45_000)
        let start = MediaTimestamp(pts: 45_000)
        #expect(try #require(AudioDistance.seconds(of: tag(at: start, after: end))).magnitude < 1.001)
        #expect(try #require(AudioDistance.seconds(of: tag(at: end, after: start))) < -0.999)
    }

    @Test func withoutAudioOrTime_isUnknown() throws {
        #expect(AudioDistance.seconds(of: try tag(at: MediaTimestamp(pts: 1), after: nil)) == nil)
        #expect(AudioDistance.seconds(of: try tag(at: nil, after: MediaTimestamp(pts: 1))) == nil)
        #expect(
            AudioDistance.seconds(of: try tag(at: MediaTimestamp(pts: 1), after: nil, isTransport: false))
                == nil)
    }

    @Test(arguments: [(5.0, -5.0), (10, 0), (12, 0), (16, 0), (20, 4)])
    func elsewhere_isMeasuredFromTheSegment(seconds: Double, distance: Double) throws {
        var facts = CarriageFacts()
        facts.earliestMediaTime = MediaTimestamp(ticks: 10 * 48_000, timescale: 48_000)
        facts.latestMediaTime = MediaTimestamp(ticks: 16 * 48_000, timescale: 48_000)
        let tag = try tag(
            at: MediaTimestamp(ticks: UInt64(seconds * 1_000), timescale: 1_000), after: nil,
            isTransport: false)
        #expect(AudioDistance.seconds(of: tag, in: facts) == distance)
    }
}
