import NielsenID3
import StreamHealth
import Testing
import TimedMedia

@Suite struct PresentationHealthTests {
    /// Reads streams side by side, a segment at a time.
    private static func verdict(
        _ streams: [StreamSample], _ renditions: [RenditionDescription]
    ) throws -> HealthVerdict {
        var presentation = PresentationHealth(
            policy: streams.first?.policy ?? HealthPolicy(), source: "master.m3u8", renditions: renditions)
        var readings: [[(ObservedSegment, [TagOccurrence], Int)]] = []
        for stream in streams {
            var segments: [(ObservedSegment, [TagOccurrence], Int)] = []
            try stream.read { segment, tags, _ in segments.append((segment, tags, stream.otherOwnerCount)) }
            readings.append(segments)
        }
        for index in 0..<(readings.map(\.count).max() ?? 0) {
            for (rendition, segments) in readings.enumerated() where index < segments.count {
                let (segment, tags, others) = segments[index]
                presentation.observe(segment, tags: tags, rendition: rendition, otherOwnerCount: others)
            }
        }
        presentation.finish()
        return presentation.verdict
    }

    private static let names = ["v1", "v2", "a"].map { RenditionDescription(name: $0) }
    private static let clean = StreamSample(TagSample.data(0..<12), seconds: 130)

    @Test func oneRenditionWithoutAName_isTheInputItself() throws {
        var stream = Self.clean
        stream.tags[4].checksumError = 1
        let verdict = try Self.verdict([stream], [])
        #expect(verdict.source == "master.m3u8")
        #expect(verdict.renditions == [])
        #expect(verdict.duration == 130)
        #expect(verdict.segmentCount == 13)
        #expect(verdict.tags.data == 12)
        #expect(verdict.status == .fail)
        #expect(verdict.outcomes.map(\.id) == CheckID.all)
        #expect(verdict.outcomes[.renditionTagsDiffer].status == .notRun)
        #expect(verdict.outcomes == (try stream.outcomes()))
    }

    @Test func renditions_thatCarryTheSame_passAndCountOnce() throws {
        let verdict = try Self.verdict(
            [Self.clean, Self.clean, Self.clean].map { stream in stream.with { $0.otherOwnerCount = 1 } },
            Self.names)
        #expect(verdict.outcomes.hits.isEmpty)
        #expect(verdict.tags.data == 12)
        #expect(verdict.tags.otherOwner == 13)
        #expect(verdict.segmentCount == 39)
        #expect(verdict.renditions == ["v1", "v2", "a"])
        #expect(verdict.outcomes[.renditionTagsDiffer].status == .pass)
    }

    /// One rendition's fault makes the row; the finding says whose.
    @Test func row_isTheWorstOfTheRenditions() throws {
        var broken = Self.clean
        broken.tags[5].breakout = "01"
        broken.tags[7].breakout = "01"
        var other = Self.clean
        other.tags[6].breakout = "01"
        let verdict = try Self.verdict([Self.clean, broken, other], Self.names)
        let row = verdict.outcomes[.tagBreakout]
        #expect(row.status == .fail)
        #expect(row.count == 3)
        #expect(row.findings.map(\.place.rendition) == ["v2", "a", "v2"])
        #expect(row.findings.map(\.place.position) == [60, 70, 80])
    }

    /// Variants without audio and the default audio of their group are one presentation.
    @Test func tags_inTheAudioAlone_areEnoughForItsVariants() throws {
        let silent = StreamSample([], seconds: 130)
        let roles: [RenditionDescription] = [
            .init(name: "v1", role: .video(audio: 2)), .init(name: "v2", role: .video(audio: 2)),
            .init(name: "a", role: .defaultAudio),
        ]
        let verdict = try Self.verdict([silent, silent, Self.clean], roles)
        #expect(verdict.outcomes[.ownerPresent].status == .pass)
        #expect(verdict.outcomes[.tagCount].status == .pass)
        #expect(verdict.outcomes.hits.isEmpty)
        #expect(verdict.tags.data == 12)
        // The same with tags in the variants alone.
        let other = try Self.verdict([Self.clean, Self.clean, silent], roles)
        #expect(other.outcomes.hits.isEmpty)
        // And where one variant lacks them too.
        let half = try Self.verdict([Self.clean, silent, silent], roles)
        #expect(half.outcomes[.ownerPresent].count == 1)
        #expect(half.outcomes[.ownerPresent].findings.first?.place.rendition == "v2")
        #expect(half.outcomes[.renditionTagsDiffer].status == .fail)
    }

    /// Renditions that both carry a tag do not have it twice.
    @Test func count_ofAProgramme_takesATagOnce() throws {
        let few = StreamSample(TagSample.data(0..<4), seconds: 130)
        let roles: [RenditionDescription] = [
            .init(name: "v", role: .video(audio: 1)), .init(name: "a", role: .defaultAudio),
        ]
        let verdict = try Self.verdict([few, few], roles)
        #expect(verdict.outcomes[.tagCount].count == 1)
        #expect(verdict.outcomes[.tagCount].findings.first?.detail.hasPrefix("4 DATA tags in 130 s") == true)
        // Half in one and half in the other are enough together.
        let early = StreamSample(TagSample.data(0..<6), seconds: 130)
        let late = StreamSample(TagSample.data(6..<12), seconds: 130)
        #expect(try Self.verdict([early, late], roles).outcomes[.tagCount].status == .pass)
        #expect(try Self.verdict([early, late], roles).tags.data == 12)
    }

