import Foundation
import NielsenID3
import StreamHealth
import TestSupport
import Testing

@testable import Reporting

@Suite struct TextReportTests {
    private static var spaced: HealthReport {
        var spacing = SpacingSketch()
        for position in [0, 10, 20, 30, 51, 61, 71.4, 80] { spacing.append(position: position) }
        return HealthReport(verdict: Verdicts.damaged, spacing: spacing)
    }

    @Test func damagedStream_asText_matchesTheGoldenFile() throws {
        try Golden.expect(TextReport.text([Self.spaced], isColored: false), equals: "damaged.txt")
    }

    @Test func severalInputs_asColoredText_matchTheGoldenFile() throws {
        let reports = [HealthReport(verdict: Verdicts.verdict()), Self.spaced]
        try Golden.expect(TextReport.text(reports, isColored: true), equals: "several-colored.txt")
    }

    @Test func severalInputs_endWithTheFailureCount() {
        for (count, failedCount) in [(2, 0), (3, 1), (4, 3)] {
            let reports = (0..<count).map {
                HealthReport(verdict: $0 < failedCount ? Verdicts.damaged : Verdicts.verdict())
            }
            let last = TextReport.text(reports, isColored: false).split(separator: "\n").last
            let word = failedCount == 0 ? "PASS" : "FAIL"
            #expect(
                last == "\(word)  \(count) inputs, \(failedCount) of them with failed checks",
                "\(last ?? "")")
        }
    }

    @Test(arguments: [Verdicts.damaged, Verdicts.hostile, Verdicts.verdict()])
    func anyVerdict_asText_fits100Columns(verdict: HealthVerdict) {
        for line in TextReport.text([HealthReport(verdict: verdict)], isColored: false).split(separator: "\n")
        {
            #expect(TerminalText.width(String(line)) <= 100, "\(line)")
        }
    }

    @Test func spacingOfALongStream_isOneLine() {
        var spacing = SpacingSketch()
        for index in 0..<5_000 { spacing.append(position: Double(index * 10 + (index > 2_500 ? 1_000 : 0))) }
        let text = TextReport.text(
            [HealthReport(verdict: Verdicts.verdict(), spacing: spacing)], isColored: false)
        let line = text.split(separator: "\n").first { $0.contains("DATA tag spacing") }
        #expect(line?.hasSuffix("10.0 to 1010.0 s, median 10.0 s") == true)
        #expect(line?.contains("█") == true)
        #expect(text.split(separator: "\n").allSatisfy { TerminalText.width(String($0)) <= 100 })
    }

    @Test func hostileText_hasNoControlCharacters() {
        let text = TextReport.text([HealthReport(verdict: Verdicts.hostile)], isColored: false)
        #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
        #expect(!text.unicodeScalars.contains("\u{202E}"))
        #expect(text.contains("<1B>[31m<00><202E>"))
    }

    @Test func everyCheck_hasOneLineInOrder() {
        let text = TextReport.text(
            [HealthReport(verdict: Verdicts.verdict())], isColored: false, listsAllChecks: true)
        let named = text.split(separator: "\n").compactMap { line in
            line.split(separator: " ").map { CheckID(String($0)) }.first(where: CheckID.all.contains)
        }
        #expect(named == CheckID.all)
    }

    @Test func checksThatDidNotRun_areListedOnRequest() {
        let report = HealthReport(verdict: Verdicts.damaged)
        let text = TextReport.text([report], isColored: false)
        #expect(
            !text.contains("presence.silent") && text.contains("2 checks not run, with reasons: add --all"))
        let all = TextReport.text([report], isColored: false, listsAllChecks: true)
        #expect(all.contains("presence.silent") && !all.contains("--all"))
    }

    @Test func findingsDifferingOnlyInLocation_areOneEntry() {
        let findings = (0..<18).map { index in
            Verdicts.finding(
                .fail, segment: "seg\(index).ts", seconds: Double(index), sequence: UInt16(100 + index),
                tag: index,
                "at byte \(564 + index) tag \(100 + index) has lost its front in X 105.1: www.nielsen.com/\(index)/x"
            )
        }
        let other = Verdicts.finding(
            .fail, segment: "seg18.ts", seconds: 18, sequence: 118, tag: 18, "at byte 7 is a size of 12")
        let outcome = CheckOutcome(id: .id3Malformed, status: .fail, count: 19, findings: findings + [other])
        let text = TextReport.text(
            [HealthReport(verdict: Verdicts.verdict(outcomes: [outcome]))], isColored: false)
        let words = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        #expect(
            words.contains(
                "18 times, first seg0.ts, 0.000 s, sequence 100; last seg17.ts, 17.000 s, sequence 117: "
                    + "at byte 564 tag 100 has lost its front in X 105.1: www.nielsen.com/0/x"))
        #expect(words.contains("seg18.ts, 18.000 s, sequence 118: at byte 7 is a size of 12"))
        #expect(words.contains("What to look at ✗ id3.malformed (19): at byte 564"))
    }

    @Test func ownerIdentifier_isShortened() {
        let finding = Verdicts.finding(
            .fail, segment: "a.ts", seconds: 1, sequence: 1, tag: 0, "the tag \(Samples.data2015) is damaged")
        let outcome = CheckOutcome(id: .id3Malformed, status: .fail, count: 1, findings: [finding])
        let text = TextReport.text(
            [HealthReport(verdict: Verdicts.verdict(outcomes: [outcome]))], isColored: false)
        #expect(text.components(separatedBy: "the tag … is damaged").count == 3 && !text.contains("nielsen"))
    }

    @Test func information_isNotCountedInAFailedCheck() {
        let findings = [
            Verdicts.finding(.pass, segment: "a.ts", seconds: 1, sequence: 1, tag: 0, "the size is unusual"),
            Verdicts.finding(.fail, segment: "b.ts", seconds: 2, sequence: 2, tag: 1, "the size is wrong"),
        ]
        var outcome = CheckOutcome(id: .tagHeader, status: .fail, count: 2, findings: findings)
        outcome.informationCount = 1
        let text = TextReport.text(
            [HealthReport(verdict: Verdicts.verdict(outcomes: [outcome]))], isColored: false)
        #expect(text.contains(" ✗    tag.header: the size is wrong\n"))
        #expect(text.contains(" ✗ fail     tag.header                          1             0\n"))
        #expect(text.contains("the size is unusual (information)"))
    }

    /// The note on unlisted findings of a failed check counts information apart; a passed check has nothing else.
    @Test func unlistedInformation_ofAFailedCheck_isCountedApart() {
        let failure = Verdicts.finding(
            .fail, segment: "b.ts", seconds: 2, sequence: 2, tag: 1, "the size is wrong")
        let information = Verdicts.finding(
            .pass, segment: "a.ts", seconds: 1, sequence: 1, tag: 0, "it is unusual")
        for (status, count, informationCount, findings, notes) in [
            (.fail, 12, 7, [failure, information], ["… and 4 more", "… and 6 more as information"]),
            (.fail, 8, 7, [failure], ["… and 7 more as information"]),
            (.warn, 8, 0, [failure], ["… and 7 more"]),
            (.pass, 8, 8, [information], ["… and 7 more"]),
        ] as [(CheckStatus, Int, Int, [Finding], [String])] {
            var outcome = CheckOutcome(id: .tagHeader, status: status, count: count, findings: findings)
            outcome.informationCount = informationCount
            #expect(VerdictText.unlisted(outcome) == notes)
        }
    }

    @Test func verdict_withNoCheckRun_showsTheReasonInsteadOfTheTable() {
        var verdict = Verdicts.verdict()
        for index in verdict.outcomes.indices {
            verdict.outcomes[index].status = .notRun
            verdict.outcomes[index].reason = "Too little of \(verdict.outcomes[index].id.rawValue)."
        }
        let text = TextReport.text([HealthReport(verdict: verdict)], isColored: false)
        #expect(text.contains(" –    carriage.owner-present: Too little of carriage.owner-present.\n"))
        #expect(!text.contains("CHECK "))
    }

    @Test func colors_areUsedOnlyOnRequest() {
        let report = HealthReport(verdict: Verdicts.damaged)
        #expect(!TextReport.text([report], isColored: false).contains("\u{1B}"))
        #expect(TextReport.text([report], isColored: true).contains("\u{1B}[1;31mFAIL\u{1B}[0m"))
    }

    /// Scripts and people search for ids.
    @Test(arguments: [10, 30, 45, 60, 100]) func id_isNeverCut(width: Int) {
        let text = TextReport.text(
            [HealthReport(verdict: Verdicts.damaged)], isColored: false, terminalWidth: width,
            listsAllChecks: true)
        for outcome in Verdicts.damaged.outcomes where outcome.status != .notRun {
            #expect(text.contains(outcome.id.rawValue), "\(width)")
        }
    }

    @Test(arguments: -20...30)
    func wrappedText_fitsItsColumns_andKeepsEveryCharacter(columns: Int) {
        let text = "one three sixteen-letters 漢字漢字漢字 x"
        let lines = TerminalText.wrapped(text, columns)
        // A character that is two columns wide cannot be narrower.
        #expect(lines.allSatisfy { TerminalText.width($0) <= max(columns, 2) })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }
}
