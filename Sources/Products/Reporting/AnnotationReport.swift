import NielsenID3
import StreamHealth
import TextForms

/// Findings of a check that state the same, as the annotation of an input.
struct Annotation {
    let check: CheckID
    let status: CheckStatus
    let first: Finding
    let count: Int
    /// The number of findings, the place of the first, and the details with their consequences.
    let message: String

    private init(_ group: FindingGroup) {
        let example = group.example
        check = group.check
        status = example.status
        first = group.first
        count = group.count
        let place = VerdictText.place(group.first.place).joined(separator: ", ")
        let front =
            switch (group.count > 1, place.isEmpty) {
            case (false, true): ""
            case (false, false): "\(place): "
            case (true, true): "\(DecimalText.grouped(group.count)) times: "
            case (true, false): "\(DecimalText.grouped(group.count)) times, first \(place): "
            }
        let consequences = example.consequences.map { "; hence \($0.check.rawValue): \($0.detail)" }
        message = front + example.detail + consequences.joined()
    }

    /// Returns the annotations of a report, without information: those of failed checks first.
    static func all(of report: any VerdictReport) -> [Annotation] {
        VerdictText.attention(report.outcomes).flatMap(\.groups).filter { $0.example.status > .pass }
            .map(Annotation.init)
    }
}

/// Formats verdicts as workflow commands, which GitHub Actions shows as annotations.
///
///     ::error file=live/main.m3u8,title=time.gap::seg3.ts, 12.000 s: …
///
/// A line with the verdict follows for each input. GitHub shows ten errors and ten warnings of a step, so that failed
/// checks come first.
package enum AnnotationReport {
    /// Returns the lines, with a final line end.
    package static func text(_ reports: [any VerdictReport]) -> String {
        var lines: [String] = []
        for report in reports {
            if let error = report.error {
                lines.append(command("error", file: report.source, line: nil, title: "input", error))
            }
            for annotation in Annotation.all(of: report) {
                lines.append(
                    command(
                        annotation.status == .fail ? "error" : "warning", file: report.source,
                        line: annotation.first.place.call?.line, title: annotation.check.rawValue,
                        annotation.message))
            }
        }
        for report in reports {
            lines.append(
                "\(report.status.word.uppercased())  \(PrintableText.of(report.source)): "
                    + VerdictText.summary(report.outcomes, report.noun + "s"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func command(
        _ name: String, file: String, line: Int?, title: String, _ message: String
    ) -> String {
        var properties: [String] = []
        // Standard input and addresses are not files of the repository.
        let isFile = file != "-" && !file.contains("://")
        if isFile { properties.append("file=" + escaped(file, inProperty: true)) }
        if isFile, let line { properties.append("line=\(line)") }
        properties.append("title=" + escaped(title, inProperty: true))
        let text = isFile ? message : "\(file): \(message)"
        return "::\(name) \(properties.joined(separator: ","))::\(escaped(text, inProperty: false))"
    }

    /// Escapes the characters that would end a property or a command.
    private static func escaped(_ text: String, inProperty: Bool) -> String {
        let escaped = text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing(
            "\n", with: "%0A")
        return inProperty ? escaped.replacing(":", with: "%3A").replacing(",", with: "%2C") : escaped
    }
}
