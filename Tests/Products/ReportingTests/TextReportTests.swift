import NielsenID3
import StreamHealth
import Testing

@testable import Reporting

@Suite struct TextReportTests {
    private static var spaced: HealthReport {
        var spacing = SpacingSketch()
        for position in [0, 10, 20, 30, 51, 61, 71.4, 80] { spacing.append(position: position) }
        return HealthReport(verdict: Verdicts.damaged, spacing: spacing)
    }

    @Test func damagedStream_text_isAsKept() throws {
        try Golden.expect(TextReport.text([Self.spaced], isColored: false), equals: "damaged.txt")
    }

    @Test func severalInputs_text_isAsKept() throws {
        let reports = [HealthReport(verdict: Verdicts.verdict()), Self.spaced]
        try Golden.expect(TextReport.text(reports, isColored: true), equals: "several-colored.txt")
    }

    @Test func severalInputs_endWithHowManyFailed() {
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
    func anyVerdict_text_isAtMostHundredColumns(verdict: HealthVerdict) {
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

    @Test func hostileText_hasNoControls() {
        let text = TextReport.text([HealthReport(verdict: Verdicts.hostile)], isColored: false)
        #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
        #expect(!text.unicodeScalars.contains("\u{202E}"))
        #expect(text.contains("<1B>[31m<00><202E>"))
    }

    @Test func everyCheck_hasOneLineInOrder() {
        let text = TextReport.text([HealthReport(verdict: Verdicts.verdict())], isColored: false)
        let named = text.split(separator: "\n").compactMap { line in
            line.split(separator: " ").map { CheckID(String($0)) }.first(where: CheckID.all.contains)
        }
        #expect(named == CheckID.all)
    }

    @Test func colours_onlyWhereAsked() {
        let report = HealthReport(verdict: Verdicts.damaged)
        #expect(!TextReport.text([report], isColored: false).contains("\u{1B}"))
        #expect(TextReport.text([report], isColored: true).contains("\u{1B}[1;31mFAIL\u{1B}[0m"))
    }

    @Test(arguments: 1...30)
    func wrappedText_keepsEveryWordWithinItsColumns(columns: Int) {
        let text = "one three sixteen-letters 漢字漢字漢字 x"
        let lines = TerminalText.wrapped(text, columns)
        // A character of two columns cannot be narrower.
        #expect(lines.allSatisfy { TerminalText.width($0) <= max(columns, 2) })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }
}
