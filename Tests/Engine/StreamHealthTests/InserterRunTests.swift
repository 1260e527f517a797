import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// Runs, and the rules that all checks share.
@Suite struct InserterRunTests {
    /// The DATA tags of a backup inserter, `seconds` after the primary one.
    private static func backup(_ indices: Range<Int>, behind seconds: Int) -> [TagSample] {
        indices.map { index in
            TagSample.data(index).with {
                $0.sequence = 5000 + UInt16(index)
                $0.firstTime += UInt32(seconds)
                $0.lastTime += UInt32(seconds)
                $0.pcOffset += seconds
                $0.fdOffset += seconds
                $0.position += Double(seconds)
                $0.filling = 9
            }
        }
    }

    private static func merged(_ one: [TagSample], _ other: [TagSample]) -> [TagSample] {
        (one + other).sorted { $0.position < $1.position }
    }

    /// Two runs in parallel at every distance: one finding where the second begins, and none after it.
    @Test(arguments: 0...9) func interleavedRuns_areTrackedSeparately(behind seconds: Int) throws {
        let tags = Self.merged(TagSample.data(0..<12), Self.backup(0..<12, behind: seconds))
        let outcomes = try StreamSample(tags).outcomes()
        #expect(outcomes.hits == [.sequenceStep: .warn])
        #expect(outcomes[.sequenceStep].count == 1)
    }

    @Test func lostTag_inOneOfTwoRuns_fails() throws {
        for index in 2..<10 {
            var one = TagSample.data(0..<12)
            one.remove(at: index)
            let outcomes = try StreamSample(Self.merged(one, Self.backup(0..<12, behind: 3))).outcomes()
            #expect(outcomes.hits == [.sequenceStep: .fail, .timeGap: .fail], "\(index)")
            #expect(outcomes[.sequenceStep].count == 2)
            #expect(outcomes[.sequenceStep].findings.last?.place.sequence == UInt16(101 + index))
        }
    }

    /// The primary inserter keeps counting while only the backup is heard, and then returns.
    @Test func failOver_andBack_warnsEachTime() throws {
        let tags =
            TagSample.data(0..<5) + Self.backup(5..<10, behind: 0) + TagSample.data(10..<15)
        let outcomes = try StreamSample(tags).outcomes()
        #expect(outcomes.hits == [.sequenceStep: .warn])
        #expect(outcomes[.sequenceStep].count == 2)
    }

    /// The primary stopped while the backup was heard and continues at its last number: no time is missing.
    @Test func failOver_backToStoppedRun_hasNoTimeGap() throws {
        let after = (10..<15).map { index in TagSample.data(index).with { $0.sequence -= 5 } }
        let tags = TagSample.data(0..<5) + Self.backup(5..<10, behind: 0) + after
        let outcomes = try StreamSample(tags).outcomes()
        #expect(outcomes.hits == [.sequenceStep: .warn])
        #expect(outcomes[.sequenceStep].count == 1)
    }

    @Test func discontinuity_withContinuousSequence_passes() throws {
        let stream = StreamSample(TagSample.data(0..<12)).with { $0.discontinuities = [6] }
        #expect(try stream.outcomes().hits.isEmpty)
    }

