import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// Presence in a presentation: tags, enough of them, INFO tags in time, and in live input no silence.
@Suite struct PresenceCheckTests {
    /// Every length around the limit, with and without a tag.
    @Test func owner_inAtLeast30Seconds_isRequired() throws {
        for seconds in [10.0, 20, 29, 30, 31, 40] {
            for hasTag in [true, false] {
                let stream = StreamSample(hasTag ? [.data(0)] : []).with {
                    $0.segmentLength = seconds / 2
                    $0.segmentCount = 2
                    if hasTag { $0.tags[0].position = 1 }
                }
                let outcome = try stream.outcomes()[.ownerPresent]
                let expected: CheckStatus = seconds < 30 ? .notRun : hasTag ? .pass : .fail
                #expect(outcome.status == expected, "\(seconds) s")
            }
        }
    }

    /// Without any tag, `tag.count` and `info.late` are consequences of one finding.
    @Test func owner_thatIsMissing_hasCountAndInfoAsConsequences() throws {
        let outcomes = try StreamSample([], seconds: 400).outcomes()
        #expect(outcomes.hits == [.ownerPresent: .fail, .tagCount: .warn, .infoLate: .fail])
        #expect(outcomes[.tagCount].findings.isEmpty)
        #expect(outcomes[.infoLate].findings.isEmpty)
        #expect(
            outcomes[.ownerPresent].findings.map { $0.consequences.map(\.check) } == [[.tagCount, .infoLate]])
    }

    /// Without any tag, a check that the lost media lets pass says nothing.
    @Test func owner_thatIsMissing_leavesPassingChecksNotRun() throws {
        let stream = StreamSample([], seconds: 120).with { $0.unread = Set(0..<6) }
        let outcomes = try stream.outcomes()
        #expect(outcomes.hits == [.ownerPresent: .fail])
        #expect(outcomes[.tagCount].status == .notRun)
    }

    /// A broken tag counts as present.
    @Test func owner_withOnlyBrokenTags_passes() throws {
        let stream = StreamSample([TagSample.data(0).with { $0.checksumError = 1 }], seconds: 50)
        #expect(try stream.outcomes()[.ownerPresent].status == .pass)
    }

    /// The required number of tags is floor((D - 20) / 12); each count around it.
    @Test func requiredCount_inAtLeast60Seconds_growsWithDuration() throws {
        for (seconds, required) in [(50.0, nil), (60, 3), (70, 4), (80, 5), (120, 8), (140, 10)]
            as [(Double, Int?)]
        {
            for count in (required ?? 3) - 1...(required ?? 3) + 1 {
                let tags = (0..<count).map { index in
                    TagSample.data(index).with { $0.position = Double(index) }
                }
                let outcome = try StreamSample(tags, seconds: seconds).outcomes()[.tagCount]
                let expected: CheckStatus =
                    required.map { count < $0 ? .warn : .pass } ?? .notRun
                #expect(outcome.status == expected, "\(count) in \(seconds) s")
                if let required { #expect(outcome.limit?.value == Double(required)) }
            }
        }
    }

    /// INFO tags, unknown kinds and repeats do not count as DATA tags; broken tags do.
    @Test func count_includesOnlyDataTagsAndBrokenTags() throws {
        let three = TagSample.data(0..<3)
        func status(_ extra: TagSample) throws -> CheckStatus {
            try StreamSample(three + [extra], seconds: 70).outcomes()[.tagCount].status
        }
        #expect(try status(.data(3)) == .pass)
        #expect(try status(.info(sequence: 103, position: 40)) == .warn)
        #expect(try status(TagSample.data(3).with { $0.kind = 7 }) == .warn)
        #expect(try status(TagSample.data(2).with { $0.segment = 4 }) == .warn)
        #expect(try status(TagSample.data(3).with { $0.checksumError = 1 }) == .pass)
        #expect(try status(TagSample.data(3).with { $0.spoilOwner = { $0[70] = 0x21 } }) == .pass)
    }

    /// Segments that were not read need no tags.
    @Test func count_withTooFewReadSegments_isNotRun() throws {
        let stream = StreamSample(TagSample.data(0..<4), seconds: 100).with { $0.unread = Set(4..<10) }
        #expect(try stream.outcomes()[.tagCount].status == .notRun)
    }

    private static func info(_ positions: [Double], seconds: Double) throws -> CheckOutcome {
        let tags = positions.enumerated().map {
            TagSample.info(sequence: UInt16($0.offset), position: $0.element)
        }
        return try StreamSample(tags, seconds: seconds).outcomes()[.infoLate]
    }

    @Test func info_isLateAfter310Seconds() throws {
        #expect(try Self.info([0, 300], seconds: 350).status == .notRun)
        #expect(try Self.info([0, 300], seconds: 360).status == .pass)
        #expect(try Self.info([0, 310, 620], seconds: 700).status == .pass)
        #expect(try Self.info([0, 310.5, 620], seconds: 700).count == 1)
        #expect(try Self.info([0, 300], seconds: 610).status == .pass)
        #expect(try Self.info([0, 300], seconds: 620).count == 1)
        #expect(try Self.info([0, 320, 700, 900], seconds: 910).count == 2)
        #expect(try Self.info([310], seconds: 400).status == .pass)
        #expect(try Self.info([320], seconds: 400).count == 1)
        let late = try Self.info([0, 330], seconds: 400)
        #expect(late.status == .fail)
        #expect(
            late.findings.first?.detail
                == "320 s since the last INFO tag, at 0 s of media: one is late after 310 s (clock: pts)")
    }

    /// DATA tags without any INFO tag: the missing INFO tags are reported once.
    @Test func info_thatNeverArrives_isReportedOnce() throws {
        let outcome = try StreamSample(TagSample.data(0..<100), seconds: 1000).outcomes()[.infoLate]
        #expect(outcome.count == 1)
        #expect(outcome.findings.first?.detail.hasPrefix("no INFO tag in the first 320 s") == true)
    }

    @Test func info_thatIsBroken_doesNotCount() throws {
        let tags = [
            TagSample.info(sequence: 0, position: 0),
            TagSample.info(sequence: 1, position: 300).with { $0.checksumError = 1 },
        ]
        #expect(try StreamSample(tags, seconds: 400).outcomes()[.infoLate].count == 1)
    }

    /// The INFO tags of a stream of 60 segments of 10 s, but those in unread segments.
    private static func info(
        unread: Set<Int>, inPart: Set<Int> = [], infoTags: Bool = true, segments: Int = 60
    ) throws -> CheckOutcome {
        let data = TagSample.data(0..<segments)
        let info = infoTags ? [0, 300, 600, 900].map { TagSample.info(sequence: 0, position: $0) } : []
        let tags = (data + info).filter { tag in
            let segment = Int(tag.position / 10)
            return segment < segments && !unread.contains(segment) && !inPart.contains(segment)
        }
        let stream = StreamSample(tags, seconds: Double(segments) * 10).with {
            $0.unread = unread
            $0.facts = { if inPart.contains($0) { $1.isTruncated = true } }
        }
        return try stream.outcomes()[.infoLate]
    }

    /// An INFO tag that was lost with media that was not read, or only in part, is not late.
    @Test func info_lostWithUnreadMedia_isNotLate() throws {
        #expect(try Self.info(unread: [30], segments: 100).status == .pass)
        #expect(try Self.info(unread: [], inPart: [30], segments: 100).status == .pass)
        #expect(try Self.info(unread: Set(25..<35), segments: 100).status == .pass)
        #expect(try Self.info(unread: [5, 30, 40], segments: 100).status == .pass)
        #expect(try Self.info(unread: [30], inPart: [5], segments: 100).status == .pass)
        // A stretch as long as the interval has an INFO tag for certain, also after a shorter one.
        #expect(try Self.info(unread: Set([30] + Array(45..<80)), segments: 120).status == .pass)
    }

    /// Losses do not hide INFO tags that never arrive.
    @Test(arguments: [6, 12, 24, 30]) func info_thatNeverArrives_isReportedOnceDespiteLosses(every count: Int)
        throws
    {
        let lost = Set(stride(from: count, to: 100, by: count))
        for outcome in [
            try Self.info(unread: lost, infoTags: false, segments: 100),
            try Self.info(unread: [], inPart: lost, infoTags: false, segments: 100),
        ] {
            #expect(outcome.count == 1)
            let detail = outcome.findings.first?.detail ?? ""
            #expect(
                detail.contains(" without an INFO tag after media that was not read completely, at "),
                "\(detail)")
        }
    }

    /// Without 310 s in a row and without an INFO tag, nothing is known.
    @Test func info_withoutTagAndWithLoss_isNotRunOnTooLittleMedia() throws {
        #expect(try Self.info(unread: [20], infoTags: false, segments: 40).status == .notRun)
        #expect(try Self.info(unread: [20], segments: 40).status == .pass)
    }

    /// If every second segment is lost, the tags may all be in those; of few losses, few tags.
    @Test func count_withTagsInLostSegments_isNotReported() throws {
        func status(unread: Set<Int>) throws -> CheckStatus {
            let tags = TagSample.data(0..<60).filter { !unread.contains(Int($0.position / 5)) }
            let stream = StreamSample(tags).with {
                $0.segmentLength = 5
                $0.segmentCount = 120
                $0.unread = unread
            }
            return try stream.outcomes()[.tagCount].status
        }
        #expect(try status(unread: Set(stride(from: 0, to: 120, by: 2))) == .pass)
        #expect(try status(unread: Set(stride(from: 0, to: 30, by: 2))) == .pass)
        let few = StreamSample(TagSample.data(0..<10), seconds: 300).with { $0.unread = [15, 20] }
        #expect(try few.outcomes()[.tagCount].status == .warn)
    }

    @Test func silence_ofRecordedInput_isNotRun() throws {
        let outcome = try StreamSample(TagSample.data(0..<3), seconds: 100).outcomes()[.presenceSilent]
        #expect(outcome.status == .notRun)
        #expect(outcome.reason == "The input is recorded.")
    }
}
