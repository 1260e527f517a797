import ID3v2
import NielsenID3
import StreamHealth
import Testing

@Suite struct CarriageCheckTests {
    private static let clean = StreamSample(TagSample.data(0..<6))

    private static func outcomes(_ facts: @escaping @Sendable (Int, inout CarriageFacts) -> Void) throws
        -> [CheckOutcome]
    {
        try clean.with { $0.facts = facts }.outcomes()
    }

    private static func outcomes(tag change: (inout TagSample) -> Void) throws -> [CheckOutcome] {
        try clean.with { change(&$0.tags[2]) }.outcomes()
    }

    /// An unchanged declaration is one finding, not one per segment; a changed declaration is another finding.
    @Test func pmtDescriptors_thatAreMissing_failOncePerDeclaration() throws {
        for (pointer, descriptor) in [(true, true), (false, true), (true, false), (false, false)] {
            let outcomes = try Self.outcomes { _, facts in
                facts.programs = [.program(pointer: pointer, descriptor: descriptor)]
            }
            let isLawful = pointer && descriptor
            #expect(outcomes[.pmtDescriptors].status == (isLawful ? .pass : .fail))
            #expect(outcomes[.pmtDescriptors].count == (isLawful ? 0 : 1))
            let detail = outcomes[.pmtDescriptors].findings.first?.detail ?? ""
            #expect(detail.contains("0x25") == !pointer)
            #expect(detail.contains("0x26") == !descriptor)
        }
        let changing = try Self.outcomes { index, facts in
            if index > 1 { facts.programs = [.program(pointer: false, descriptor: index > 3)] }
        }
        #expect(changing[.pmtDescriptors].count == 2)
        #expect(changing[.pmtDescriptors].findings.map(\.place.segment) == ["seg2.ts", "seg4.ts"])
    }

    @Test func streamType_otherThan0x15_fails() throws {
        for type in UInt8.min...UInt8.max {
            let outcomes = try Self.outcomes { _, facts in facts.programs = [.program(streamType: type)] }
            #expect(outcomes[.streamType].status == (type == 0x15 ? .pass : .fail))
        }
    }

