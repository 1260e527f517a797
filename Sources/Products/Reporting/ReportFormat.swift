/// A form in which verdicts are written.
public enum ReportFormat: String, CaseIterable, Sendable {
    /// Lines for a person at a terminal.
    case text
    /// One JSON object; docs/keys.md has its keys.
    case json
    /// A row a tag, with the checks that have findings at it.
    case csv
    /// One page with plots, findings and every tag, which needs nothing from the network.
    case html
    /// JUnit XML: a test case a check.
    case junit

    /// Whether the form shows every tag, with all that was found at it; its memory grows with the input then.
    package var showsEveryTag: Bool {
        switch self {
        case .csv, .html: true
        case .text, .json, .junit: false
        }
    }

    /// Whether a program waits for the report, which is then written whatever happened.
    package var isForPrograms: Bool {
        switch self {
        case .json, .junit: true
        case .text, .csv, .html: false
        }
    }

    /// The document of all inputs.
    ///
    /// - Parameters:
    ///   - producer: what made it, such as `dtvr 1.0`; a page names it.
    ///   - made: when, in Unix milliseconds; a page says it.
    package func document(
        of reports: [HealthReport], producer: String, made: Int64?, isColored: Bool = false,
        terminalWidth: Int? = nil
    ) -> [UInt8] {
        switch self {
        case .text: Array(TextReport.text(reports, isColored: isColored, terminalWidth: terminalWidth).utf8)
        case .json: JSONReport.bytes(reports)
        case .csv: CSVReport.header + reports.flatMap(\.rows)
        case .html: PageReport.bytes(reports, producer: producer, made: made)
        case .junit: Array(JUnitReport.text(reports).utf8)
        }
    }
}
