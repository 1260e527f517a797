import ID3v2
import NielsenID3
import StreamHealth
import Testing

@Suite struct PresentationCheckerTests {
    /// A rendition of the presentation: its name, and the name of its audio rendition if its own segments have no
    /// audio.
    private struct Role {
        var name: String?
        var audio: String?
    }

    /// Reads streams in parallel, one segment at a time.
    private static func verdict(_ streams: [StreamSample], _ roles: [Role]) throws -> HealthVerdict {
        var checker = StreamChecker(
            outline(roles), policy: streams.first?.policy ?? HealthPolicy())
        for observation in try observations(streams, roles) { checker.observe(observation) }
        return checker.finish()
    }

    private static func outline(_ roles: [Role]) -> PresentationOutline {
        PresentationOutline(
            source: "master.m3u8", renditions: roles.map { .init(name: $0.name, audioName: $0.audio) })
    }

    private static func observations(
        _ streams: [StreamSample], _ roles: [Role]
    ) throws -> [SegmentObservation] {
        let readings = try zip(streams, roles).enumerated().map { index, reading in
            try reading.0.with { stream in
                if reading.1.audio != nil { stream.facts = { $1.hasAudio = false } }
            }.observations(rendition: index)
        }
        let count = readings.map(\.count).max() ?? 0
        return (0..<count).flatMap { segment in
            readings.compactMap { segment < $0.count ? $0[segment] : nil }
        }
    }

    private static let names = ["v1", "v2", "a"].map { Role(name: $0) }
    private static let clean = StreamSample(TagSample.data(0..<12), seconds: 130)

    @Test func singleUnnamedRendition_representsTheInput() throws {
        var stream = Self.clean
        stream.tags[4].checksumError = 1
        let verdict = try Self.verdict([stream], [Role()])
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

    @Test func renditions_withEqualTags_passAndCountTagsOnce() throws {
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

    /// A violation in one rendition determines the row; the finding names the rendition.
    @Test func outcome_ofSeveralRenditions_hasWorstStatusAndAllFindings() throws {
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

    /// Variants without audio and the default audio of their group form one unit.
    @Test func tags_onlyInAudio_areEnoughForVariantsWithoutAudio() throws {
        let silent = StreamSample([], seconds: 130)
        let roles: [Role] = [
            .init(name: "v1", audio: "a"), .init(name: "v2", audio: "a"), .init(name: "a"),
        ]
        let verdict = try Self.verdict([silent, silent, Self.clean], roles)
        #expect(verdict.outcomes[.ownerPresent].status == .pass)
        #expect(verdict.outcomes[.tagCount].status == .pass)
        #expect(verdict.outcomes.hits.isEmpty)
        #expect(verdict.tags.data == 12)
        // The same with tags in the variants alone.
        let other = try Self.verdict([Self.clean, Self.clean, silent], roles)
        #expect(other.outcomes.hits.isEmpty)
        // One variant lacks the tags too.
        let half = try Self.verdict([Self.clean, silent, silent], roles)
        #expect(half.outcomes[.ownerPresent].count == 1)
        #expect(half.outcomes[.ownerPresent].findings.first?.place.rendition == "v2")
        #expect(half.outcomes[.renditionTagsDiffer].status == .fail)
    }

    /// A tag that both renditions carry counts once.
    @Test func count_ofUnit_includesSharedTagOnce() throws {
        let few = StreamSample(TagSample.data(0..<4), seconds: 130)
        let roles: [Role] = [.init(name: "v", audio: "a"), .init(name: "a")]
        let verdict = try Self.verdict([few, few], roles)
        #expect(verdict.outcomes[.tagCount].count == 1)
        #expect(verdict.outcomes[.tagCount].findings.first?.detail.hasPrefix("4 DATA tags in 130 s") == true)
        // Half of the tags in each rendition are enough together.
        let early = StreamSample(TagSample.data(0..<6), seconds: 130)
        let late = StreamSample(TagSample.data(6..<12), seconds: 130)
        #expect(try Self.verdict([early, late], roles).outcomes[.tagCount].status == .pass)
        #expect(try Self.verdict([early, late], roles).tags.data == 12)
    }

    @Test func independentRenditions_eachNeedTags() throws {
        let silent = StreamSample([], seconds: 130)
        let verdict = try Self.verdict([Self.clean, silent], Array(Self.names.prefix(2)))
        #expect(verdict.outcomes[.ownerPresent].count == 1)
        #expect(verdict.outcomes[.ownerPresent].findings.first?.place.rendition == "v2")
    }

    /// An audio rendition that no variant names, or one that is read alone.
    @Test func standaloneAudio_formsItsOwnUnit() throws {
        let silent = StreamSample([], seconds: 130)
        let verdict = try Self.verdict([silent], [.init(name: "a")])
        #expect(verdict.outcomes[.ownerPresent].status == .fail)
    }

    /// INFO tags in one of the two renditions of a unit.
    @Test func info_inEitherRenditionOfAUnit_passes() throws {
        let data = StreamSample(TagSample.data(0..<80), seconds: 800)
        let info = StreamSample(
            (0..<3).map { .info(sequence: UInt16(500 + $0), position: 5 + 290 * Double($0)) }, seconds: 800)
        let roles: [Role] = [.init(name: "v", audio: "a"), .init(name: "a")]
        #expect(try Self.verdict([data, info], roles).outcomes[.infoLate].status == .pass)
        #expect(try Self.verdict([data], [roles[1]]).outcomes[.infoLate].count == 1)
    }

    /// A variant that was not read has no tags to compare and needs none.
    @Test func unreadableRendition_isNotChecked() throws {
        let unread = StreamSample([], seconds: 130).with { $0.unread = Set(0..<13) }
        let verdict = try Self.verdict([Self.clean, unread], Array(Self.names.prefix(2)))
        #expect(verdict.outcomes.hits.isEmpty)
        #expect(verdict.failedSegmentCount == 13)
        #expect(verdict.duration == 130)
    }

    @Test func settledFindings_includeRenditionComparison() throws {
        var lacking = Self.clean
        lacking.tags.remove(at: 5)
        let roles = Array(Self.names.prefix(2))
        var checker = StreamChecker(Self.outline(roles), listsSettledFindings: true)
        var settled: [CheckID] = []
        for observation in try Self.observations([Self.clean, lacking], roles) {
            checker.observe(observation)
            settled += checker.drainSettledFindings().map(\.check)
        }
        _ = checker.finish()
        settled += checker.drainSettledFindings().map(\.check)
        #expect(settled.sorted { $0.rawValue < $1.rawValue } == [.renditionTagsDiffer, .sequenceStep])
        #expect(checker.drainSettledFindings().isEmpty)
    }
}
