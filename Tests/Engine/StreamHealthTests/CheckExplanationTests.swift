import StreamHealth
import Testing

@Suite struct CheckExplanationTests {
    @Test(arguments: CheckID.allCases)
    func explanation_ofEachCheck_isItsOwnAndWhole(id: CheckID) {
        let explanation = id.explanation
        #expect(explanation.id == id)
        #expect(!explanation.title.hasSuffix("."))
        let texts = [explanation.meaning, explanation.appearance, explanation.cause, explanation.action]
        for text in texts {
            #expect(text.count >= 40)
            #expect(text.last == "." || text.last == ")", "\(text)")
            #expect(!text.contains("\n") && !text.contains("  "))
            #expect(text.count { $0 == "`" } % 2 == 0, "\(text)")
        }
        // No text of another check was copied.
        for other in CheckID.allCases where other != id {
            let others = other.explanation
            #expect(explanation.title != others.title)
            #expect(explanation.meaning != others.meaning)
            #expect(explanation.action != others.action)
        }
    }

    /// The worst status and the clock of each check, written out from the table of checks.
    @Test func worstAndClock_areThoseOfTheTable() {
        let table: [(CheckID, CheckStatus, String?)] = [
            (.pmtDescriptors, .fail, nil), (.streamType, .fail, nil), (.ptsMissing, .fail, nil),
            (.pesIncomplete, .fail, nil), (.packetsPerTag, .warn, nil), (.continuity, .warn, nil),
            (.emsgForm, .warn, nil), (.ownerPresent, .fail, nil), (.id3Malformed, .fail, nil),
            (.tagHeader, .fail, nil), (.tagTail, .fail, nil), (.tagFormat, .fail, nil),
            (.tagChecksum, .fail, nil), (.tagBreakout, .fail, nil), (.tagCount, .warn, "pts"),
            (.sequenceStep, .fail, "tag"), (.timeGap, .fail, "tag"), (.timeOverlap, .fail, "tag"),
            (.timeDuration, .fail, "tag"), (.timeRate, .fail, "both"), (.timeAudioSync, .fail, "pts"),
            (.timeWallClock, .warn, "both"), (.infoLate, .fail, "pts"), (.infoCIDs, .fail, nil),
            (.infoOffsets, .fail, nil), (.offsetOfNull, .fail, nil), (.nullRun, .warn, nil),
            (.offsetAdvance, .fail, "tag"), (.cidChange, .pass, nil), (.renditionTagsDiffer, .fail, nil),
            (.renditionTimeDiffers, .fail, "pts"), (.presenceSilent, .fail, "wall"),
        ]
        #expect(table.map(\.0) == CheckID.allCases)
        for (id, worst, clock) in table {
            #expect(id.explanation.worst == worst, "\(id)")
            #expect(id.explanation.clock?.rawValue == clock, "\(id)")
        }
    }

    /// Every limit belongs to a check, but for the one that a report has.
    @Test func limits_areThoseThatNameTheCheck() {
        for limit in HealthLimit.allCases {
            let checks = CheckID.allCases.filter { $0.explanation.limits.contains(limit) }
            #expect(checks.isEmpty == (limit == .findings), "\(limit)")
            for id in CheckID.allCases where limit.summary.contains(id.rawValue) {
                #expect(checks.contains(id), "\(limit) \(id)")
            }
        }
    }

    @Test(arguments: [40, 60, 80, 100])
    func text_ofEachCheck_isNoWiderThanAskedFor(width: Int) {
        for id in CheckID.allCases {
            let text = id.explanation.text(width: width)
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
            for line in text.split(separator: "\n") {
                #expect(line.count <= width || !line.drop { $0 == " " }.contains(" "), "\(id): \(line)")
                #expect(line.last != " ")
            }
            // Nothing is lost by breaking the lines.
            let words = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
            for part in [id.explanation.meaning, id.explanation.cause, id.explanation.action] {
                #expect(words.contains(part), "\(id)")
            }
        }
        #expect(CheckID.timeGap.explanation.text(width: 0) == CheckID.timeGap.explanation.text(width: 40))
    }

    @Test func text_withLimits_hasThoseOfThePolicy() {
        var policy = HealthPolicy()
        #expect(CheckID.timeGap.explanation.text(policy: policy).contains("limit-gap = 9 s: "))
        policy[.gap] = 12.5
        #expect(CheckID.timeGap.explanation.text(policy: policy).contains("limit-gap = 12.5 s: "))
        #expect(!CheckID.infoCIDs.explanation.text().contains("Limits"))
    }
}
