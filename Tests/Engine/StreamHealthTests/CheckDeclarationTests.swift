import NielsenID3
import Testing

@testable import StreamHealth

@Suite struct CheckDeclarationTests {
    private static func declaration(_ id: CheckID) throws -> CheckDeclaration {
        try #require(id.declaration)
    }

    private static let all = CheckID.all + CheckID.ofMonitorOnly

    @Test(arguments: all)
    func texts_ofEachCheck_areUniqueAndComplete(id: CheckID) throws {
        let explanation = try Self.declaration(id)
        #expect(explanation.id == id)
        #expect(!explanation.title.hasSuffix("."))
        let texts = [explanation.meaning, explanation.appearance, explanation.cause, explanation.action]
        for text in texts {
            #expect(text.count >= 40)
            #expect(text.last == "." || text.last == ")", "\(text)")
            #expect(!text.contains("\n") && !text.contains("  "))
            #expect(text.count { $0 == "`" } % 2 == 0, "\(text)")
        }
        // No text is a copy of another check's text.
        for other in Self.all where other != id {
            let others = try Self.declaration(other)
            #expect(explanation.title != others.title)
            #expect(explanation.meaning != others.meaning)
            #expect(explanation.action != others.action)
        }
    }

    /// The worst status and the clock of each check, copied from the table of checks.
    @Test func worstStatusAndClock_ofEachCheck_matchTable() throws {
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
            (.playlistStale, .fail, "wall"), (.playlistSequenceGap, .fail, nil),
            (.playlistSequenceBack, .warn, nil), (.playlistDiscontinuitySequence, .warn, nil),
            (.playlistSegmentTooLong, .warn, nil), (.playlistDateJump, .warn, nil),
            (.playlistVariantDrift, .warn, "wall"), (.playlistHTTP, .fail, nil),
            (.channelEnded, .fail, nil), (.channelBackup, .warn, nil), (.segmentHTTP, .fail, nil),
            (.segmentLate, .warn, "wall"),
            (.segmentSlow, .warn, "wall"), (.segmentChanged, .warn, nil),
            (.channelOverLimit, .fail, nil), (.deliveryStalled, .fail, "wall"),
            (.deliveryRefused, .fail, nil),
            (.bufferEvicting, .fail, nil), (.bufferDisk, .fail, nil), (.monitorOverloaded, .fail, "wall"),
            (.monitorClock, .warn, "wall"),
        ]
        #expect(table.map(\.0) == Self.all)
        for (id, worst, clock) in table {
            #expect(try Self.declaration(id).worst == worst, "\(id)")
            #expect(try Self.declaration(id).clock?.rawValue == clock, "\(id)")
        }
    }

    /// Each rule for a single tag has a check, in the same order.
    @Test func tagChecks_matchTagRulesInOrder() {
        #expect(CheckRegistry.tagChecks.map { $0.rule } == TagRule.allCases)
        #expect(CheckRegistry.tagChecks.map { $0.id } == TagRule.allCases.map(\.id))
    }

    private static let ofNoCheck: Set<HealthLimit> = [
        .findings, .alertRepeat, .alertClear, .alertClearTags, .alertHold, .alertMaximumHold,
    ]

    /// Every limit belongs to a check, except the limit of findings in a report and the limits of alerts.
    @Test func everyLimit_exceptFindingsAndAlertLimits_belongsToACheck() {
        for limit in HealthLimit.all + HealthLimit.ofMonitorOnly {
            let checks = (CheckRegistry.declarations + CheckRegistry.liveDeclarations)
                .filter { $0.limits.contains(limit) }.map(\.id)
            #expect(checks.isEmpty == Self.ofNoCheck.contains(limit), "\(limit)")
            for id in Self.all where limit.help.contains(id.rawValue) {
                #expect(checks.contains(id), "\(limit) \(id)")
            }
        }
    }

    @Test func text_ofMonitorOnlyCheck_statesMonitorOnly() throws {
        for id in Self.all {
            let text = try Self.declaration(id).text()
            #expect(text.contains(", in the monitor only.") == CheckID.ofMonitorOnly.contains(id), "\(id)")
        }
    }

    /// Commands that read recorded input have no settings for limits that apply only to live input.
    @Test func liveInputOnlyLimits_areSilenceAndMonitorLimits() {
        let all = HealthLimit.all + HealthLimit.ofMonitorOnly
        #expect(
            all.filter(\.isOfLiveInputOnly)
                == [
                    .silence, .alertRepeat, .alertClear, .alertClearTags, .alertHold, .alertMaximumHold,
                    .staleDurations, .stale, .dateJump, .variantDrift,
                    .slowSegment, .channelSegments, .channelTransfers, .channelRenditions, .channelMemory,
                    .channelBuffer,
                    .channelLines, .channelAlerts, .deliveryStalled, .deliveryRefused, .bufferUse,
                    .lateChannels,
                    .late,
                ])
        #expect(Set(all).count == all.count)
    }

    @Test(arguments: [40, 60, 80, 100])
    func text_ofEachCheck_wrapsAtRequestedWidth(width: Int) throws {
        for id in Self.all {
            let check = try Self.declaration(id)
            let text = check.text(width: width)
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
            for line in text.split(separator: "\n") {
                #expect(line.count <= width || !line.drop { $0 == " " }.contains(" "), "\(id): \(line)")
                #expect(line.last != " ")
            }
            // Line breaks lose no text.
            let words = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
            for part in [check.meaning, check.cause, check.action] {
                #expect(words.contains(part), "\(id)")
            }
        }
        let gap = try Self.declaration(.timeGap)
        #expect(gap.text(width: 0) == gap.text(width: 40))
    }

    @Test func text_ofCheckWithLimits_showsPolicyValues() throws {
        let gap = try Self.declaration(.timeGap)
        var policy = HealthPolicy()
        #expect(gap.text(policy: policy).contains("limit-gap = 9 s: "))
        policy[.gap] = 12.5
        #expect(gap.text(policy: policy).contains("limit-gap = 12.5 s: "))
        #expect(try !Self.declaration(.infoCIDs).text().contains("Limits"))
    }
}
