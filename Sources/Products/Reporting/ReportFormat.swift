/// A format of reports.
public enum ReportFormat: String, CaseIterable, Sendable {
    /// Lines for a person at a terminal.
    case text
    /// One JSON object; docs/keys.md lists its keys.
    case json
    /// One line of JSON per input, with the keys of `json`.
    case jsonl
    /// One row per tag, with the checks that have findings at it.
    case csv
    /// One page with plots, findings and every tag, which loads nothing from the network.
    case html
    /// JUnit XML with one test case per check.
    case junit
    /// SARIF 2.1.0 with one result per group of findings.
    case sarif
    /// Workflow commands of GitHub Actions, with one annotation per group of findings.
    case github

    /// Whether the format shows every tag with all its findings, so that its memory grows with the input.
    var showsEveryTag: Bool {
        switch self {
        case .csv, .html: true
        case .text, .json, .jsonl, .junit, .sarif, .github: false
        }
    }

    /// Whether a program reads the report, so that it is written even after an error.
    package var isForPrograms: Bool {
        switch self {
        case .json, .jsonl, .junit, .sarif, .github: true
        case .text, .csv, .html: false
        }
    }

    /// Whether the report annotates each input, including those that could not be read.
    package var isForAnnotations: Bool { self == .sarif || self == .github }

    /// Returns the document for all inputs.
    ///
    /// - Parameters:
    ///   - producer: the producing program, such as `dtvr 1.0`, as shown on a page and in SARIF.
    ///   - made: the creation time in Unix milliseconds, as shown on a page.
    ///   - listsAllChecks: whether text lists the checks that did not run too.
    package func document(
        of reports: [HealthReport], producer: String, made: Int64?, isColored: Bool = false,
        terminalWidth: Int? = nil, listsAllChecks: Bool = false
    ) -> [UInt8] {
        switch self {
        case .text:
            Array(
                TextReport.text(
                    reports, isColored: isColored, terminalWidth: terminalWidth,
                    listsAllChecks: listsAllChecks
                ).utf8)
        case .json: JSONReport.bytes(reports)
        case .jsonl: reports.flatMap { JSONReport.bytes([$0]) }
        case .csv: CSVReport.header + reports.flatMap(\.rows)
        case .html: PageReport.bytes(reports, producer: producer, made: made)
        case .junit: Array(JUnitReport.text(reports).utf8)
        case .sarif: SARIFReport.bytes(reports, producer: producer)
        case .github: Array(AnnotationReport.text(reports).utf8)
        }
    }
}
