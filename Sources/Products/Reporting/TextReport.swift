import NielsenID3
import StreamHealth
import TextForms

/// Formats verdicts as text for people, at most 100 columns wide.
package struct TextReport {
    /// The maximum number of columns in a line.
    static let width = 100

    private let width: Int
    private let paint: TerminalColor
    private let listsAllChecks: Bool

    /// Returns the reports of all inputs, one below the other, with a final line end.
    ///
    /// - Parameters:
    ///   - isColored: whether to use terminal colors.
    ///   - terminalWidth: the number of columns of the terminal; nil without one.
    ///   - listsAllChecks: whether to list the checks that did not run too.
    package static func text(
        _ reports: [any VerdictReport], isColored: Bool, terminalWidth: Int? = nil,
        listsAllChecks: Bool = false
    ) -> String {
        TextReport(
            width: min(terminalWidth ?? width, width), paint: TerminalColor(isUsed: isColored),
            listsAllChecks: listsAllChecks
        ).text(reports)
    }

    private func text(_ reports: [any VerdictReport]) -> String {
        var blocks = reports.map(lines)
        if reports.count > 1 {
            let failed = reports.count { $0.status == .fail }
            let status = reports.status
            blocks.append([
                paint(status, status.word.uppercased())
                    + "  \(reports.count) inputs, \(failed) of them with failed \(reports[0].noun)s"
            ])
        }
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private func lines(of report: any VerdictReport) -> [String] {
        let status = report.status
        let heading = status.word.uppercased()
        let source = PrintableText.of(report.source)
        var lines: [String] = []
        for (index, part) in TerminalText.wrapped(source, width - heading.count - 2).enumerated() {
            lines.append(
                index == 0
                    ? paint(status, heading) + "  " + paint.strong(part)
                    : String(repeating: " ", count: heading.count + 2) + paint.strong(part))
        }
        for fact in report.facts { lines += indented(fact, by: 6) }
        if report.outcomes.isEmpty { return lines }
        lines += attention(report)
        let listed = report.outcomes.filter { listsAllChecks || $0.status != .notRun }
        if !listed.isEmpty {
            lines.append("")
            lines.append(paint.faint(row("", "", report.noun.uppercased(), "COUNT", "LIMIT")))
            for outcome in listed { lines += self.lines(of: outcome) }
        }
        let hidden = report.outcomes.count - listed.count
        if hidden > 0 {
            let noun = report.noun
            let checks = DecimalText.groupedCount(hidden, noun)
            lines += [""] + indented("\(checks) not run, with reasons: add --all", by: 6).map(paint.faint)
        }
        return lines
    }

    /// Returns a line for each check that did not pass, as on the HTML page.
    ///
    /// If no check ran, the reason why nothing is known of the tags stands instead.
    private func attention(_ report: any VerdictReport) -> [String] {
        var items = VerdictText.attention(report.outcomes).map { outcome in
            let times = outcome.shownCount > 1 ? " (\(DecimalText.grouped(outcome.shownCount)))" : ""
            let finding = outcome.findings.first { $0.status > .pass }
            let detail = finding.map { Finding.shortened($0.detail) } ?? outcome.declaration?.title ?? ""
            return (outcome.status, "\(outcome.id.rawValue)\(times): \(detail)")
        }
        if report.status == .notRun,
            let presence = report.outcomes.first(where: { $0.id == report.presence }),
            let reason = presence.reason
        {
            items.append((.notRun, "\(presence.id.rawValue): \(reason)"))
        }
        guard !items.isEmpty else { return [] }
        var lines = ["", "      " + paint.strong("What to look at")]
        for (status, text) in items {
            var parts = TerminalText.wrapped(PrintableText.of(text), width - 6)
            if parts.count > Self.attentionLineCount {
                parts = Array(parts.prefix(Self.attentionLineCount))
                parts[parts.count - 1] += " …"
            }
            for (index, part) in parts.enumerated() {
                lines.append((index == 0 ? " " + paint(status, status.sign) + "    " : "      ") + part)
            }
        }
        return lines
    }

    /// The number of lines that a check has at the top; its findings are complete in the table below.
    private static let attentionLineCount = 3

    private func lines(of outcome: CheckOutcome) -> [String] {
        let id = outcome.id.rawValue
        let isNotRun = outcome.status == .notRun
        if isNotRun {
            let start = " \(outcome.status.sign) \(TerminalText.left(outcome.status.word, 8)) "
            let name = TerminalText.left(id, Self.idWidth)
            let reason = PrintableText.of(outcome.reason ?? "nothing to check")
            let column = TerminalText.width(start + name)
            // With little room beside the id, the reason is printed below it.
            if width - column < 20 {
                return ([start + id] + indented(reason, by: indent.count)).map(paint.faint)
            }
            return TerminalText.wrapped(reason, width - column).enumerated().map { index, part in
                paint.faint((index == 0 ? start + name : String(repeating: " ", count: column)) + part)
            }
        }
        // Information has no limit.
        let unlimited = outcome.status == .pass && outcome.count > 0 ? "information" : "0"
        let limit = VerdictText.limit(outcome.limit) ?? unlimited
        let line = row(
            outcome.status.sign, outcome.status.word, id, DecimalText.grouped(outcome.shownCount), limit)
        var lines = [paint.first(12, of: line, as: outcome.status)]
        guard outcome.status > .pass else { return lines }
        for group in outcome.groups { lines += self.lines(of: group) }
        for note in VerdictText.unlisted(outcome) { lines.append(paint.faint(indent + note)) }
        return lines
    }

    private func lines(of group: FindingGroup) -> [String] {
        let finding = group.example
        var place = self.place(of: group.first)
        if group.count > 1 {
            let range = place.isEmpty ? "" : ", first \(place); last \(self.place(of: group.last))"
            place = "\(DecimalText.grouped(group.count)) times\(range)"
        }
        let detail = finding.status == .pass ? "\(finding.detail) (information)" : finding.detail
        let text = place.isEmpty ? detail : "\(place): \(detail)"
        var lines = indented(text, by: indent.count, hanging: 2)
        for consequence in finding.consequences {
            lines += indented(
                "hence \(consequence.check.rawValue): \(consequence.detail)", by: indent.count + 2, hanging: 2
            )
            .map(paint.faint)
        }
        return lines
    }

    private func place(of finding: Finding) -> String {
        VerdictText.place(finding.place).map { TerminalText.shortened($0, 40) }.joined(separator: ", ")
    }

    /// The indentation of findings, below the id of their check.
    private let indent = String(repeating: " ", count: 12)

    /// The width of the column of check ids.
    private static let idWidth = 28

    private func row(
        _ sign: String, _ word: String, _ id: String, _ count: String, _ limit: String
    ) -> String {
        let start = " \(TerminalText.left(sign, 1)) \(TerminalText.left(word, 8)) "
        let full = "\(TerminalText.left(id, Self.idWidth))\(TerminalText.right(count, 9))"
        let end = "  \(TerminalText.right(limit, 12))"
        let spare = width - TerminalText.width(start + full)
        if spare >= TerminalText.width(end) { return start + full + end }
        // A narrow terminal omits the limits, and a very narrow one the columns; an id is never cut.
        return spare >= 0 ? start + full : start + id + " " + count
    }

    private func indented(_ text: String, by columns: Int, hanging: Int = 0) -> [String] {
        TerminalText.wrapped(PrintableText.of(text), width - columns - hanging).enumerated().map {
            String(repeating: " ", count: columns + ($0.offset > 0 ? hanging : 0)) + $0.element
        }
    }
}

/// Applies terminal colors (ECMA-48, Select Graphic Rendition), or none.
struct TerminalColor {
    let isUsed: Bool

    /// Returns text in the color of a status.
    func callAsFunction(_ status: CheckStatus, _ text: String) -> String {
        switch status {
        case .fail: code("1;31", text)
        case .warn: code("1;33", text)
        case .pass: code("32", text)
        case .notRun: code("2", text)
        }
    }

    /// Returns a line with its first characters in the color of a status.
    func first(_ count: Int, of line: String, as status: CheckStatus) -> String {
        self(status, String(line.prefix(count))) + line.dropFirst(count)
    }

    /// Returns emphasized text.
    func strong(_ text: String) -> String { code("1", text) }

    /// Returns de-emphasized text.
    func faint(_ text: String) -> String { code("2", text) }

    private func code(_ code: String, _ text: String) -> String {
        isUsed ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
