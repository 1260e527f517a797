import ID3v2
import NielsenID3
import StreamHealth
import Testing

@Suite struct RateCheckTests {
    /// DATA tags ten seconds apart by their own clock, and `step` seconds apart by the stream's.
    private static func tags(_ count: Int, step: Double, from start: Double = 10) -> [TagSample] {
        (0..<count).map { index in TagSample.data(index).with { $0.position = start + step * Double(index) } }
    }

    private static func outcome(_ tags: [TagSample]) throws -> CheckOutcome {
        try StreamSample(tags).outcomes()[.timeRate]
    }

    @Test func clocks_withEqualRate_pass() throws {
        #expect(try Self.outcome(Self.tags(12, step: 10)).status == .pass)
    }

    @Test(arguments: 0...5) func rate_withFewerThanFourTags_isNotRun(count: Int) throws {
        let status = try Self.outcome(Self.tags(count, step: 30)).status
        #expect(status == (count < 4 ? .notRun : .fail))
    }

    /// Four tags with a drift below and above 2 s.
    @Test func drift_beyondItsLimit_fails() throws {
        for (step, isHit) in [(10.5, false), (10.66, false), (10.7, true), (9.34, false), (9.3, true)] {
            let status = try Self.outcome(Self.tags(4, step: step)).status
            #expect(status == (isHit ? .fail : .pass), "\(step)")
        }
        // Half a second per step is exactly 2 s after five tags.
        for step in [10.5, 9.5] {
            #expect(try Self.outcome(Self.tags(5, step: step)).status == .pass, "\(step)")
            #expect(try Self.outcome(Self.tags(6, step: step)).status == .fail, "\(step)")
        }
        // The first and the last of seven tags are exactly 60 s apart by their own clock, and still count together.
        #expect(try Self.outcome(Self.tags(6, step: 10.4)).status == .pass)
        #expect(try Self.outcome(Self.tags(7, step: 10.4)).status == .fail)
        // Seven tags fit within 60 s: a third of a second per step adds up to 2 s.
        #expect(try Self.outcome(Self.tags(7, step: 9.7)).status == .pass)
        #expect(try Self.outcome(Self.tags(7, step: 9.6)).status == .fail)
    }

    /// A file that is read faster than real time: the stream's clock runs faster than the tags' clock.
    @Test(arguments: [12.0, 15, 20, 100]) func fileFasterThanRealTime_failsOnce(step: Double) throws {
        let outcomes = try StreamSample(Self.tags(12, step: step)).outcomes()
        #expect(outcomes[.timeRate].status == .fail)
        #expect(outcomes[.timeRate].count == 1)
        #expect(outcomes[.timeRate].findings.first?.detail.contains("runs faster than") == true)
    }

    /// A drift that ends and begins again is reported again.
    @Test func drift_thatRecurs_isReportedAgain() throws {
        var tags: [TagSample] = []
        var position = 0.0
        for index in 0..<40 {
            position += (10..<16).contains(index) || (30..<36).contains(index) ? 12 : 10
            tags.append(TagSample.data(index).with { $0.position = position })
        }
        #expect(try Self.outcome(tags).count == 2)
    }

    /// Tags end on whole seconds, and their PTS is that of an audio frame.
    @Test func jitter_ofASecond_passes() throws {
        for pattern in 0..<64 {
            let tags = (0..<12).map { index in
                TagSample.data(index).with { tag in
                    if pattern >> (index % 6) & 1 == 1 { tag.position += 0.99 }
                }
            }
            #expect(try Self.outcome(tags).status == .pass, "\(pattern)")
        }
    }

    /// The tags' clock counts whole seconds: a drift may step back by one second, but not by more.
    @Test func drift_withStepBackOfUpToOneSecond_fails() throws {
        for (steps, isHit) in [([12.0, 9, 12], true), ([12, 8.9, 12.2], false)] {
            var position = 10.0
            var tags = [TagSample.data(0).with { $0.position = position }]
            for (index, step) in steps.enumerated() {
                position += step
                tags.append(TagSample.data(index + 1).with { $0.position = position })
            }
            #expect(try Self.outcome(tags).status == (isHit ? .fail : .pass), "\(steps)")
        }
    }

    /// The encoder's clock is set: a single step is not a drift.
    @Test(arguments: [-8, -3, 3, 8]) func step_ofTheTagClock_passes(seconds: Int) throws {
        let tags = (0..<12).map { index in
            TagSample.data(index).with { tag in
                guard index >= 6 else { return }
                tag.firstTime = UInt32(Int(tag.firstTime) + seconds)
                tag.lastTime = UInt32(Int(tag.lastTime) + seconds)
            }
        }
        #expect(try Self.outcome(tags).status == .pass)
    }

    /// Three tags before a fail-over and three after it are too few for a rate, regardless of their drift.
    @Test func failOver_restartsRateMeasurement() throws {
        for isFailOver in [false, true] {
            let tags = Self.tags(6, step: 12).enumerated().map { index, tag in
                tag.with { if isFailOver, index >= 3 { $0.sequence += 4000 } }
            }
            #expect(try Self.outcome(tags).status == (isFailOver ? .notRun : .fail))
        }
    }

    @Test func discontinuity_restartsRateMeasurement() throws {
        let stream = StreamSample(Self.tags(6, step: 12)).with { $0.discontinuities = [4] }
        #expect(try stream.outcomes()[.timeRate].status == .notRun)
    }

    @Test func ptsJump_restartsRateMeasurement() throws {
        let stream = StreamSample(Self.tags(6, step: 12)).with { $0.jumps = [4: 500] }
        #expect(try stream.outcomes()[.timeRate].status == .notRun)
    }

    @Test func rate_ofTagsWithoutPTS_isNotRun() throws {
        let tags = Self.tags(8, step: 12).map { tag in tag.with { $0.hasTime = false } }
        #expect(try Self.outcome(tags).status == .notRun)
    }

    /// The tags are a minute apart: no four of them are within a minute.
    @Test func rate_ofTagsTooFarApart_isNotRun() throws {
        let tags = (0..<8).map { index in
            TagSample.data(6 * index).with { $0.sequence = 100 + UInt16(index) }
        }
        #expect(try Self.outcome(tags).status == .notRun)
    }
}
