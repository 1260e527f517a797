import Testing

@testable import StreamSynthesis

/// The schedule of the tags with settings that the streams of `FaultBytesTests` do not have.
struct TagScheduleTests {
    static func tags(
        _ fault: SynthesisFault? = nil, duration: Double = 120, rendition: Int = 0,
        _ change: (inout SynthesisSettings) -> Void = { _ in }
    ) -> [ScheduledTag] {
        var settings = SynthesisSettings()
        settings.fault = fault
        settings.duration = duration
        change(&settings)
        return settings.tags(ofRendition: rendition)
    }

    @Test func schedule_ofTwoMinutes_followsTheLastAudioFramesBeforeEachTenthSecond() {
        let tags = Self.tags()
        #expect(tags.map(\.tag.kind) == [.info] + [SyntheticTag.Kind](repeating: .data, count: 12))
        let moments = (0...12).map { (tenth: Int64) -> Int64 in 900_000 * tenth }
        #expect(tags.map(\.moment) == moments)
        let times = moments.map { (moment: Int64) -> Int64 in
            let frame = max(0, (moment + 1919) / 1920 - 1)
            return 900_000 + frame * 1920
        }
        #expect(tags.map(\.time) == times)
        // The stream begins at noon, nine hours after the start of the broadcast day.
        #expect(tags.dropFirst().map(\.tag.pcOffset) == (0..<12).map { 32_400 + 10 * $0 })
    }

    @Test func schedule_ofTwentyMinutes_repeatsINFOTagsInTime() {
        let tags = Self.tags(duration: 1200)
        let info = tags.filter { $0.tag.kind == .info }.map { ($0.time - 900_000) / 90_000 }
        #expect(info.count == 5 && zip(info, info.dropFirst()).allSatisfy { $1 - $0 <= 310 })
        #expect(tags.map(\.tag.sequence) == (0..<tags.count).map { UInt16($0) })
        #expect(zip(tags, tags.dropFirst()).allSatisfy { $0.time < $1.time })
    }

    /// The schedule of a live channel is read in parts.
    @Test(arguments: [Int64(3), 20, 21, 300])
    func tags_inRangesOfAnyLength_areThoseOfTheWholeStream(frameCount: Int64) {
        var settings = SynthesisSettings()
        settings.duration = 7_200
        settings.startPTS = 1 << 33 - 90_000
        settings.firstSequence = 65_500
        let schedule = TagSchedule(settings)
        var tags: [ScheduledTag] = []
        let length = frameCount * SynthesisSettings.audioFrameTicks
        for start in stride(from: 0, to: 7_200 * SynthesisSettings.ticksPerSecond, by: Int(length)) {
            #expect(schedule.count(before: start) == tags.count)
            tags += schedule.tags(in: start..<start + length)
        }
        // 720 DATA tags, and an INFO tag every five minutes.
        #expect(tags.count == 745 && tags == settings.tags(ofRendition: 0))
    }

    @Test func tags_thatCloseAtTheSameTime_beginWithINFO() {
        let tags = Self.tags(duration: 60) { $0.infoInterval = 25 }
        #expect(tags.filter { $0.moment == 20 * 90_000 }.map(\.tag.kind) == [.info, .data])
        #expect(tags.map(\.tag.sequence) == (0..<tags.count).map { UInt16($0) })
    }

    @Test func schedule_acrossBroadcastDays_changesContentIDsAndRestartsOffsets() {
        let data = Self.tags { $0.startTime += 15 * 3600 - 50 }.dropFirst()
        #expect(Set(data.map(\.tag.pcCID)).count == 2)
        #expect(data.map(\.tag.pcOffset) == (0..<12).map { (86_350 + 10 * $0) % 86_400 })
    }

    @Test func schedule_atTheLastSequenceNumber_wrapsToZero() {
        let numbers = Self.tags { $0.firstSequence = 65_534 }.map(\.tag.sequence)
        #expect(numbers == [65_534, 65_535] + (0...10).map { UInt16($0) })
    }

    @Test func schedule_ofAnotherSeed_differsOnlyInOpaqueBytes() {
        let (other, usual) = (Self.tags { $0.seed = 1 }, Self.tags())
        #expect(zip(other, usual).allSatisfy { $0.bytes != $1.bytes && $0.time == $1.time })
        #expect(other.map(\.tag.lastTime) == usual.map(\.tag.lastTime))
    }

    @Test(arguments: SynthesisFault.allCases)
    func everyTagFault_atItsMinimumDuration_changesTheSchedule(fault: SynthesisFault) {
        let isElsewhere = [SynthesisFault.pmtDescriptors, .streamType, .emsgForm].contains(fault)
        let shortest = fault.minimumDuration(tagInterval: 10)
        let changed = Self.tags(fault, duration: shortest, rendition: 2)
        #expect((changed == Self.tags(duration: shortest, rendition: 2)) == isElsewhere)
    }
}