    @Test func streamID_otherThan0xBD_fails() throws {
        let outcomes = try Self.outcomes(tag: { $0.streamID = 0xFC })
        #expect(outcomes.hits == [.streamType: .fail])
        #expect(
            outcomes[.streamType].findings.first?.detail
                == "the PES packet on PID 258 has stream_id 0xFC: timed ID3 has 0xBD")
    }

    @Test func tagOnAStreamThatIsNotDeclared_fails() throws {
        let outcomes = try Self.outcomes(tag: { $0.isDeclared = false })
        #expect(outcomes.hits == [.streamType: .fail])
        #expect(
            outcomes[.streamType].findings.first?.detail
                == "the PMT does not declare PID 258, which carries the tag, as timed ID3 (stream type 0x15): "
                + "players skip it")
    }

    @Test func pts_thatIsMissing_fails() throws {
        let outcomes = try Self.outcomes(tag: { $0.hasTime = false })
        #expect(outcomes.hits == [.ptsMissing: .fail])
        #expect(outcomes[.ptsMissing].findings.first?.place.tagIndex == 2)
    }

    /// The facts include the PES packets of other owners.
    @Test func pts_missingInPacketsOfOtherOwners_isCountedPerSegment() throws {
        let others = try Self.clean.with {
            $0.facts = { index, facts in if index == 3 { facts.missingPTSCount = 3 } }
            $0.tags[2].hasTime = false
        }.outcomes()[.ptsMissing]
        #expect(others.count == 3)
        #expect(others.findings.map(\.place.tagIndex) == [2, nil])
    }

    @Test func truncatedPESPackets_ofOtherOwners_areCountedPerSegment() throws {
        let outcome = try Self.outcomes { index, facts in
            if index == 1 { facts.truncatedPESCount = 4 }
        }[.pesIncomplete]
        #expect(outcome.status == .fail)
        #expect(outcome.count == 4)
        #expect(outcome.findings.map(\.place.segment) == ["seg1.ts"])
    }

    @Test func tag_notFillingExactlyTwoPackets_warns() throws {
        for count in 1...4 {
            for fills in [true, false] {
                let outcomes = try Self.outcomes(tag: {
                    $0.packetCount = count
                    $0.fillsPackets = fills
                })
                #expect(outcomes.hits == (count == 2 && fills ? [:] : [.packetsPerTag: .warn]))
            }
        }
    }

    @Test func continuityErrors_beyondFindingLimit_areCountedButNotListed() throws {
        let outcome = try Self.outcomes { index, facts in
            guard index == 2 else { return }
            for number in 0..<100 {
                facts.continuityErrors.append(.init(offset: 188 * number, pid: 258, expected: 3, found: 5))
            }
        }[.continuity]
        #expect(outcome.status == .warn)
        #expect(outcome.count == 100)
        #expect(outcome.findings.count == 50)
        #expect(
            outcome.findings[1].detail.contains("at byte 188 the continuity counter of PID 258 is 5, not 3"))
    }

    @Test func transportChecks_onOtherContainers_areNotRun() throws {
        let stream = Self.clean.with { stream in
            stream.facts = { $1.container = .packedAudio(.aac) }
            for index in stream.tags.indices { stream.tags[index].carriage = .packedAudio }
        }
        let outcomes = try stream.outcomes()
        for id in [
            CheckID.pmtDescriptors, .streamType, .ptsMissing, .pesIncomplete, .packetsPerTag, .continuity,
        ] {
            #expect(outcomes[id].status == .notRun, "\(id)")
        }
        #expect(outcomes.hits.isEmpty)
    }

    /// Every scheme with both versions and several values, against the table of forms in use.
    @Test func eventMessage_ofUnknownForm_warns() throws {
        let schemes: [(String, Set<UInt8>, String?)] = [
            ("https://aomedia.org/emsg/ID3", [1], nil), ("www.nielsen.com:id3:v1", [0, 1], "1"),
            ("https://developer.apple.com/streaming/emsg-id3", [1], nil), ("http://www.id3.org/", [0], nil),
            ("urn:example:other", [], nil),
        ]
        for (scheme, versions, required) in schemes {
            for version: UInt8 in [0, 1] {
                for value in ["", "1", "502", "www.nielsen.com:id3:v1"] {
                    let outcomes = try Self.outcomes(tag: {
                        $0.carriage = .eventMessage(
                            .init(schemeIDURI: scheme, value: value, version: version, id: 1, duration: nil))
                    })
                    let isLawful = versions.contains(version) && (required == nil || required == value)
                    #expect(
                        outcomes[.emsgForm].status == (isLawful ? .pass : .warn),
                        "\(scheme) \(value) \(version)")
                    #expect(outcomes[.packetsPerTag].status == .pass)
                }
            }
        }
    }

    /// A scheme may be as long as its box; a finding contains only its beginning.
    @Test func eventMessage_withVeryLongScheme_isTruncatedInFinding() throws {
        // One letter with a hundred thousand accents is one character.
        let scheme = "e" + String(repeating: "\u{301}", count: 100_000)
        let outcomes = try Self.outcomes(tag: {
            $0.carriage = .eventMessage(
                .init(schemeIDURI: scheme, value: "", version: 1, id: 1, duration: nil))
        })
        let finding = try #require(outcomes[.emsgForm].findings.first)
        #expect(finding.detail.unicodeScalars.count < 500)
    }

    @Test func eventMessage_repeatedWithDifferentData_warns() throws {
        let outcome = try Self.outcomes { index, facts in
            if index == 1 { facts.changedEventMessages.append(77) }
        }[.emsgForm]
        #expect(outcome.status == .warn)
        #expect(outcome.findings.first?.detail.contains("event message 77") == true)
    }

    /// Ranges outside Nielsen tags are a warning, and only if they claim to be a tag.
    @Test func malformedRange_outsideNielsenTags_warnsOnlyIfItClaimsToBeATag() throws {
        let rules: [MalformedRule] = [
            .tagExpected, .eventMessageWithoutTag, .noAudioFrame, .tagsTooLong, .section,
        ]
        for rule in rules {
            let outcome = try Self.outcomes { index, facts in
                if index == 0 { facts.malformed.append(.init(offset: 564, length: 12, rule: rule)) }
            }[.id3Malformed]
            let isTag = [.tagExpected, .eventMessageWithoutTag].contains(rule)
            #expect(outcome.status == (isTag ? .warn : .pass))
            #expect(outcome.count == (isTag ? 1 : 0))
        }
    }

    /// Container damage is in the same list as the tags, and may fill the list before them.
    @Test(arguments: [0, 1, 63, 64, 65]) func malformedRanges_beyondListLimit_areCounted(others: Int) throws {
        for count in [1, 63, 64, 65, 1_000] {
            let outcome = try Self.outcomes { index, facts in
                guard index == 0 else { return }
                for offset in 0..<others {
                    facts.malformed.append(.init(offset: offset, length: 188, rule: .syncLost))
                }
                for offset in 0..<count {
                    facts.malformed.append(.init(offset: offset, length: 12, rule: .tagExpected))
                }
            }[.id3Malformed]
            #expect(outcome.status == .warn)
            #expect(outcome.count == count)
            #expect(outcome.findings.count == min(count, HealthPolicy().count(.findings)))
            #expect(outcome.findings.first?.detail.hasSuffix("violate the rule id3.expected") == true)
        }
    }

    @Test func malformedTags_ofOtherOwners_warnWithOffsetAndRule() throws {
        var others = CarriageFacts.Bounded<CarriageFacts.MalformedRange>()
        for index in 0..<70 { others.append(.init(offset: index, length: 20, rule: .frameSize)) }
        var checker = StreamChecker(source: "x", policy: HealthPolicy())
        checker.observe(
            SegmentObservation(
                rendition: RenditionID(0), segment: Self.clean.observed(segment: 0), tags: [],
                otherTagCount: 70,
                malformedOtherTags: others))
        let outcome = checker.finish().outcomes[.id3Malformed]
        #expect(outcome.status == .warn)
        #expect(outcome.count == 70)
        #expect(
            outcome.findings.first?.detail
                == "another owner's tag: 20 bytes at byte 0 of the segment begin like an ID3 tag but violate the rule "
                + "id3.frame-size")
    }
}
