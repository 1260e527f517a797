import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// One presentation from two sources, aligned by the contents of the tags.
@Suite struct RenditionComparisonContentTests {
    private typealias Presentation = ComparedPresentation

    private func compare(
        _ one: [ComparedTag], _ other: [ComparedTag], lengths: [Double] = [120, 120],
        order: ComparedPresentation.Order = .inTurn
    ) throws -> [CheckOutcome] {
        try Presentation.compare([one, other], lengths: lengths, hasCommonTimeline: false, order: order)
    }

    /// Returns the tags from `from` on, in a source whose presentation begins `offset` seconds later.
    private func tags(
        from: Int = 0, offset: Double = 0, ticks: Int = 0
    ) -> [ComparedTag] {
        Presentation.tags.dropFirst(from).map { tag in
            var tag = tag
            tag.position -= offset
            if let pts = tag.pts { tag.pts = UInt64(Int(pts) + ticks) }
            return tag
        }
    }

    @Test(arguments: Presentation.Order.allCases)
    func sources_startingAtDifferentPositions_pass(order: ComparedPresentation.Order) throws {
        for from in 0..<11 {
            let offset = Double(10 * from)
            let other = tags(from: from, offset: offset)
            for (one, two, lengths) in [
                (Presentation.tags, other, [120, 120 - offset]),
                (other, Presentation.tags, [120 - offset, 120]),
            ] {
                let outcomes = try compare(one, two, lengths: lengths, order: order)
                #expect(outcomes.allSatisfy { $0.status == .pass && $0.count == 0 }, "\(from)")
            }
        }
    }

    /// Leaves out every tag except the first common one, in either source.
    @Test func tag_missingInOneSource_failsOnce() throws {
        for from in [0, 3] {
            let offset = Double(10 * from)
            for index in (from + 1)..<12 {
                let whole = tags(from: from, offset: offset)
                let cut = whole.filter { $0.sequence != UInt16(50 + index) }
                let first = try compare(Presentation.tags, cut, lengths: [120, 120 - offset]).tagsDiffer
                #expect(first.status == .fail && first.count == 1)
                #expect(first.findings.first?.place.sequence == UInt16(50 + index))
                #expect(first.findings.first?.detail == "DATA tag \(50 + index) is in v0 but not in v1.")
                var rest = Presentation.tags
                rest.remove(at: index)
                let second = try compare(rest, whole, lengths: [120, 120 - offset]).tagsDiffer
                #expect(second.status == .fail && second.count == 1)
                #expect(second.findings.first?.detail == "DATA tag \(50 + index) is in v1 but not in v0.")
            }
        }
    }

    /// Timestamps with a constant offset: one finding, as information.
    @Test func constantOffset_isReportedOnceAsInformation() throws {
        for ticks in [45_001, 900_000, 123_456_789, -45_001, -900_000] {
            let outcome = try compare(Presentation.tags, tags(ticks: ticks)).timeDiffers
            #expect(outcome.status == .pass)
            #expect(outcome.count == 1)
            #expect(outcome.findings.map(\.status) == [.pass])
        }
        let finding = try compare(Presentation.tags, tags(ticks: 900_000)).timeDiffers.findings.first
        #expect(finding?.detail == "Presentation time in v1 is 10 s after that in v0, for every tag.")
        for ticks in [0, 45_000, -45_000] {
            #expect(try compare(Presentation.tags, tags(ticks: ticks)).timeDiffers.count == 0)
        }
    }

    /// One displaced tag passes at the limit and fails beyond it, at every index.
    @Test func displacedTag_failsOnce() throws {
        for index in 1..<12 {
            for (ticks, count) in [(45_000, 0), (45_001, 1), (-45_001, 1), (450_000, 1)] {
                var other = tags(ticks: 900_000)
                other[index] = other[index].moved(by: ticks)
                other.sort { $0.position < $1.position }
                let outcome = try compare(Presentation.tags, other, lengths: [120, 130]).timeDiffers
                let failures = outcome.findings.filter { $0.status == .fail }
                #expect(failures.count == count, "\(index) \(ticks)")
                #expect(failures.allSatisfy { $0.place.sequence == UInt16(50 + index) })
                #expect(failures.allSatisfy { $0.detail.contains("only here") })
            }
        }
    }

