import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// The renditions of a live channel, or its primary and backup, compared tag by tag while they are read.
@Suite struct LiveComparisonTests {
    /// Two renditions or sources that are read in parallel.
    private struct Pair {
        /// The inserter's tags on one side, and the times at which it is read.
        struct Side {
            /// The delay from the other side, in segments.
            var lag = 0
            /// The offsets of its clock and of its positions, in seconds.
            var clockOffset = 0.0
            var positionOffset = 0.0
            /// Whether it lacks a tag, by the index of the tag.
            var lacks: (Int) -> Bool = { _ in false }
            /// The tags with an invalid checksum, by index.
            var spoils: Set<Int> = []
            /// The offset of its sequence numbers.
            var sequenceOffset: UInt16 = 0
            /// The segments that follow a discontinuity, and those that cannot be read.
            var discontinuities: Set<Int> = []
            var failures: Set<Int> = []
            /// The segments of a break without tags.
            var breaks: Range<Int> = 0..<0
            /// The turns in which it is not read.
            var unread: Range<Int> = 0..<0
            /// Whether each tag occurs twice.
            var repeats = false
        }

        var sides = [Side(), Side()]
        var isBackup = false
        /// Whether the second side must have the same tags as the first.
        var isComparable = true
        /// The turns in which the channel is paused.
        var pause: Range<Int>?
        var findings: [(CheckID, Finding)] = []
        var alerts: [String] = []
        /// The number of `ownerPresent` findings.
        var ownerFindingCount = 0

        /// Plays segments of 6 s with a tag every 10 s.
        mutating func play(_ segmentCount: Int) throws {
            let start = SteadyTime(seconds: Double(TagSample.noon))
            var health = ChannelHealth(policy: HealthPolicy(), at: ClockMoment(steady: start))
            let renditions = [RenditionID(0), isBackup ? RenditionID(0, of: .backup) : RenditionID(1)]
            if isBackup {
                health.setRenditions([.init(id: RenditionID(0), name: nil)])
                health.setRenditions([.init(id: RenditionID(0, of: .backup), name: "backup")], of: .backup)
            } else {
                health.setRenditions([
                    .init(id: RenditionID(0), name: "high"),
                    .init(id: RenditionID(1), name: "low", isComparable: isComparable),
                ])
            }
            for turn in 0..<segmentCount {
                let time = start + Double(turn) * 6
                if turn == pause?.lowerBound { health.pause(at: time) }
                if turn == pause?.upperBound { health.resume(at: time) }
                for (side, rendition) in renditions.enumerated() {
                    let number = turn - sides[side].lag
                    guard number >= 0, !sides[side].unread.contains(turn) else { continue }
                    let observation = try self.observation(number, of: sides[side], rendition: rendition)
                    health.observe(observation, at: start + Double(turn + 1) * 6)
                    let (events, changes) = health.drain()
                    for case .finding(let check, let finding) in events {
                        if check.rawValue.hasPrefix("rendition.") { findings.append((check, finding)) }
                        if check == .ownerPresent { ownerFindingCount += 1 }
                    }
                    for change in changes where change.check.rawValue.hasPrefix("rendition.") {
                        alerts.append(change.text.prefix { $0 != " " }.description)
                    }
                }
            }
        }

