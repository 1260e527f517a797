import Foundation
import Reporting

/// The forms of a verdict.
enum ReportFormat: String, CaseIterable, Sendable {
    case text
    case json
    case csv
    case html
    case junit

    /// Whether the form shows every tag, with all that was found at it.
    var showsEveryTag: Bool {
        switch self {
        case .csv, .html: true
        case .text, .json, .junit: false
        }
    }

    /// Whether a program waits for the report, which is then written whatever happened.
    var isForPrograms: Bool {
        switch self {
        case .json, .junit: true
        case .text, .csv, .html: false
        }
    }

    /// The document of all inputs; nothing for CSV, whose rows are written input by input.
    func document(of reports: [HealthReport], isColored: Bool) -> [UInt8] {
        switch self {
        case .text: Array(TextReport.text(reports, isColored: isColored).utf8)
        case .json: JSONReport.bytes(reports)
        case .junit: Array(JUnitReport.text(reports).utf8)
        case .html:
            PageReport.bytes(
                reports, producer: "dtvr \(DTVR.version)", made: Int64(Date.now.timeIntervalSince1970 * 1_000)
            )
        case .csv: []
        }
    }
}