    /// A distance that lasts from a tag on is one finding at that tag, not one per tag.
    @Test func offset_thatChangesPermanently_failsOnce() throws {
        for index in 1..<11 {
            let other = Presentation.tags.enumerated().map {
                $0.offset < index ? $0.element : $0.element.moved(by: 180_000)
            }
            let outcome = try compare(Presentation.tags, other, lengths: [120, 122]).timeDiffers
            #expect(outcome.status == .fail)
            #expect(outcome.count == 1)
            #expect(outcome.findings.first?.place.sequence == UInt16(50 + index))
            #expect(outcome.findings.first?.detail.contains("from here on") == true)
        }
    }

    /// Timestamps restart in one source while media time continues as in the other: information.
    @Test func timestampReset_inOneSource_isInformational() throws {
        for index in 1..<12 {
            let other = Presentation.tags.enumerated().map { entry in
                var tag = entry.element
                if entry.offset >= index { tag.pts = UInt64((tag.position - 5) * 90_000) }
                return tag
            }
            let outcome = try compare(Presentation.tags, other).timeDiffers
            #expect(outcome.status == .pass)
            #expect(outcome.count == 1)
            #expect(outcome.findings.first?.place.sequence == UInt16(50 + index))
        }
    }

    /// Content of 30 s without tags, inserted into one source: the tags agree, and the change is reported once.
    @Test func insertedContent_causesOneFinding() throws {
        let other = Presentation.tags.enumerated().map {
            $0.offset < 5 ? $0.element : $0.element.moved(by: 2_700_000)
        }
        for order in Presentation.Order.allCases {
            let outcomes = try compare(Presentation.tags, other, lengths: [120, 150], order: order)
            #expect(outcomes.tagsDiffer.status == .pass)
            #expect(outcomes.timeDiffers.count == 1)
        }
    }

    @Test func source_withoutTags_failsOnce() throws {
        for (one, other) in [(Presentation.tags, []), ([], Presentation.tags)] {
            let outcomes = try compare(one, other)
            #expect(outcomes.tagsDiffer.status == .fail)
            #expect(outcomes.tagsDiffer.count == 1)
            #expect(outcomes.tagsDiffer.findings.first?.detail.contains("has 12 tags; v") == true)
            #expect(outcomes.timeDiffers.status == .notRun)
        }
        #expect(try compare([], []).allSatisfy { $0.status == .notRun })
        var unread = TagComparison(
            policy: HealthPolicy(), renditions: ["a", "b"], hasCommonTimeline: false)
        try Presentation.feed([Presentation.tags], to: &unread)
        unread.finish()
        #expect(unread.outcomes.tagsDiffer.status == .notRun)
    }

    @Test func sources_withoutCommonTags_failIfTheirTagTimesOverlap() throws {
        let strange = Presentation.tags.map { tag in
            var tag = tag
            tag.filling = 9
            return tag
        }
        let outcome = try compare(Presentation.tags, strange).tagsDiffer
        #expect(outcome.status == .fail)
        #expect(outcome.count == 1)
        #expect(outcome.findings.first?.detail.contains("none in common") == true)
        let later = strange.map { tag in
            var tag = tag
            tag.firstTime += 3600
            return tag
        }
        let outcomes = try compare(Presentation.tags, later)
        #expect(outcomes.allSatisfy { $0.status == .notRun && $0.count == 0 })
        #expect(outcomes.tagsDiffer.reason?.contains("from different times") == true)
    }

