import NielsenID3
import StreamHealth
import Testing

/// `cid.null-run`, `cid.offset-advance` and `cid.change`, for both content ids.
@Suite struct ContentIDCheckTests {
    private static let other: [UInt8] = Array(41...56)

    /// Returns a clean stream in which each letter selects the content id of a tag for one role: A, B, or n for null.
    private static func stream(_ letters: String, isPC: Bool) -> StreamSample {
        let tags = letters.enumerated().map { index, letter in
            TagSample.data(index).with { tag in
                let id = letter == "A" ? Array(1...16) : letter == "B" ? other : TagSample.null
                if isPC { tag.pcCID = id } else { tag.fdCID = id }
                if letter == "n" { if isPC { tag.pcOffset = 0 } else { tag.fdOffset = 0 } }
            }
        }
        return StreamSample(tags)
    }

    @Test(arguments: [true, false]) func nullRun_longerThanThreeTags_warns(isPC: Bool) throws {
        let cases: [(String, Int)] = [
            ("AAAA", 0), ("AnnnA", 0), ("AnnnnA", 1), ("Annnnnnnn", 1), ("AnnnnAnnnnA", 2), ("nnnnnnnn", 0),
            ("nnnnnAA", 0), ("nnnnAnnn", 0), ("nnnnAnnnn", 1), ("AnnBnnAnnB", 0),
        ]
        for (letters, count) in cases {
            let outcome = try Self.stream(letters, isPC: isPC).outcomes()[.nullRun]
            #expect(outcome.count == count, "\(letters)")
            #expect(outcome.status == (count > 0 ? .warn : .pass), "\(letters)")
        }
        let finding = try Self.stream("AAnnnnnA", isPC: isPC).outcomes()[.nullRun].findings.first
        #expect(finding?.place.sequence == 105)
        #expect(finding?.detail.contains(isPC ? "PC CID" : "FD CID") == true)
    }

    @Test func contentIDChecks_withoutAnyContentID_areNotRun() throws {
        let tags = TagSample.data(0..<6).map { tag in
            tag.with {
                $0.pcCID = TagSample.null
                $0.fdCID = TagSample.null
                $0.pcOffset = 0
                $0.fdOffset = 0
            }
        }
        let outcomes = try StreamSample(tags).outcomes()
        for id in [CheckID.nullRun, .offsetAdvance, .cidChange] { #expect(outcomes[id].status == .notRun) }
    }

    @Test func nullRun_usesPolicyLimitAndEndsAtDiscontinuity() throws {
        let stream = Self.stream("AnnnnnnA", isPC: true)
        #expect(try stream.with { $0.policy[.nullRun] = 6 }.outcomes()[.nullRun].count == 0)
        #expect(try stream.with { $0.policy[.nullRun] = 5 }.outcomes()[.nullRun].count == 1)
        #expect(try stream.with { $0.discontinuities = [4] }.outcomes()[.nullRun].count == 0)
    }

    /// Adds each difference to the offset, in both directions.
    @Test(arguments: [true, false]) func offsetDifference_beyondLimits_warnsOrFails(isPC: Bool) throws {
        for difference in [-100, -16, -15, -11, -10, 0, 10, 11, 15, 16, 100] {
            let tags = TagSample.data(0..<8).map { tag in
                tag.with {
                    guard $0.sequence >= 104 else { return }
                    if isPC { $0.pcOffset += difference } else { $0.fdOffset += difference }
                }
            }
            let outcomes = try StreamSample(tags).outcomes()
            let expected: CheckStatus? =
                difference.magnitude > 15 ? .fail : difference.magnitude > 10 ? .warn : nil
            #expect(outcomes.hits == (expected.map { [.offsetAdvance: $0] } ?? [:]), "\(difference)")
            #expect(outcomes[.offsetAdvance].count == (expected == nil ? 0 : 1))
        }
    }

    /// Offsets are compared across a time gap, even if all tags in it were lost.
    @Test func offset_acrossTimeGap_isCompared() throws {
        let tags = TagSample.data(0..<4) + TagSample.data(9..<12)
        #expect(try StreamSample(tags).outcomes()[.offsetAdvance].status == .pass)
        let stuck = tags.map { tag in tag.with { if $0.sequence > 104 { $0.pcOffset -= 50 } } }
        #expect(try StreamSample(stuck).outcomes()[.offsetAdvance].status == .fail)
    }

    @Test func offset_acrossNullOrDiscontinuityOrIDChange_isNotCompared() throws {
        func stepped(_ letters: String) -> StreamSample {
            Self.stream(letters, isPC: true).with { stream in
                for index in stream.tags.indices
                where index >= 4 && stream.tags[index].pcCID != TagSample.null {
                    stream.tags[index].pcOffset += 500
                }
            }
        }
        #expect(try stepped("AAAAAAAA").outcomes()[.offsetAdvance].count == 1)
        #expect(try stepped("AAAnAAAA").outcomes()[.offsetAdvance].count == 0)
        #expect(try stepped("AAAABBBB").outcomes()[.offsetAdvance].count == 0)
        #expect(try stepped("AAABAAAA").outcomes()[.offsetAdvance].count == 1)
        #expect(
            try stepped("AAAAAAAA").with { $0.discontinuities = [5] }.outcomes()[.offsetAdvance].count == 0)
    }

    @Test(arguments: [true, false]) func contentIDChange_isInformational(isPC: Bool) throws {
        for (letters, count) in [
            ("AAAA", 0), ("AABB", 1), ("AABBAA", 2), ("AAnBB", 1), ("AAnAA", 0), ("nnAA", 0), ("AAnn", 0),
        ] {
            let outcomes = try Self.stream(letters, isPC: isPC).outcomes()
            #expect(outcomes[.cidChange].status == .pass)
            #expect(outcomes[.cidChange].count == count, "\(letters)")
            #expect(outcomes.hits.filter { $0.key != .cidChange }.isEmpty)
        }
        let finding = try Self.stream("AB", isPC: isPC).outcomes()[.cidChange].findings.first
        #expect(finding?.status == .pass)
        #expect(finding?.detail.contains("\(isPC ? "PC" : "FD") CID changes from") == true)
    }
}
