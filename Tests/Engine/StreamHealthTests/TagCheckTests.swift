import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// The checks of a single tag.
@Suite struct TagCheckTests {
    /// Returns the outcomes for a stream of six tags after a change of the third.
    private static func outcomes(_ change: (inout TagSample) -> Void) throws -> [CheckOutcome] {
        var tags = TagSample.data(0..<6)
        change(&tags[2])
        return try StreamSample(tags).outcomes()
    }

    private static func infoOutcomes(_ change: (inout TagSample) -> Void) throws -> [CheckOutcome] {
        let info = TagSample.info(sequence: 99, position: 1).with(change)
        return try StreamSample([info] + TagSample.data(0..<6)).outcomes()
    }

    @Test func invalidChecksum_fails_withStoredAndComputedValue() throws {
        let sample = TagSample.data(2).with { $0.checksumError = 1 }
        let tag = try sample.decoded()
        let outcomes = try Self.outcomes { $0.checksumError = 1 }
        #expect(outcomes.hits == [.tagChecksum: .fail])
        let finding = try #require(outcomes[.tagChecksum].findings.first)
        let computed = try #require(tag.computedChecksum)
        func hex(_ number: UInt16) -> String {
            let digits = String(number, radix: 16)
            return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        #expect(finding.detail == "stored \(hex(computed &+ 1)), computed \(hex(computed))")
        #expect(finding.place.segment == "seg3.ts")
        #expect(finding.place.mediaSequence == 3)
        #expect(finding.place.position == 30)
        #expect(finding.place.seconds == 40)
        #expect(finding.place.pts == 40 * 90_000)
        #expect(finding.place.sequence == 102)
        #expect(finding.place.tagIndex == 2)
    }

    @Test(arguments: ["01", "10", "99"]) func breakout_otherThan00_fails(breakout: String) throws {
        let outcomes = try Self.outcomes { $0.breakout = breakout }
        #expect(outcomes.hits == [.tagBreakout: .fail])
        #expect(outcomes[.tagBreakout].findings.first?.detail == "the breakout is \(breakout), not 00")
    }

    @Test func invalidFormat_failsAndNamesPieceAndCharacter() throws {
        let outcomes = try Self.outcomes { $0.spoilOwner = { $0[19] = UInt8(ascii: "+") } }
        #expect(outcomes.hits == [.tagFormat: .fail])
        #expect(outcomes[.tagFormat].findings.first?.detail.contains("PC CID, character 19") == true)
    }

    /// Another length moves the tail and contradicts the sizes in the header: one fault, one finding.
    @Test func format_withWrongLength_hasHeaderAndTailAsConsequences() throws {
        let outcomes = try Self.outcomes { $0.spoilOwner = { $0.removeLast() } }
        #expect(outcomes.hits == [.tagFormat: .fail, .tagHeader: .fail, .tagTail: .fail])
        #expect(outcomes[.tagHeader].findings.isEmpty)
        #expect(outcomes[.tagHeader].consequenceCount == 1)
        #expect(outcomes[.tagTail].findings.isEmpty)
        #expect(outcomes[.tagFormat].findings.first?.consequences.map(\.check) == [.tagHeader, .tagTail])
    }

    @Test func header_withoutItsFlag_fails() throws {
        let outcomes = try Self.outcomes { $0.spoil = { $0[5] = 0 } }
        #expect(outcomes.hits == [.tagHeader: .fail])
    }

    @Test func tail_withWrongLetter_fails() throws {
        let outcomes = try Self.outcomes { $0.spoil = { $0[270] = 0x42 } }
        #expect(outcomes.hits == [.tagTail: .fail])
    }

    /// Without its zero byte, the owner identifier extends to the end of the tag.
    @Test func tail_withoutZeroByte_hasFormatAsConsequence() throws {
        let outcomes = try Self.outcomes { $0.spoil = { $0[269] = 0x30 } }
        #expect(outcomes.hits == [.tagTail: .fail, .tagFormat: .fail])
        #expect(outcomes[.tagTail].findings.first?.consequences.map(\.check) == [.tagFormat])
    }

    @Test func frame_beyondEndOfTag_failsWithOffsetAndRule() throws {
        let outcomes = try Self.outcomes { $0.spoil = { $0[17] = 0x7F } }
        #expect(outcomes.hits == [.id3Malformed: .fail, .tagHeader: .fail])
        let finding = try #require(outcomes[.id3Malformed].findings.first)
        #expect(finding.detail == "at byte 10 the tag violates the ID3v2 rule id3.frame-beyond-tag")
        #expect(finding.consequences.map(\.check) == [.tagHeader])
        #expect(outcomes[.tagHeader].findings.isEmpty)
    }

    @Test func sizes_notSynchsafe_warn() throws {
        let outcomes = try Self.outcomes { tag in
            tag.spoil = { bytes in
                bytes.replaceSubrange(6..<10, with: [0, 0, 1, 5])
                bytes.replaceSubrange(14..<18, with: [0, 0, 0, 0xFB])
            }
        }
        #expect(outcomes[.id3Malformed].status == .warn)
        #expect(outcomes[.id3Malformed].findings.first?.detail.contains("plain-tag-size") == true)
        #expect(outcomes[.tagHeader].consequenceCount == 1)
    }

    /// Every duration with every count of unused blocks, and an INFO tag, which has no duration.
    @Test func duration_beyondItsLimits_fails() throws {
        for seconds in [-1, 0, 3, 4, 5, 11, 12, 13, 60] {
            for unused in [0, 1, 7] {
                let outcomes = try StreamSample([
                    TagSample.data(0).with {
                        $0.lastTime = UInt32(Int($0.firstTime) + seconds)
                        $0.unusedBlockCount = unused
                    }
                ]).outcomes()
                let isHit = seconds > 12 || seconds < 4 && unused > 0
                #expect(outcomes[.timeDuration].status == (isHit ? .fail : .pass), "\(seconds) s, \(unused)")
            }
        }
        let info = try Self.infoOutcomes { $0.lastTime += 60 }
        #expect(info[.timeDuration].status == .pass)
        let alone = try StreamSample([.info(sequence: 1, position: 1)]).outcomes()
        #expect(alone[.timeDuration].status == .notRun)
    }

    @Test func duration_usesPolicyLimits() throws {
        var stream = StreamSample(TagSample.data(0..<3))
        stream.policy[.longestTag] = 9
        #expect(try stream.outcomes()[.timeDuration].count == 3)
        stream.policy[.longestTag] = 12
        stream.policy[.shortestTag] = 11
        #expect(try stream.outcomes()[.timeDuration].count == 3)
    }

    @Test func info_withACID_fails() throws {
        for isPC in [true, false] {
            let outcomes = try Self.infoOutcomes {
                if isPC { $0.pcCID = Array(1...16) } else { $0.fdCID = Array(1...16) }
            }
            #expect(outcomes.hits == [.infoCIDs: .fail])
            #expect(outcomes[.infoCIDs].findings.first?.detail.contains(isPC ? "PC CID" : "FD CID") == true)
        }
    }

    @Test func info_withAnOffset_fails() throws {
        for isPC in [true, false] {
            let outcomes = try Self.infoOutcomes { if isPC { $0.pcOffset = 1 } else { $0.fdOffset = 1 } }
            #expect(outcomes.hits == [.infoOffsets: .fail])
        }
    }

    @Test func infoChecks_withoutInfoTags_areNotRun() throws {
        let outcomes = try StreamSample(TagSample.data(0..<6)).outcomes()
        #expect(outcomes[.infoCIDs].status == .notRun)
        #expect(outcomes[.infoOffsets].status == .notRun)
        let ok = try Self.infoOutcomes { _ in }
        #expect(ok[.infoCIDs].status == .pass)
        #expect(ok[.infoOffsets].status == .pass)
    }

    @Test func offset_ofNullCID_failsUnlessZero() throws {
        for isPC in [true, false] {
            for offset in [0, 1, 99_999] {
                let outcomes = try Self.outcomes {
                    if isPC { $0.pcCID = TagSample.null } else { $0.fdCID = TagSample.null }
                    if isPC { $0.pcOffset = offset } else { $0.fdOffset = offset }
                }
                #expect(outcomes.hits == (offset == 0 ? [:] : [.offsetOfNull: .fail]))
            }
        }
    }

    /// A DATA tag whose fields violate every rule: only the defect of its form is reported.
    @Test func brokenTag_isCheckedOnlyForItsForm() throws {
        func spoil(_ tag: inout TagSample) {
            tag.pcCID = TagSample.null
            tag.lastTime = tag.firstTime + 60
            tag.sequence = 9000
            tag.shift = 100
            tag.audio = 0
        }
        let checksum = try Self.outcomes {
            spoil(&$0)
            $0.checksumError = 9
        }
        #expect(checksum.hits == [.tagChecksum: .fail])
        let format = try Self.outcomes {
            spoil(&$0)
            $0.spoilOwner = { $0[0 + 16] = 0x21 }
        }
        #expect(format.hits == [.tagFormat: .fail])
    }

    /// A truncated tag in a transport stream is one finding.
    @Test func truncatedTag_inTransportStream_isReportedOnlyAsIncompletePES() throws {
        let outcomes = try Self.outcomes {
            $0.isTruncated = true
            $0.spoil = { $0.removeLast(100) }
        }
        #expect(outcomes.hits == [.pesIncomplete: .fail])
        #expect(outcomes[.pesIncomplete].findings.first?.place.tagIndex == 2)
    }

    @Test func truncatedTag_inEventMessage_isMalformed() throws {
        let outcomes = try Self.outcomes {
            $0.isTruncated = true
            $0.spoil = { $0.removeLast(100) }
            $0.carriage = .eventMessage(
                .init(
                    schemeIDURI: "https://aomedia.org/emsg/ID3", value: "", version: 1, id: 1, duration: nil))
        }
        #expect(outcomes.hits == [.id3Malformed: .fail])
        #expect(outcomes[.id3Malformed].findings.first?.detail.contains("id3.tag-truncated") == true)
    }
}
