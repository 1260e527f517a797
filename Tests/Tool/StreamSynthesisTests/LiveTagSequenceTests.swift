import Testing

@testable import StreamSynthesis

/// The tags of a live channel, created by number, equal those of a recorded stream, created in sequence.
@Suite struct LiveTagSequenceTests {
    private static let seconds: Int64 = 7_200

    private static func settings() -> SynthesisSettings {
        var settings = SynthesisSettings()
        settings.duration = Double(seconds)
        settings.startPTS = 1 << 33 - 90_000
        settings.firstSequence = 65_500
        settings.seed = 9
        return settings
    }

    private static func sequence() -> LiveTagSequence {
        let settings = settings()
        return LiveTagSequence(
            seed: settings.seed, startTime: settings.startTime, startPTS: Int64(settings.startPTS),
            firstSequence: settings.firstSequence)
    }

    @Test(arguments: [Int64(3), 20, 21, 300])
    func tags_inRangesOfAnyLength_matchARecordedStream(frameCount: Int64) {
        let recorded = TagSchedule(Self.settings(), renditionIndex: 0).entries
        let sequence = Self.sequence()
        var live: [TagSchedule.Entry] = []
        let length = frameCount * SynthesisClock.audioFrameTicks
        for start in stride(from: 0, to: Self.seconds * SynthesisClock.ticksPerSecond, by: Int(length)) {
            let tags = sequence.tags(in: Int64(start)..<Int64(start) + length)
            #expect(sequence.count(before: Int64(start)) == live.count)
            live += tags.map(\.entry)
        }
        // 720 DATA tags, and an INFO tag every five minutes.
        #expect(recorded.count == 745 && live == recorded)
    }

    @Test func tags_closeAtTheirScheduledTimes() {
        let moments = Self.sequence().tags(in: 0..<301 * SynthesisClock.ticksPerSecond).map {
            $0.moment / 90_000
        }
        #expect(moments == Array(stride(from: 0, through: 290, by: 10)) + [295, 300])
    }
}
