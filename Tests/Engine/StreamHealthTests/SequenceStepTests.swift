import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// `sequence.step`, together with `time.gap` and `time.overlap`.
@Suite struct SequenceStepTests {
    /// Returns a clean stream of DATA tags with an INFO tag, number 104, that comes `places` places late.
    private static func stream(infoLate places: Int) -> StreamSample {
        var tags: [TagSample] = []
        for index in 0..<12 {
            // Number 104 belongs to the INFO tag, so each later number is higher by one.
            tags.append(TagSample.data(index).with { if index >= 4 { $0.sequence += 1 } })
        }
        let info = TagSample.info(sequence: 104, position: 0)
        let behind = 3 + places
        tags.insert(info.with { $0.position = tags[behind].position + 0.5 }, at: behind + 1)
        return StreamSample(tags)
    }

    @Test func steps_ofOne_pass() throws {
        let outcome = try StreamSample(TagSample.data(0..<10)).outcomes()[.sequenceStep]
        #expect(outcome.status == .pass)
    }

    @Test func sequenceAndTimeChecks_ofSingleTag_areNotRun() throws {
        let outcomes = try StreamSample([.data(0)]).outcomes()
        #expect(outcomes[.sequenceStep].status == .notRun)
        #expect(outcomes[.timeGap].status == .notRun)
        #expect(outcomes[.timeOverlap].status == .notRun)
    }

    /// The numbers wrap at every place of a short stream.
    @Test func sequence_thatWraps_passes() throws {
        for start in UInt16.max - 6...UInt16.max {
            let tags = (0..<6).map { index in
                TagSample.data(index).with { $0.sequence = start &+ UInt16(index) }
            }
            #expect(try StreamSample(tags).outcomes().hits.isEmpty, "from \(start)")
        }
    }

    /// For each count of lost tags, their time is missing too.
    @Test(arguments: [1, 2, 5, 20, 63, 64]) func lostTags_failWithTimeGapAsConsequence(count: Int) throws {
        let tags = TagSample.data(0..<5) + TagSample.data(5 + count..<10 + count)
        let outcomes = try StreamSample(tags).outcomes()
        // With many lost tags, the presentation also has too few tags.
        let hits = outcomes.hits.filter { $0.key != .tagCount && $0.key != .infoLate }
        #expect(hits == [.sequenceStep: .fail, .timeGap: .fail])
        let finding = try #require(outcomes[.sequenceStep].findings.first)
        #expect(outcomes[.sequenceStep].count == 1)
        #expect(finding.detail.hasPrefix("after sequence 104 comes \(105 + count), not 105"))
        #expect(finding.consequences.map(\.check) == [.timeGap])
        #expect(finding.place.sequence == UInt16(105 + count))
        #expect(outcomes[.timeGap].findings.isEmpty)
        #expect(outcomes[.timeGap].count == 1)
        #expect(outcomes[.timeGap].consequenceCount == 1)
    }