        private func observation(_ number: Int, of side: Side, rendition: RenditionID) throws
            -> SegmentObservation
        {
            let (start, end) = (Double(number) * 6, Double(number) * 6 + 6)
            var facts = CarriageFacts()
            facts.container = .transportStream(packetSize: 188)
            facts.earliestMediaTime = timestamp(start, of: side)
            facts.latestMediaTime = timestamp(end - 0.02, of: side)
            facts.programs = [.lawful]
            facts.hasAudio = true
            var segment = ObservedSegment(
                name: "s\(number).ts", mediaSequence: UInt64(number), duration: 6,
                position: start + side.positionOffset,
                isDiscontinuity: side.discontinuities.contains(number),
                facts: side.failures.contains(number) ? nil : facts)
            segment.isInBreak = side.breaks.contains(number)
            var tags: [TagOccurrence] = []
            for index in max(0, number * 6 / 10 - 1)...(number * 6 / 10 + 1) {
                let moment = Double(index + 1) * 10
                guard moment > start, moment <= end, !side.lacks(index), segment.facts != nil,
                    !segment.isInBreak
                else {
                    continue
                }
                var sample = TagSample.data(index).with {
                    $0.sequence = 100 + UInt16(index) + side.sequenceOffset
                    $0.position = moment + side.positionOffset
                }
                if side.spoils.contains(index) { sample.checksumError = 1 }
                let occurrence = TagOccurrence(
                    tag: try sample.decoded(),
                    origin: .recording(TagPlace(source: "s", segment: segment.name)),
                    time: timestamp(moment, of: side), seconds: moment + side.clockOffset,
                    carriage: sample.carriage,
                    position: sample.position)
                tags += [TagOccurrence](
                    repeating: TagPolicy().checked(occurrence), count: side.repeats ? 2 : 1)
            }
            return SegmentObservation(rendition: rendition, segment: segment, tags: tags)
        }

        private func timestamp(_ seconds: Double, of side: Side) -> MediaTimestamp {
            MediaTimestamp(pts: UInt64(((seconds + side.clockOffset) * 90_000).rounded()))
        }
    }

    private static func details(_ pair: Pair) -> [String] {
        pair.findings.map { "\($0.0.rawValue): \($0.1.detail)" }
    }