    @Test func renditions_byThemselves_eachNeedTheirTags() throws {
        let silent = StreamSample([], seconds: 130)
        let verdict = try Self.verdict([Self.clean, silent], Array(Self.names.prefix(2)))
        #expect(verdict.outcomes[.ownerPresent].count == 1)
        #expect(verdict.outcomes[.ownerPresent].findings.first?.place.rendition == "v2")
    }

    @Test func otherLanguage_needsNoTags_andItsOwnAreJudged() throws {
        let silent = StreamSample([], seconds: 130)
        let roles: [RenditionDescription] = [.init(name: "v"), .init(name: "fr", role: .other)]
        #expect(try Self.verdict([Self.clean, silent], roles).outcomes.hits.isEmpty)
        let broken = Self.clean.with { $0.tags[3].breakout = "09" }
        #expect(try Self.verdict([Self.clean, broken], roles).outcomes.hits == [.tagBreakout: .fail])
    }

    /// An audio rendition that no variant names, or one that is read alone.
    @Test func audio_byItself_isAProgramme() throws {
        let silent = StreamSample([], seconds: 130)
        let verdict = try Self.verdict([silent], [.init(name: "a", role: .defaultAudio)])
        #expect(verdict.outcomes[.ownerPresent].status == .fail)
    }

    /// INFO tags in one of two renditions of a presentation.
    @Test func info_ofAProgramme_mayComeInEitherRendition() throws {
        let data = StreamSample(TagSample.data(0..<80), seconds: 800)
        let info = StreamSample(
            (0..<3).map { .info(sequence: UInt16(500 + $0), position: 5 + 290 * Double($0)) }, seconds: 800)
        let roles: [RenditionDescription] = [
            .init(name: "v", role: .video(audio: 1)), .init(name: "a", role: .defaultAudio),
        ]
        #expect(try Self.verdict([data, info], roles).outcomes[.infoLate].status == .pass)
        #expect(try Self.verdict([data], [roles[1]]).outcomes[.infoLate].count == 1)
    }

    /// One variant is unread: it has no tags to compare and needs none.
    @Test func rendition_thatCouldNotBeRead_isNotJudged() throws {
        let unread = StreamSample([], seconds: 130).with { $0.unread = Set(0..<13) }
        let verdict = try Self.verdict([Self.clean, unread], Array(Self.names.prefix(2)))
        #expect(verdict.outcomes.hits.isEmpty)
        #expect(verdict.failedSegmentCount == 13)
        #expect(verdict.duration == 130)
    }

    @Test func live_silenceIsThatOfTheProgramme() throws {
        let roles: [RenditionDescription] = [
            .init(name: "v", role: .video(audio: 1)), .init(name: "a", role: .defaultAudio),
        ]
        var presentation = PresentationHealth(source: "x", renditions: roles)
        for index in 0..<13 {
            let wall = 1000 + 10 * Double(index)
            let silent = StreamSample([], seconds: 130)
            presentation.observe(silent.observed(segment: index), tags: [], rendition: 0, at: wall)
            let tags = try Self.clean.tags.filter { Int($0.position / 10) == index }
                .map { try Self.clean.observed($0, in: index) }
            presentation.observe(Self.clean.observed(segment: index), tags: tags, rendition: 1, at: wall)
        }
        #expect(presentation.verdict.outcomes[.presenceSilent].status == .pass)
        presentation.advance(to: 1151)
        #expect(presentation.verdict.outcomes[.presenceSilent].status == .fail)
    }

    @Test func settledFindings_areThoseOfAllRows() throws {
        var lacking = Self.clean
        lacking.tags.remove(at: 5)
        var presentation = PresentationHealth(
            source: "x", renditions: Array(Self.names.prefix(2)), listsSettledFindings: true)
        var settled: [CheckID] = []
        var readings: [[(ObservedSegment, [TagOccurrence])]] = [[], []]
        try Self.clean.read { segment, tags, _ in readings[0].append((segment, tags)) }
        try lacking.read { segment, tags, _ in readings[1].append((segment, tags)) }
        for index in 0..<13 {
            for rendition in 0..<2 {
                presentation.observe(
                    readings[rendition][index].0, tags: readings[rendition][index].1, rendition: rendition)
            }
            settled += presentation.drainSettled().map(\.check)
        }
        presentation.finish()
        settled += presentation.drainSettled().map(\.check)
        #expect(settled.sorted { $0.rawValue < $1.rawValue } == [.renditionTagsDiffer, .sequenceStep])
        #expect(presentation.drainSettled().isEmpty)
    }
}
