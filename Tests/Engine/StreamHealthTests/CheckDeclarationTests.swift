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

    /// Each rule for a single tag has a check, in the same order.
    @Test func tagChecks_matchTagRulesInOrder() {
        #expect(CheckRegistry.checks(on: .tag).map { $0.id } == TagRule.allCases.map(\.id))
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