    /// A source may consist of a variant and its audio.
    @Test func sources_ofSeveralRenditions_areComparedAsUnits() throws {
        let video = Presentation.tags.filter { $0.sequence % 2 == 0 }
        let audio = Presentation.tags.filter { $0.sequence % 2 == 1 }
        let outcomes = try Presentation.compare(
            [video, audio, tags(ticks: 900_000)], units: [[0, 1], [2]], hasCommonTimeline: false)
        #expect(outcomes.tagsDiffer.status == .pass)
        #expect(outcomes.tagsDiffer.count == 0)
        #expect(outcomes.timeDiffers.count == 1)
        let missing = try Presentation.compare(
            [video, audio, tags()].map { $0.filter { $0.sequence != 55 } } + [Presentation.tags],
            units: [[0, 1], [3]], hasCommonTimeline: false)
        #expect(missing.tagsDiffer.count == 1)
        #expect(missing.tagsDiffer.findings.first?.detail == "DATA tag 55 is in v3 but not in v0 with v1.")
    }

    @Test func tags_damagedOrInSkippedRange_areNotReportedMissing() throws {
        var comparison = TagComparison(
            policy: HealthPolicy(), renditions: ["a", "b"], hasCommonTimeline: false)
        for tag in Presentation.tags { comparison.observe(try tag.observed(), rendition: 0) }
        comparison.advance(rendition: 0, to: 120)
        for (index, tag) in Presentation.tags.enumerated() {
            var tag = tag
            if index == 9 { tag.damage = .checksum }
            if index == 5 {
                comparison.advance(rendition: 1, to: 54)
                comparison.skip(rendition: 1, to: 60)
            } else if index != 7 {
                comparison.observe(try tag.observed(), rendition: 1)
            }
        }
        comparison.advance(rendition: 1, to: 120)
        comparison.finish()
        #expect(comparison.outcomes.tagsDiffer.findings.map(\.place.sequence) == [57])
    }

    @Test func tags_beyondCapacity_areSkippedWithAFinding() throws {
        let tags = (0..<8200).map { (index: Int) -> ComparedTag in
            ComparedTag(UInt16(index), at: Double(5 + 10 * index))
        }
        let outcome = try compare(tags, Array(tags.dropLast(5)), lengths: [82_000, 82_000]).tagsDiffer
        #expect(outcome.status == .pass)
        #expect(outcome.findings.map(\.status) == [.pass, .pass])
        #expect(outcome.findings.map(\.place.sequence) == [8192, 8192])
    }

    /// The row of a check that failed counts information apart.
    @Test func information_besideAFailure_isCountedApart() throws {
        var other = tags()
        for index in 8..<12 { other[index].pts = UInt64((other[index].position - 5) * 90_000) }
        other[3] = other[3].moved(by: 450_000)
        let outcome = try compare(Presentation.tags, other).timeDiffers
        #expect(outcome.findings.map(\.status) == [.fail, .pass])
        #expect(outcome.count == 2 && outcome.informationCount == 1 && outcome.shownCount == 1)
    }

    /// As many damaged tags as others are remembered, however long the sources are.
    @Test func damagedTags_inAllOfOneSource_fillTheirPositions() throws {
        let count = 400
        let whole = (0..<count).map { (index: Int) -> ComparedTag in
            ComparedTag(UInt16(index), at: Double(5 + 10 * index))
        }
        var damaged = whole
        for index in 1..<(count - 1) { damaged[index].damage = .checksum }
        for order in [ComparedPresentation.Order.oneAfterTheOther, .lastFirst] {
            for hasCommonTimeline in [true, false] {
                let outcome = try Presentation.compare(
                    [whole, damaged], lengths: [4_000, 4_000], hasCommonTimeline: hasCommonTimeline,
                    order: order
                ).tagsDiffer
                #expect(outcome.status == .pass && outcome.count == 0)
            }
        }
    }
}