    /// Tags before and after a discontinuity are not compared, regardless of their times.
    @Test func discontinuity_withSequenceStep_warns() throws {
        for (start, shift) in [(300, 0), (300, 5000), (20, 0), (107, 40), (0, 0)] {
            let tags = (0..<12).map { index in
                TagSample.data(index).with { tag in
                    guard index >= 5 else { return }
                    tag.sequence = UInt16(start + index - 5)
                    tag.firstTime += UInt32(shift)
                    tag.lastTime += UInt32(shift)
                    tag.pcCID = Array(31...46)
                }
            }
            let outcomes = try StreamSample(tags).with { $0.discontinuities = [6] }.outcomes()
            #expect(outcomes.hits == [.sequenceStep: .warn], "\(start)")
            #expect(
                outcomes[.sequenceStep].findings.map(\.detail) == [
                    "after sequence 104 comes \(start), not 105 over a discontinuity: content was replaced"
                ])
        }
    }

    /// A break without tags between two discontinuities.
    @Test func discontinuities_aroundBreakWithoutTags_compareAcrossBreak() throws {
        let tags = TagSample.data(0..<5) + TagSample.data(8..<12).map { tag in tag.with { $0.sequence -= 3 } }
        let stream = StreamSample(tags).with { $0.discontinuities = [6, 9] }
        #expect(try stream.outcomes().hits.isEmpty)
    }

    /// Breaks every tag of a stream in each way; the tag still fills its place in the sequence.
    @Test func brokenTag_fillsItsPlaceInSequence() throws {
        for index in 1..<9 {
            for way in 0..<3 {
                var tags = TagSample.data(0..<10)
                tags[index] = tags[index].with { tag in
                    switch way {
                    case 0: tag.checksumError = 1
                    case 1: tag.spoilOwner = { $0[70] = 0x21 }
                    default:
                        // The fields of a blob with an invalid checksum are not trusted.
                        tag.sequence = 40_000
                        tag.checksumError = 7
                    }
                }
                let outcomes = try StreamSample(tags).outcomes()
                #expect(
                    outcomes.hits == [way == 1 ? .tagFormat : .tagChecksum: .fail], "\(index), way \(way)")
            }
        }
    }

    @Test func consecutiveBrokenTags_fillTheirPlacesInSequence() throws {
        for count in 1...5 {
            var tags = TagSample.data(0..<10)
            for index in 2..<2 + count { tags[index].spoilOwner = { $0[70] = 0x21 } }
            let outcomes = try StreamSample(tags).outcomes()
            #expect(outcomes.hits == [.tagFormat: .fail])
            #expect(outcomes[.tagFormat].count == count)
        }
    }

    /// Two tags are affected: one is present but broken, the other was lost.
    @Test func brokenTag_fillsOnlyOnePlace() throws {
        var tags = TagSample.data(0..<10)
        tags[4].spoilOwner = { $0[70] = 0x21 }
        tags.remove(at: 5)
        let outcomes = try StreamSample(tags).outcomes()
        #expect(outcomes[.sequenceStep].count == 1)
        #expect(outcomes[.sequenceStep].findings.first?.place.sequence == 106)
    }

    @Test func brokenTag_doesNotExcuseALongGap() throws {
        var tags = TagSample.data(0..<10)
        tags[4].checksumError = 1
        for index in 5..<10 {
            tags[index].firstTime += 60
            tags[index].lastTime += 60
            tags[index].pcOffset += 60
            tags[index].fdOffset += 60
        }
        #expect(try StreamSample(tags).outcomes().hits == [.tagChecksum: .fail, .timeGap: .warn])
    }

    /// The same bytes in a later segment: one warning, and no other check counts the repeat.
    @Test(arguments: [0.0, 10, 59.5, 60, 60.5, 100]) func repeat_within60Seconds_warnsOnce(later: Double)
        throws
    {
        let tags = TagSample.data(0..<14)
        for index in [2, 3] {
            let again = tags[index].with { tag in
                tag.position += later
                // The packet count would be a finding if the repeat were checked.
                tag.shift = 0
                tag.packetCount = 9
                tag.segment = Int(tag.position / 10) + (later == 0 ? 1 : 0)
            }
            var all = tags
            let place = all.firstIndex { Int($0.position / 10) > (again.segment ?? 0) } ?? all.endIndex
            all.insert(again, at: place)
            let outcomes = try StreamSample(all, seconds: 160).outcomes()
            if later <= 60 {
                #expect(outcomes.hits == [.sequenceStep: .warn], "\(later) s")
                #expect(outcomes[.sequenceStep].count == 1)
                #expect(outcomes[.sequenceStep].findings.first?.detail.contains("the same tag came") == true)
            } else {
                #expect(outcomes[.packetsPerTag].count == 1)
                #expect(outcomes[.timeOverlap].status == .fail)
            }
        }
    }

    @Test func repeat_ofBrokenTag_isReportedOnlyAsRepeat() throws {
        var tags = TagSample.data(0..<8)
        tags[3].checksumError = 1
        tags.insert(tags[3].with { $0.segment = 5 }, at: 4)
        let outcomes = try StreamSample(tags).outcomes()
        #expect(outcomes.hits == [.tagChecksum: .fail, .sequenceStep: .warn])
        #expect(outcomes[.tagChecksum].count == 1)
    }

    @Test func repeats_areNotCountedAsTags() throws {
        var tags = TagSample.data(0..<8)
        tags.insert(tags[3].with { $0.segment = 5 }, at: 4)
        #expect(try StreamSample(tags).verdict().tags.data == 8)
    }

    /// Adjacent tags in the wrong order in the stream, at every place: the PTS determines the order.
    @Test func tags_outOfOrderInStream_areOrderedByPTS() throws {
        for index in 0..<9 {
            var tags = TagSample.data(0..<10).map { tag in tag.with { $0.segment = 5 } }
            tags.swapAt(index, index + 1)
            #expect(try StreamSample(tags, seconds: 110).outcomes().hits.isEmpty, "\(index)")
        }
    }

    @Test func tag_withoutPTS_keepsItsPlaceInSequence() throws {
        for index in 0..<10 {
            var tags = TagSample.data(0..<10)
            tags[index].hasTime = false
            #expect(try StreamSample(tags).outcomes().hits == [.ptsMissing: .fail], "\(index)")
        }
    }

    /// A tag whose PTS is wrong by up to a minute is one finding: its PTS does not determine its place.
    @Test(arguments: [-60.0, -20, 20, 60]) func tag_outOfSyncWithAudio_keepsItsPlaceInSequence(shift: Double)
        throws
    {
        for index in 0..<10 {
            var tags = TagSample.data(0..<10)
            tags[index].shift = shift
            #expect(try StreamSample(tags).outcomes().hits == [.timeAudioSync: .fail], "\(index)")
        }
    }

    @Test func ptsWrap_causesNoFinding() throws {
        for seconds in stride(from: 5.0, to: 100, by: 10) {
            let stream = StreamSample(TagSample.data(0..<10)).with {
                $0.startPTS = MediaTimestamp.transportPeriod - UInt64(seconds * 90_000)
            }
            #expect(try stream.outcomes().hits.isEmpty, "\(seconds)")
        }
    }

    /// The PTS jumps forward or backward without a discontinuity: the run continues, and the clock restarts.
    @Test(arguments: [-1000.0, -45, 45, 1000, 40_000]) func ptsJump_withoutDiscontinuity_causesNoFinding(
        jump: Double
    ) throws {
        let stream = StreamSample(TagSample.data(0..<12)).with {
            $0.jumps = [6: jump]
            $0.startPTS = 90_000 * 2000
        }
        #expect(try stream.outcomes().hits.isEmpty)
    }

    /// A tag that began before a discontinuity and ended after it belongs before it.
    @Test func tag_endingAfterDiscontinuity_belongsBeforeIt() throws {
        let stream = StreamSample(TagSample.data(0..<12)).with { $0.discontinuities = [6] }
        var checker = StreamChecker(source: "x", policy: HealthPolicy())
        for index in 0..<stream.segmentCount {
            var tags: [TagOccurrence] = []
            // The tag of segment 5 is reported with segment 6, before the tag of segment 6.
            if index == 6 { tags.append(try stream.observed(stream.tags[4], in: 5)) }
            if index > 0, index != 5 { tags.append(try stream.observed(stream.tags[index - 1], in: index)) }
            checker.observe(
                SegmentObservation(
                    rendition: RenditionID(0), segment: stream.observed(segment: index), tags: tags))
        }
        #expect(checker.finish().outcomes.hits.isEmpty)
    }
}
