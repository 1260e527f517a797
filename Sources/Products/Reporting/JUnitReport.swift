import NielsenID3
import StreamHealth
import TextForms

/// Formats verdicts as JUnit XML for continuous integration: an input is a test suite, and a check is a test case.
///
/// A failed check is a failure. A check with warnings passes, with its findings as output. A check that did not run is
/// skipped, with its reason. An unreadable input has an additional case, `input`, which is an error.
package enum JUnitReport {
    /// Returns the document, with a final line end.
    ///
    /// - Parameter producer: the command.
    package static func text(_ reports: [any VerdictReport], producer: String = "dtvr check") -> String {
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            element("testsuites", [("name", producer)] + counts(of: reports), isOpen: true),
        ]
        for report in reports { lines += suite(report) }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func suite(_ report: any VerdictReport) -> [String] {
        let attributes = [("name", report.source)] + counts(of: [report])
        var lines = ["  " + element("testsuite", attributes, isOpen: true), "    <properties>"]
        for (name, value) in report.properties {
            lines.append("      " + element("property", [("name", name), ("value", value)]))
        }
        lines.append("    </properties>")
        if let error = report.error {
            lines += [
                "    "
                    + element(
                        "testcase", [("classname", className(report.source)), ("name", "input")],
                        isOpen: true),
                "      " + element("error", [("message", error)]), "    </testcase>",
            ]
        }
        for outcome in report.outcomes { lines += testCase(outcome, of: report.source) }
        lines.append("  </testsuite>")
        return lines
    }

    /// Returns the class of an input's cases: readers group cases by class, and show it without the suite.
    ///
    /// A dot separates packages, so those of the input are replaced.
    private static func className(_ source: String) -> String { "dtvr." + source.replacing(".", with: "_") }

    private static func testCase(_ outcome: CheckOutcome, of source: String) -> [String] {
        let id = outcome.id.rawValue
        let attributes = [("classname", className(source)), ("name", id)]
        var body: [String]
        switch outcome.status {
        case .fail:
            body = [element("failure", [("message", message(outcome)), ("type", id)], isOpen: true)]
            body += findings(of: outcome)
            body.append("</failure>")
        case .notRun:
            body = [element("skipped", [("message", outcome.reason ?? "nothing to check")])]
        case .warn:
            body = ["<system-out>" + XMLText.escaped("warn: " + message(outcome))]
            body += findings(of: outcome)
            body.append("</system-out>")
        case .pass where outcome.count == 0:
            return ["    " + element("testcase", attributes)]
        case .pass:
            body = ["<system-out>" + XMLText.escaped("information: " + message(outcome))]
            body += findings(of: outcome)
            body.append("</system-out>")
        }
        return ["    " + element("testcase", attributes, isOpen: true)] + body.map { "      " + $0 }
            + ["    </testcase>"]
    }

    /// Returns the first finding, which is what most readers show, and the number of the others.
    private static func message(_ outcome: CheckOutcome) -> String {
        let first = outcome.findings.first { $0.status == outcome.status } ?? outcome.findings.first
        let sentence = first?.detail ?? outcome.declaration?.title ?? ""
        let limit = VerdictText.limit(outcome.limit).map { ", limit \($0)" } ?? ""
        return "\(sentence) (\(DecimalText.groupedCount(outcome.shownCount, "finding"))\(limit))"
    }

    private static func findings(of outcome: CheckOutcome) -> [String] {
        var lines: [String] = []
        for finding in outcome.findings {
            let place = VerdictText.place(finding.place).joined(separator: ", ")
            let isInformation = finding.status == .pass && outcome.status > .pass
            let detail = isInformation ? "\(finding.detail) (information)" : finding.detail
            lines.append(place.isEmpty ? detail : "\(place): \(detail)")
            for consequence in finding.consequences {
                lines.append("  hence \(consequence.check.rawValue): \(consequence.detail)")
            }
        }
        lines += VerdictText.unlisted(outcome)
        return lines.map(XMLText.escaped)
    }

    private static func counts(of reports: [any VerdictReport]) -> [(String, String)] {
        let outcomes = reports.flatMap(\.outcomes)
        let errors = reports.count { $0.error != nil }
        func number(_ status: CheckStatus) -> String { String(outcomes.count { $0.status == status }) }
        return [
            ("tests", String(outcomes.count + errors)), ("failures", number(.fail)),
            ("errors", String(errors)),
            ("skipped", number(.notRun)),
        ]
    }

    private static func element(_ name: String, _ attributes: [(String, String)], isOpen: Bool = false)
        -> String
    {
        let texts = attributes.map { " \($0.0)=\"\(XMLText.escaped($0.1))\"" }.joined()
        return "<\(name)\(texts)\(isOpen ? ">" : "/>")"
    }
}