    /// Equal tags cause no finding, regardless of the delay of one side, the origin of its positions and its
    /// interruptions.
    @Test(arguments: [0, 1, 3, 10, 40], [false, true])
    func equalTags_causeNoFinding(lag: Int, isBackup: Bool) throws {
        let changes: [(inout Pair.Side) -> Void] = [
            { _ in }, { $0.positionOffset = -37 }, { $0.repeats = true }, { $0.discontinuities = [20, 33] },
            { $0.failures = [15, 16, 40] }, { $0.breaks = 20..<30 }, { $0.spoils = [4, 9] },
            { $0.clockOffset = isBackup ? 1_000 : 0.4 },
        ]
        for (index, change) in changes.enumerated() {
            for late in 0..<2 {
                for changed in 0..<2 {
                    var pair = Pair()
                    pair.isBackup = isBackup
                    pair.sides[late].lag = lag
                    change(&pair.sides[changed])
                    try pair.play(120)
                    #expect(
                        pair.findings.count == 0,
                        "change \(index), \(late) late, \(changed): \(Self.details(pair))")
                }
            }
        }
    }

    @Test(arguments: [0, 1], [0, 3])
    func tag_missingOnOneSide_isReportedOnce(side: Int, lag: Int) throws {
        for isBackup in [false, true] {
            var pair = Pair()
            pair.isBackup = isBackup
            pair.sides[1].lag = lag
            pair.sides[side].lacks = { $0 == 20 }
            try pair.play(80)
            let names = isBackup ? ["the primary", "the backup"] : ["high", "low"]
            #expect(
                Self.details(pair) == [
                    "rendition.tags-differ: DATA tag 120 is in \(names[1 - side]) but not in \(names[side])."
                ])
            #expect(pair.findings.first?.1.status == .fail && pair.alerts.isEmpty)
            let carriers = [RenditionID(0), isBackup ? RenditionID(0, of: .backup) : RenditionID(1)]
            #expect(pair.findings.first?.1.place.renditionID == carriers[1 - side])
        }
    }

    /// At the start, the window of one rendition is read before that of another, which may contain the missing tags.
    @Test(arguments: [(7, 0), (40, 1)])
    func missingOwner_beforeOtherRenditionIsReadOrAMinutePasses_isNotReported(
        unread: Int, count: Int
    ) throws {
        var pair = Pair()
        pair.sides[0].lacks = { _ in true }
        pair.sides[1].unread = 0..<unread
        try pair.play(40)
        #expect(pair.ownerFindingCount == count)
    }

    /// For example, the audio of another language.
    @Test func rendition_notRequiredToHaveSameTags_isNotCompared() throws {
        for isComparable in [false, true] {
            var pair = Pair()
            pair.isComparable = isComparable
            pair.sides[1].lacks = { _ in true }
            try pair.play(60)
            #expect(pair.findings.isEmpty != isComparable, "\(Self.details(pair))")
        }
    }

    /// Tags that only one side delivered before a pause are not missing on the other side after it.
    @Test(arguments: [false, true]) func pause_causesNoDifference(isBackup: Bool) throws {
        var pair = Pair()
        pair.isBackup = isBackup
        pair.sides[1].lag = 10
        pair.pause = 40..<60
        try pair.play(120)
        #expect(pair.findings.isEmpty, "\(Self.details(pair))")
    }

    @Test func everyThirdTag_missingOnOneSide_raisesAlert() throws {
        var pair = Pair()
        pair.sides[1].lacks = { $0 % 3 == 0 && (10..<30).contains($0) }
        try pair.play(100)
        #expect(pair.findings.count == 6)
        #expect(pair.alerts.first == "raise" && pair.alerts.last == "clear")
    }

    /// The tags are missing from the start, or from a later time on.
    @Test(arguments: [0, 20], [0, 1])
    func sideWithoutTags_isReportedOnce_andAlertStaysOpenUntilTagsReturn(first: Int, side: Int) throws {
        var pair = Pair()
        pair.sides[side].lacks = { (first..<60).contains($0) }
        try pair.play(140)
        let names = ["high", "low"]
        #expect(pair.findings.count == 1, "\(Self.details(pair))")
        #expect(
            Self.details(pair).first?.contains("; \(names[side]) has none of them.") == true,
            "\(Self.details(pair))")
        #expect(pair.alerts == ["raise", "clear"])
    }

    /// Two inserters: equal times, different numbers.
    @Test func tagsOfAnotherInserter_areReportedOnce() throws {
        for isBackup in [false, true] {
            var pair = Pair()
            pair.isBackup = isBackup
            pair.sides[1].sequenceOffset = 5_000
            try pair.play(60)
            #expect(pair.findings.count == 1)
            #expect(Self.details(pair).first?.hasSuffix("for the same time, with none in common.") == true)
            #expect(pair.alerts == ["raise"])
        }
    }

    /// For example, a backup after the primary has recovered.
    ///
    /// When the side is read again, the difference is found again.
    @Test func difference_fromUnreadSide_isCleared_andReportedAgainOnceItIsRead() throws {
        for side in [0, 1] {
            var pair = Pair()
            pair.isBackup = true
            pair.sides[1].sequenceOffset = 5_000
            pair.sides[side].unread = 40..<100
            try pair.play(100)
            #expect(pair.findings.count == 1, "\(Self.details(pair))")
            #expect(pair.alerts == ["raise", "clear"])
            pair.findings = []
            pair.alerts = []
            try pair.play(140)
            #expect(pair.findings.count == 2, "\(Self.details(pair))")
            #expect(pair.alerts == ["raise", "clear", "raise"])
        }
    }

    @Test func tag_atDifferentTime_isReportedBetweenRenditions_butNotBetweenSources() throws {
        for isBackup in [false, true] {
            var pair = Pair()
            pair.isBackup = isBackup
            pair.sides[1].clockOffset = 0.6
            try pair.play(10)
            #expect(pair.findings.count == (isBackup ? 0 : 6), "\(Self.details(pair))")
            guard !isBackup else { continue }
            #expect(
                Self.details(pair).first
                    == "rendition.time-differs: DATA tag 100 is 0.6 s after its position in high (presentation time); "
                    + "the limit is 0.5 s.")
        }
    }
}
