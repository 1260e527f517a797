import NielsenID3
import StreamHealth
import Testing

/// `rendition.tags-differ` with tags aligned by position.
@Suite struct RenditionComparisonTagsTests {
    private typealias Presentation = ComparedPresentation

    @Test(arguments: [2, 3, 5], Presentation.Order.allCases)
    func renditions_withTheSameTags_pass(count: Int, order: ComparedPresentation.Order) throws {
        let outcomes = try Presentation.compare(
            Array(repeating: Presentation.tags, count: count), order: order)
        #expect(outcomes.map(\.id) == [.renditionTagsDiffer, .renditionTimeDiffers])
        #expect(outcomes.allSatisfy { $0.status == .pass && $0.count == 0 && $0.reason == nil })
        #expect(outcomes.timeDiffers.limit == CheckOutcome.Limit(value: 0.5, unit: "s"))
        #expect(outcomes.tagsDiffer.limit == nil)
    }

    /// Leaves each tag out of each rendition, in every order of reading.
    @Test(arguments: Presentation.Order.allCases)
    func tag_missingInOneRendition_failsOnceAndNamesRendition(order: ComparedPresentation.Order) throws {
        for rendition in 0..<3 {
            for index in Presentation.tags.indices {
                var renditions = Array(repeating: Presentation.tags, count: 3)
                renditions[rendition].remove(at: index)
                let outcome = try Presentation.compare(renditions, order: order).tagsDiffer
                #expect(outcome.status == .fail)
                #expect(outcome.count == 1)
                let finding = try #require(outcome.findings.first)
                #expect(finding.status == .fail)
                let carriers = (0..<3).filter { $0 != rendition }.map { "v\($0)" }
                #expect(
                    finding.detail
                        == "DATA tag \(50 + index) is in \(carriers[0]) and \(carriers[1]) but not in v\(rendition)."
                )
                #expect(finding.place.rendition == carriers[0])
                #expect(finding.place.sequence == UInt16(50 + index))
                #expect(finding.place.position == Presentation.tags[index].position)
                #expect(finding.place.pts == Presentation.tags[index].pts)
                #expect(finding.place.tagIndex == index)
                #expect(finding.place.segment == "seg\((5 + 10 * index) / 6).ts")
            }
        }
    }

    @Test func rendition_withoutTags_failsForEveryTag() throws {
        let outcomes = try Presentation.compare([Presentation.tags, []])
        #expect(outcomes.tagsDiffer.status == .fail)
        #expect(outcomes.tagsDiffer.count == 12)
        #expect(outcomes.tagsDiffer.findings.map(\.place.sequence) == (50..<62).map { UInt16($0) })
        #expect(outcomes.timeDiffers.status == .notRun)
        #expect(outcomes.timeDiffers.reason == "No tag is in more than one rendition.")
    }

    @Test func tag_withSameSequenceButDifferentBlobOrKind_isDifferent() throws {
        var other = Presentation.tags
        other[4].filling = 8
        other[7].kind = 1
        let outcome = try Presentation.compare([Presentation.tags, other]).tagsDiffer
        #expect(outcome.count == 4)
        #expect(outcome.findings.map(\.place.sequence) == [54, 54, 57, 57])
        #expect(Set(outcome.findings.map(\.place.rendition)) == ["v0", "v1"])
        #expect(outcome.findings.last?.detail == "INFO tag 57 is in v1 but not in v0.")
    }

    @Test func findings_beyondReportLimit_areCountedButNotListed() throws {
        var policy = HealthPolicy()
        policy[.findings] = 5
        let outcome = try Presentation.compare([Presentation.tags, []], policy: policy).tagsDiffer
        #expect(outcome.count == 12)
        #expect(outcome.findings.map(\.place.sequence) == [50, 51, 52, 53, 54])
        policy[.findings] = 0
        let none = try Presentation.compare([Presentation.tags, []], policy: policy).tagsDiffer
        #expect(none.status == .fail)
        #expect(none.findings.isEmpty)
    }

    @Test func comparison_withNothingToCompare_isNotRunWithReason() throws {
        for units in [nil, [[0]], [[0], []], [[0], [0]]] {
            let alone = try Presentation.compare([Presentation.tags], units: units)
            #expect(alone.allSatisfy { $0.status == .notRun && $0.count == 0 })
            #expect(alone.allSatisfy { $0.reason == "There is only one rendition." })
        }
        let empty = try Presentation.compare([[], []])
        #expect(empty.allSatisfy { $0.status == .notRun })
        #expect(empty.tagsDiffer.reason == "No tag is in the time that all renditions cover.")
        let unread = try Presentation.compare([Presentation.tags, []], lengths: [120, 0.5])
        #expect(unread.tagsDiffer.status == .notRun)
    }

    // MARK: Units

    @Test func variantsWithoutAudio_formUnitsWithTheirAudioGroup() throws {
        let units = [[0, 2], [1, 2]]
        let inAudioAlone = try Presentation.compare([[], [], Presentation.tags], units: units)
        #expect(inAudioAlone.tagsDiffer.status == .pass)
        #expect(inAudioAlone.timeDiffers.status == .notRun)
        let inBothVideos = try Presentation.compare([Presentation.tags, Presentation.tags, []], units: units)
        #expect(inBothVideos.tagsDiffer.status == .pass)
        let inOneVideo = try Presentation.compare([[], Presentation.tags, []], units: units).tagsDiffer
        #expect(inOneVideo.count == 12)
        #expect(
            inOneVideo.findings.first?.detail == "DATA tag 50 is in v1 with v2 but not in v0 with v2.")
    }

    /// A variant and its audio carry all tags together, however the tags are split between them.
    @Test func unit_withTagsSplitBetweenRenditions_passes() throws {
        let tags = Array(Presentation.tags.prefix(6))
        for split in 0..<64 {
            let video = tags.enumerated().filter { split >> $0.offset & 1 == 0 }.map(\.element)
            let audio = tags.enumerated().filter { split >> $0.offset & 1 == 1 }.map(\.element)
            let outcomes = try Presentation.compare([video, audio, tags], units: [[0, 1], [2]])
            #expect(outcomes.tagsDiffer.status == .pass)
            #expect(outcomes.timeDiffers.status == .pass)
        }
    }

    @Test func rendition_outsideAllUnits_isNotCompared() throws {
        let outcomes = try Presentation.compare(
            [Presentation.tags, Presentation.tags, []], units: [[0], [1]])
        #expect(outcomes.tagsDiffer.status == .pass)
    }

    // MARK: Coverage

    /// A tag at each half second in turn, only in the first of three renditions; the others are shorter.
    @Test func tag_outsideRangeReadInAllRenditions_isNotCompared() throws {
        for half in 0..<240 {
            let place = Double(half) / 2
            let outcome = try Presentation.compare(
                [[ComparedTag(1, at: place)], [], []], lengths: [120, 60, 90]
            ).tagsDiffer
            #expect((outcome.status == .fail) == (2...58).contains(place), "\(place)")
        }
    }

    @Test func tag_inRangeSkippedInOneRendition_isNotCompared() throws {
        for half in 0..<240 {
            let place = Double(half) / 2
            var comparison = TagComparison(policy: HealthPolicy(), renditions: [nil, nil])
            comparison.observe(try ComparedTag(1, at: place).observed(), rendition: 0)
            comparison.advance(rendition: 0, to: 120)
            comparison.advance(rendition: 1, to: 30)
            comparison.skip(rendition: 1, to: 36)
            comparison.skip(rendition: 1, to: 42)
            comparison.advance(rendition: 1, to: 72)
            comparison.skip(rendition: 1, to: 78)
            comparison.advance(rendition: 1, to: 120)
            comparison.finish()
            let isRead = (2..<28).contains(place) || place > 44 && place < 70 || place > 80 && place <= 118
            #expect((comparison.outcomes[0].status == .fail) == isRead, "\(place)")
            if isRead {
                #expect(
                    comparison.outcomes[0].findings.first?.detail
                        == "DATA tag 1 is in rendition 1 but not in rendition 2.")
            }
        }
    }

    /// A live window that begins three segments later counts its positions from its own start.
    @Test func rendition_thatStartsLater_isComparedAtSamePositions() throws {
        let later = Presentation.tags.filter { $0.position > 18 }.map { tag in
            var tag = tag
            tag.position -= 18
            return tag
        }
        let outcomes = try Presentation.compare(
            [Presentation.tags, later], lengths: [120, 102], starts: [0, 18])
        #expect(outcomes.allSatisfy { $0.status == .pass })
        var short = later
        short.remove(at: 3)
        let missing = try Presentation.compare(
            [Presentation.tags, short], lengths: [120, 102], starts: [0, 18])
        #expect(missing.tagsDiffer.findings.map(\.place.sequence) == [55])
    }

    /// A constant distance moves tags outside of a rendition at its ends; they are not missing.
    @Test func constantOffset_atTheEnds_causesNoMissingTags() throws {
        for distance in [-9.0, -4.5, 4.5, 9.0] {
            for order in Presentation.Order.allCases {
                let moved = Presentation.tags.map { $0.moved(by: Int(distance * 90_000)) }
                let inside = moved.filter { (0..<120).contains($0.position) }
                let outcomes = try Presentation.compare([Presentation.tags, inside], order: order)
                #expect(outcomes.tagsDiffer.status == .pass, "\(distance) \(order)")
                #expect(outcomes.timeDiffers.count == inside.count, "\(distance) \(order)")
            }
        }
    }

    // MARK: Repeats and damage

    /// Up to 60 s later, the same tag is a repeat; after that, it is another tag.
    @Test func repeat_inOneRendition_isNotADifference() throws {
        for (delay, isRepeat) in [
            (0.0, true), (6, true), (59.9, true), (60, true), (60.1, false), (70, false),
        ] {
            for rendition in 0..<2 {
                var renditions = Array(repeating: Presentation.tags, count: 2)
                renditions[rendition].append(ComparedTag(52, at: 25 + delay))
                renditions[rendition].sort { $0.position < $1.position }
                for order in Presentation.Order.allCases {
                    let outcomes = try Presentation.compare(renditions, order: order)
                    #expect(outcomes.tagsDiffer.count == (isRepeat ? 0 : 1), "\(delay) \(order)")
                    #expect(outcomes.timeDiffers.count == 0, "\(delay) \(order)")
                }
            }
        }
    }

    @Test(arguments: ComparedTag.Damage.allCases)
    func damagedTag_fillsItsPlaceAndIsNotCompared(damage: ComparedTag.Damage) throws {
        for index in Presentation.tags.indices {
            var other = Presentation.tags
            other[index].damage = damage
            let outcomes = try Presentation.compare([Presentation.tags, other])
            #expect(outcomes.tagsDiffer.status == .pass, "\(index)")
            // A damaged tag fills only its own place.
            other.remove(at: (index + 1) % 12)
            #expect(try Presentation.compare([Presentation.tags, other]).tagsDiffer.count == 1, "\(index)")
        }
    }

    /// A loop of the same tags in both renditions, with a period above the maximum age of a repeat.
    @Test(arguments: Presentation.Order.allCases)
    func loop_inBothRenditions_passes(order: ComparedPresentation.Order) throws {
        let looped = (0..<4).flatMap { round in
            Presentation.tags.map { tag in
                var tag = tag
                tag.position += Double(120 * round)
                return tag
            }
        }
        let outcomes = try Presentation.compare([looped, looped], lengths: [480, 480], order: order)
        #expect(outcomes.allSatisfy { $0.status == .pass })
        var short = looped
        short.remove(at: 30)
        let missing = try Presentation.compare([looped, short], lengths: [480, 480], order: order).tagsDiffer
        #expect(missing.findings.map(\.place.tagIndex) == [30])
    }

    // MARK: Bounds

    /// More tags than the capacity, with the renditions read one after the other: dropped tags are not missing.
    @Test func tags_beyondCapacity_areReportedAsDropped_notAsMissing() throws {
        let count = 9000
        let tags = (0..<count).map { (index: Int) -> ComparedTag in
            ComparedTag(UInt16(index), at: Double(5 + 10 * index))
        }
        let length = Double(count * 10)
        var short = tags
        short.remove(at: 8000)
        short.remove(at: 100)
        let outcome = try Presentation.compare(
            [tags, short], lengths: [length, length], order: .oneAfterTheOther
        ).tagsDiffer
        #expect(outcome.status == .fail)
        #expect(outcome.findings.map(\.status) == [.pass, .fail])
        #expect(outcome.findings.map(\.place.sequence) == [0, 8000])
        #expect(outcome.informationCount == 1 && outcome.shownCount == 1)
        let inTurn = try Presentation.compare([tags, short], lengths: [length, length]).tagsDiffer
        #expect(inTurn.findings.map(\.place.sequence) == [100, 8000])
    }

    @Test func outcomes_beforeFinish_coverPositionsPassedByAllRenditions() throws {
        var comparison = TagComparison(policy: HealthPolicy(), renditions: ["a", "b"])
        comparison.observe(try ComparedTag(1, at: 10).observed(), rendition: 0)
        for position in stride(from: 6.0, through: 66, by: 6) {
            comparison.advance(rendition: 0, to: position)
            comparison.advance(rendition: 1, to: position)
            #expect(comparison.outcomes[0].status == .notRun, "\(position)")
        }
        comparison.advance(rendition: 0, to: 72)
        #expect(comparison.outcomes[0].status == .notRun)
        comparison.advance(rendition: 1, to: 72)
        #expect(comparison.outcomes[0].status == .fail)
        comparison.finish()
        comparison.observe(try ComparedTag(2, at: 30).observed(), rendition: 0)
        comparison.finish()
        #expect(comparison.outcomes[0].count == 1)
    }

    @Test func tag_atNonFinitePosition_isIgnored() throws {
        var comparison = TagComparison(policy: HealthPolicy(), renditions: ["a", "b"])
        for position in [Double.nan, .infinity, -.infinity] {
            var tag = try ComparedTag(1, at: 10).observed()
            tag.position = position
            comparison.observe(tag, rendition: 0)
            comparison.advance(rendition: 0, to: position == .infinity ? .nan : position)
            comparison.skip(rendition: 0, to: position)
        }
        comparison.finish()
        #expect(comparison.outcomes[0].status == .notRun)
    }
}
