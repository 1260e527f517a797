import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// Hostile tags in runs, and findings beyond the limits of a policy.
@Suite struct InserterRunLimitTests {
    @Test func findings_ofHostileSequence_areLimitedButCounted() throws {
        var checker = StreamChecker(source: "x", policy: HealthPolicy())
        let stream = StreamSample([], seconds: 10)
        let count = 3000
        for index in 0..<count {
            let tag = TagSample.data(index).with {
                $0.sequence = UInt16(truncatingIfNeeded: 4099 &* (index + 1))
            }
            checker.observe(
                SegmentObservation(
                    rendition: RenditionID(0), segment: stream.observed(segment: 0),
                    tags: [try stream.observed(tag, in: 0)]))
        }
        let verdict = checker.finish()
        let outcome = verdict.outcomes[.sequenceStep]
        #expect(outcome.findings.count == 50)
        #expect(outcome.count > count / 2)
        #expect(verdict.tags.data == count)
    }

    /// NaN, infinite and extreme numbers in every field that accepts a number.
    @Test func extremeNumbers_inSegmentsAndTags_areAccepted() throws {
        let values: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e300, 0, -1]
        let stream = StreamSample(TagSample.data(0..<3))
        for value in values {
            for other in values {
                var checker = StreamChecker(source: "x", policy: HealthPolicy())
                var live = ChannelHealth(
                    policy: HealthPolicy(), settings: ChannelHealthSettings(),
                    at: ClockMoment(steady: SteadyTime(seconds: value)))
                for index in 0..<4 {
                    var segment = stream.observed(segment: index)
                    segment.position = value
                    segment.duration = other
                    var tags: [TagOccurrence] = []
                    if index > 0 {
                        var tag = try stream.observed(stream.tags[index - 1], in: index)
                        tag.position = other
                        tag.seconds = value
                        tag.origin.place.programDateTime = .min
                        tags.append(tag)
                    }
                    let observation = SegmentObservation(
                        rendition: RenditionID(0), segment: segment, tags: tags)
                    checker.observe(observation)
                    live.observe(observation, behindLive: other, at: SteadyTime(seconds: value))
                }
                live.advance(to: SteadyTime(seconds: other))
                let verdict = checker.finish()
                #expect(verdict.tags.data == 3 && live.tags.data == 3)
                #expect(verdict.outcomes.map(\.id) == CheckID.all)
                #expect(verdict.outcomes[.sequenceStep].status == .pass)
            }
        }
    }

    @Test func findings_beyondPolicyLimit_areCountedButNotListed() throws {
        var stream = StreamSample(TagSample.data(0..<10).map { tag in tag.with { $0.breakout = "01" } })
        for kept in [0, 1, 5, 10, 11] {
            stream.policy[.findings] = Double(kept)
            let outcome = try stream.outcomes()[.tagBreakout]
            #expect(outcome.count == 10)
            #expect(outcome.findings.count == min(kept, 10))
            #expect(outcome.status == .fail)
        }
    }

    /// The settled findings, drained after each segment, are those of the final rows, each with its tag.
    @Test func settledFindings_drainedPerSegment_matchFinalOutcomes() throws {
        var tags = TagSample.data(0..<12)
        tags[3].checksumError = 1
        tags.remove(at: 7)
        let stream = StreamSample(tags, seconds: 130)
        var checker = StreamChecker(
            PresentationOutline(source: "x", renditions: [.init(name: nil)]), listsSettledFindings: true)
        var silent = StreamChecker(source: "x", policy: HealthPolicy())
        var settled: [(check: CheckID, finding: Finding)] = []
        for observation in try stream.observations() {
            checker.observe(observation)
            settled += checker.drainSettledFindings()
            silent.observe(observation)
            #expect(silent.drainSettledFindings().isEmpty)
        }
        let verdict = checker.finish()
        settled += checker.drainSettledFindings()
        #expect(checker.drainSettledFindings().isEmpty)
        #expect(settled.map(\.check) == [.tagChecksum, .sequenceStep])
        #expect(settled.map(\.finding.place.tagIndex) == [3, 7])
        #expect(settled[1].finding == verdict.outcomes[.sequenceStep].findings.first)
        #expect(silent.finish() == verdict && silent.drainSettledFindings().isEmpty)
    }

    @Test func outcomes_beforeEndOfStream_coverSegmentsReadSoFar() throws {
        let stream = StreamSample(TagSample.data(0..<3) + TagSample.data(4..<12))
        var checker = StreamChecker(source: "x", policy: HealthPolicy())
        var counts: [Int] = []
        for observation in try stream.observations() {
            checker.observe(observation)
            var unfinished = checker
            counts.append(unfinished.finish().outcomes[.sequenceStep].count)
        }
        #expect(counts == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
        #expect(checker.finish().outcomes[.sequenceStep].count == 1)
    }
}