    @Test func findingOfLostTag_statesObservedAndExpectedValues() throws {
        let outcomes = try StreamSample(TagSample.data(0..<3) + TagSample.data(4..<8)).outcomes()
        let finding = try #require(outcomes[.sequenceStep].findings.first)
        #expect(
            finding.detail
                == "after sequence 102 comes 104, not 103: 103 is missing, and time is missing too: tags were lost"
        )
        #expect(
            finding.consequences.first?.detail
                == "last time 12:00:30 UTC is 10 s before the next DATA tag's first, 12:00:40 UTC: up to 9 s is "
                + "normal; a tag may be missing between them, or no watermark was heard (clock: tag)")
    }

    /// An unreadable segment is named as the cause instead of the usual causes.
    @Test(arguments: [true, false]) func lostTag_inAnUnreadableSegment_namesTheSegment(hasStep: Bool) throws {
        let rest = TagSample.data(4..<8).map { tag in tag.with { if !hasStep { $0.sequence -= 1 } } }
        let stream = StreamSample(TagSample.data(0..<3) + rest).with { $0.unread = [3] }
        let outcomes = try stream.outcomes()
        let cause = "seg3.ts between them could not be read"
        let step = outcomes[.sequenceStep].findings.first
        #expect(hasStep == (step?.detail.hasSuffix("time is missing too: \(cause)") == true))
        let gap = step?.consequences.first?.detail ?? outcomes[.timeGap].findings.first?.detail
        #expect(gap?.hasSuffix("up to 9 s is normal; \(cause) (clock: tag)") == true, "\(gap ?? "")")
        #expect(outcomes[.timeGap].count == 1)
    }

    /// A segment that was read in part is named as the cause; a malformed tag is not one.
    @Test func lostTag_inASegmentReadInPart_namesTheSegment() throws {
        let isDamaged: @Sendable (MalformedRule) -> @Sendable (inout CarriageFacts) -> Void = { rule in
            { $0.malformed.append(.init(offset: 0, length: 188, rule: rule)) }
        }
        let part = "could only be read in part"
        let changes: [(@Sendable (inout CarriageFacts) -> Void, String)] = [
            ({ $0.isTruncated = true }, "seg3.ts between them \(part)"),
            ({ $0.lacksPackets = true }, "seg3.ts between them \(part)"),
            (isDamaged(.syncLost), "seg3.ts between them \(part)"),
            (isDamaged(.noProgramMap), "seg3.ts between them \(part)"),
            (isDamaged(.boxTruncated), "seg3.ts between them \(part)"),
            (isDamaged(.tagsTooLong), "seg3.ts between them \(part)"),
            // These lose nothing, or are findings of their own.
            (isDamaged(.section), "tags were lost"),
            (isDamaged(.frameSize), "tags were lost"),
            (isDamaged(.plainTagSize), "tags were lost"),
        ]
        for (change, cause) in changes {
            let tags = TagSample.data(0..<3) + TagSample.data(4..<8)
            let stream = StreamSample(tags).with { $0.facts = { if $0 == 3 { change(&$1) } } }
            let detail = try stream.outcomes()[.sequenceStep].findings.first?.detail ?? ""
            #expect(detail.hasSuffix("time is missing too: \(cause)"), "\(detail)")
        }
    }

    /// The bytes are missing in the segment of the tag before, or of the tag after, or in several.
    @Test func lostTag_nextToATagInASegmentReadInPart_namesTheSegment() throws {
        for (inPart, unread, cause) in [
            ([3], [], "seg3.ts between them could only be read in part"),
            ([5], [], "seg5.ts between them could only be read in part"),
            ([3, 4], [], "2 segments from seg3.ts between them could only be read in part"),
            ([3], [4], "2 segments from seg3.ts between them could not be read completely"),
            ([2, 6], [], "tags were lost"),
        ] as [(Set<Int>, Set<Int>, String)] {
            let stream = StreamSample(TagSample.data(0..<3) + TagSample.data(4..<8)).with {
                $0.facts = { if inPart.contains($0) { $1.isTruncated = true } }
                $0.unread = unread
            }
            let detail = try stream.outcomes()[.sequenceStep].findings.first?.detail ?? ""
            #expect(detail.hasSuffix("time is missing too: \(cause)"), "\(detail)")
        }
    }

    /// A download that was cut off has no facts, but the tags before the cut.
    @Test(arguments: [true, false]) func lostTag_inATruncatedDownload_namesTheSegment(hasPart: Bool) throws {
        let stream = StreamSample(TagSample.data(0..<3) + TagSample.data(4..<8)).with { $0.unread = [3] }
        var checker = StreamChecker(source: "sample", policy: HealthPolicy())
        for var observation in try stream.observations() {
            if observation.segment?.name == "seg3.ts" { observation.segment?.hasPart = hasPart }
            checker.observe(observation)
        }
        let detail = checker.finish().outcomes[.sequenceStep].findings.first?.detail ?? ""
        #expect(detail.hasSuffix(hasPart ? "could only be read in part" : "could not be read"), "\(detail)")
    }

    @Test func unreadableSegment_beforeTheLastTag_doesNotExplainALaterGap() throws {
        let stream = StreamSample(TagSample.data(0..<5) + TagSample.data(6..<9)).with { $0.unread = [0] }
        let finding = try stream.outcomes()[.sequenceStep].findings.first
        #expect(finding?.detail.hasSuffix("tags were lost") == true)
    }

    /// Time gaps around the limit, with and without a missing number.
    @Test func timeGap_beyondLimit_warns_orFailsWithSequenceStep() throws {
        for seconds in [0, 8, 9, 10, 11, 30] {
            for isMissing in [false, true] {
                let tags = (0..<8).map { index in
                    TagSample.data(index).with { tag in
                        guard index >= 4 else { return }
                        tag.firstTime += UInt32(seconds)
                        tag.lastTime += UInt32(seconds)
                        tag.pcOffset += seconds
                        tag.fdOffset += seconds
                        tag.position += Double(seconds)
                        if isMissing { tag.sequence += 1 }
                    }
                }
                let hits = try StreamSample(tags).outcomes().hits
                let expected: [CheckID: CheckStatus] =
                    switch (seconds > 9, isMissing) {
                    case (false, false): [:]
                    case (true, false): [.timeGap: .warn]
                    case (false, true): [.sequenceStep: .warn]
                    case (true, true): [.sequenceStep: .fail, .timeGap: .fail]
                    }
                #expect(hits == expected, "\(seconds) s, missing: \(isMissing)")
            }
        }
    }

    @Test func overlap_beyondItsLimit_fails() throws {
        for seconds in [0, 8, 9, 10, 11] {
            let tags = (0..<8).map { index in
                TagSample.data(index).with { tag in
                    guard index == 4 else { return }
                    tag.firstTime -= UInt32(seconds)
                    tag.lastTime = tag.firstTime + 12
                }
            }
            let hits = try StreamSample(tags).outcomes().hits
            #expect(hits == (seconds > 9 ? [.timeOverlap: .fail] : [:]), "\(seconds) s")
        }
    }

    /// A backup inserter takes over with its own numbers and without lost time.
    @Test(arguments: [0, 3, 9]) func failOver_withoutATimeGap_warns(gap: Int) throws {
        for start: UInt16 in [4000, 60_000, 50, 170] {
            let tags = (0..<10).map { index in
                TagSample.data(index).with { tag in
                    guard index >= 5 else { return }
                    tag.sequence = start + UInt16(index - 5)
                    tag.firstTime += UInt32(gap)
                    tag.lastTime += UInt32(gap)
                }
            }
            let outcomes = try StreamSample(tags).outcomes()
            #expect(outcomes.hits == [.sequenceStep: .warn], "from \(start)")
            #expect(outcomes[.sequenceStep].count == 1)
            #expect(
                outcomes[.sequenceStep].findings.first?.detail
                    == "after sequence 104 comes \(start), not 105 without a time gap: another inserter took over"
            )
        }
    }

    @Test func failOver_withATimeGap_fails() throws {
        let tags = (0..<10).map { index in
            TagSample.data(index).with { tag in
                guard index >= 5 else { return }
                tag.sequence = 4000 + UInt16(index)
                tag.firstTime += 20
                tag.lastTime += 20
            }
        }
        let outcomes = try StreamSample(tags).outcomes()
        #expect(outcomes.hits == [.sequenceStep: .fail, .timeGap: .fail])
    }

    /// The backup begins with its INFO tag; the next DATA tag determines the time.
    @Test func failOver_startingWithInfoTag_isEvaluatedAtNextDataTag() throws {
        for gap: UInt32 in [0, 20] {
            var tags = TagSample.data(0..<5)
            tags.append(.info(sequence: 700, position: 55))
            tags += (5..<9).map { index in
                TagSample.data(index).with {
                    $0.sequence = 701 + UInt16(index - 5)
                    $0.firstTime += gap
                    $0.lastTime += gap
                }
            }
            let hits = try StreamSample(tags).outcomes().hits
            #expect(
                hits == (gap == 0 ? [.sequenceStep: .warn] : [.sequenceStep: .fail, .timeGap: .fail]),
                "\(gap)")
        }
    }

    /// A restart of the sequence ends the run and loses no tags.
    @Test(arguments: [0, 1, 3] as [UInt16], [0, 60])
    func sequence_thatRestarts_warns(start: UInt16, gap: UInt32) throws {
        let tags = (0..<10).map { index in
            TagSample.data(index).with { tag in
                guard index >= 5 else { return }
                tag.sequence = start + UInt16(index - 5)
                tag.firstTime += gap
                tag.lastTime += gap
            }
        }
        let outcomes = try StreamSample(tags).outcomes()
        #expect(outcomes.hits == [.sequenceStep: .warn])
        #expect(outcomes[.sequenceStep].findings.first?.detail.contains("starts over") == true)
    }

    /// An INFO tag may be up to three places late; a greater delay is reported once.
    @Test(arguments: 0...7) func infoTag_upToThreePlacesLate_passes(places: Int) throws {
        let outcomes = try Self.stream(infoLate: places).outcomes()
        #expect(outcomes.hits == (places <= 3 ? [:] : [.sequenceStep: .warn]), "\(places) places")
        #expect(outcomes[.sequenceStep].count == (places <= 3 ? 0 : 1))
    }

    @Test func timeGap_atLateInfoTag_remainsAWarning() throws {
        var stream = Self.stream(infoLate: 2)
        for index in stream.tags.indices
        where stream.tags[index].kind == 2 && stream.tags[index].sequence > 104 {
            stream.tags[index].firstTime += 20
            stream.tags[index].lastTime += 20
            stream.tags[index].pcOffset += 20
            stream.tags[index].fdOffset += 20
        }
        #expect(try stream.outcomes().hits == [.timeGap: .warn])
    }

    @Test func infoTag_thatIsLost_warns() throws {
        var stream = Self.stream(infoLate: 0)
        stream.tags.removeAll { $0.kind == 1 }
        let outcomes = try stream.outcomes()
        #expect(outcomes.hits == [.sequenceStep: .warn])
        #expect(
            outcomes[.sequenceStep].findings.first?.detail
                == "after sequence 103 comes 105, not 104: 104 is missing without a time gap: an INFO tag is missing, "
                + "or another inserter took over")
    }

    /// The INFO tag belongs before the first tag that was read.
    @Test func infoTag_lateAtTheBeginning_passes() throws {
        let tags = [TagSample.data(0), .info(sequence: 99, position: 10.5)] + TagSample.data(1..<6)
        #expect(try StreamSample(tags).outcomes().hits.isEmpty)
    }

    /// A DATA tag must not be late; the overlap of its times is a consequence.
    @Test func dataTag_thatIsLate_warns() throws {
        var tags = TagSample.data(0..<9)
        let late = tags.remove(at: 4).with { $0.position = 60.5 }
        tags.insert(late, at: 5)
        let outcomes = try StreamSample(tags).outcomes()
        #expect(outcomes[.sequenceStep].status == .warn)
        #expect(outcomes[.sequenceStep].count == 1)
        #expect(outcomes[.sequenceStep].findings.first?.consequences.map(\.check) == [.timeOverlap])
        #expect(outcomes[.timeGap].status == .pass)
    }

    /// Content that repeats after minutes without a discontinuity: time goes back.
    @Test func loop_withoutADiscontinuity_overlaps() throws {
        let tags =
            TagSample.data(0..<20)
            + (0..<20).map { index in TagSample.data(index).with { $0.position += 200 } }
        let outcomes = try StreamSample(tags).outcomes()
        #expect(outcomes[.timeOverlap].status == .fail)
        #expect(outcomes[.timeOverlap].count == 1)
        #expect(outcomes[.timeOverlap].findings.first?.consequences.map(\.check) == [.sequenceStep])
        #expect(outcomes[.sequenceStep].status == .warn)
        #expect(outcomes[.sequenceStep].count == 1)
    }

    /// An INFO tag reveals the missing number, and the DATA tag after it the missing time.
    @Test func sequenceStep_atInfoTag_isEvaluatedAtNextDataTag() throws {
        var tags = TagSample.data(0..<5)
        tags.append(.info(sequence: 106, position: 62))
        tags += (6..<10).map { index in TagSample.data(index).with { $0.sequence += 1 } }
        let outcomes = try StreamSample(tags).outcomes()
        #expect(outcomes.hits == [.sequenceStep: .fail, .timeGap: .fail])
        #expect(outcomes[.sequenceStep].count == 1)
        #expect(outcomes[.sequenceStep].findings.first?.place.sequence == 106)
    }

    @Test func tag_ofUnknownKind_countsOnlyInTheSequence() throws {
        var tags = TagSample.data(0..<8)
        tags[4].kind = 3
        // The tag fills its place in the sequence, but its ten seconds are missing.
        #expect(try StreamSample(tags).outcomes().hits == [.timeGap: .warn])
        tags[4].lastTime = tags[4].firstTime + 600
        tags[4].pcOffset = 77
        #expect(try StreamSample(tags).outcomes().hits == [.timeGap: .warn])
        tags[4].sequence = 900
        #expect(try StreamSample(tags).outcomes()[.sequenceStep].status != .pass)
    }
}

