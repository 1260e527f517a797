import NielsenID3
import StreamHealth
import Testing

@Suite struct CleanStreamTests {
    @Test func cleanStream_hasNoFindings_andRunsAllApplicableChecks() throws {
        let early = [TagSample.info(sequence: 99, position: 1)] + TagSample.data(0..<29)
        let late = TagSample.data(29..<40).map { tag in tag.with { $0.sequence += 1 } }
        let stream = StreamSample(early + [.info(sequence: 129, position: 295)] + late, seconds: 400)
        let outcomes = try stream.outcomes()
        #expect(outcomes.map(\.id) == CheckID.all)
        #expect(outcomes.hits.isEmpty, "\(outcomes.filter { $0.count > 0 })")
        let notRun = outcomes.filter { $0.status == .notRun }
        #expect(
            notRun.map(\.id) == [
                .emsgForm, .timeWallClock, .renditionTagsDiffer, .renditionTimeDiffers, .presenceSilent,
            ])
        #expect(outcomes.allSatisfy { ($0.status == .notRun) == ($0.reason != nil) })
    }

    @Test func checks_withoutAnyInput_areNotRunWithReason() {
        var checker = StreamChecker(source: "x", policy: HealthPolicy())
        let verdict = checker.finish()
        #expect(verdict.outcomes.map(\.id) == CheckID.all)
        #expect(verdict.outcomes.allSatisfy { $0.status == .notRun && $0.count == 0 && $0.findings.isEmpty })
        #expect(verdict.outcomes.allSatisfy { $0.reason?.hasSuffix(".") == true })
    }

    @Test func verdictCounts_matchStream() throws {
        var stream = StreamSample([.info(sequence: 99, position: 1)] + TagSample.data(0..<4), seconds: 50)
        stream.tags.append(.data(4).with { $0.kind = 9 })
        stream.tags.append(.data(5).with { $0.spoilOwner = { $0[70] = 0x21 } })
        stream.unread = [1]
        stream.otherOwnerCount = 2
        let verdict = try stream.verdict()
        #expect(verdict.tags.data == 4)
        #expect(verdict.tags.info == 1)
        #expect(verdict.tags.unknown == 2)
        #expect(verdict.tags.otherOwner == 10)
        #expect(verdict.segmentCount == 5)
        #expect(verdict.failedSegmentCount == 1)
        #expect(verdict.duration == 40)
    }

    /// Every check's outcome states the policy's limit, not the default one.
    @Test func outcomeLimits_comeFromPolicy() throws {
        var stream = StreamSample(TagSample.data(0..<10), seconds: 100)
        stream.policy[.gap] = 7
        stream.policy[.audioSync] = 3
        let outcomes = try stream.outcomes()
        #expect(outcomes[.timeGap].limit == CheckOutcome.Limit(value: 7, unit: "s"))
        #expect(outcomes[.timeAudioSync].limit == CheckOutcome.Limit(value: 3, unit: "s"))
        #expect(outcomes[.tagChecksum].limit == nil)
        #expect(outcomes[.tagCount].limit == CheckOutcome.Limit(value: 6, unit: "tags"))
    }
}