extension SequenceStepTests {
    /// Loops of every length, from the first number of a sequence and from another one.
    @Test(arguments: [3, 5, 6, 7, 12, 30], [100, 0]) func loop_isContentThatRepeats_notARestart(
        length: Int, start: Int
    ) throws {
        let tags = (0..<3).flatMap { pass in
            (0..<length).map { index in
                TagSample.data(index).with {
                    $0.sequence = UInt16(start + index)
                    $0.position += Double(10 * length * pass)
                }
            }
        }
        let outcomes = try StreamSample(tags, seconds: Double(30 * length)).outcomes()
        let details = outcomes[.timeOverlap].findings.map(\.detail)
        #expect(!details.isEmpty && details.allSatisfy { $0.contains("the content repeats") }, "\(details)")
        for detail in outcomes[.sequenceStep].findings.map(\.detail) {
            #expect(!detail.contains("restarted") && !detail.contains("into two segments"), "\(detail)")
        }
    }

    /// A discontinuity before the second pass: not replaced content.
    @Test func loop_overADiscontinuity_isContentThatRepeats() throws {
        for start in [100, 0] {
            let tags = (0..<24).map { index in
                TagSample.data(index % 12).with {
                    $0.sequence = UInt16(start + index % 12)
                    $0.position += Double(120 * (index / 12))
                }
            }
            let stream = StreamSample(tags, seconds: 250).with { $0.discontinuities = [13] }
            let outcomes = try stream.outcomes()
            #expect(outcomes[.timeOverlap].status == .warn && outcomes[.timeOverlap].count == 1)
            #expect(outcomes[.sequenceStep].findings.isEmpty)
        }
    }

    /// After a restart, an encoder continues with the time of day.
    @Test func restart_withLaterTimes_isNotARepetition() throws {
        let tags = (0..<24).map { index in
            TagSample.data(index).with { $0.sequence = UInt16(index < 12 ? 100 + index : index - 12) }
        }
        let outcomes = try StreamSample(tags, seconds: 250).outcomes()
        #expect(outcomes.hits == [.sequenceStep: .warn])
        #expect(outcomes[.sequenceStep].findings.first?.detail.contains("encoder was restarted") == true)
    }
}
