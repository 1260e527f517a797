import NielsenID3
import StreamHealth
import TextForms

/// Formats verdicts as JUnit XML for continuous integration: an input is a test suite, and a check is a test case.
///
/// A failed check is a failure. A check with warnings passes, with its findings as output. A check that did not run is
/// skipped, with its reason. An unreadable input has an additional case, `input`, which is an error.
enum JUnitReport {
    /// Returns the document, with a final line end.
    static func text(_ reports: [HealthReport]) -> String {
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            element("testsuites", [("name", "dtvr check")] + counts(of: reports), isOpen: true),
        ]
        for report in reports { lines += suite(report) }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func suite(_ report: HealthReport) -> [String] {
        let verdict = report.verdict
        let attributes = [("name", verdict.source)] + counts(of: [report])
        var lines = ["  " + element("testsuite", attributes, isOpen: true), "    <properties>"]
        for (name, value) in properties(of: verdict) {
            lines.append("      " + element("property", [("name", name), ("value", value)]))
        }
        lines.append("    </properties>")
        if let error = report.error {
            lines += [
                "    "
                    + element(
                        "testcase", [("classname", className(verdict.source)), ("name", "input")],
                        isOpen: true),
                "      " + element("error", [("message", error)]), "    </testcase>",
            ]
        }
        for outcome in verdict.outcomes { lines += testCase(outcome, of: verdict.source) }
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
        let sentence = first?.detail ?? outcome.id.declaration?.title ?? ""
        let limit = VerdictText.limit(outcome.limit).map { ", limit \($0)" } ?? ""
        return "\(sentence) (\(VerdictText.count(outcome.shownCount, "finding", "findings"))\(limit))"
    }

    private static func findings(of outcome: CheckOutcome) -> [String] {
        var lines: [String] = []
        for finding in outcome.findings {
            let place = VerdictText.place(finding.place).joined(separator: ", ")
            lines.append(place.isEmpty ? finding.detail : "\(place): \(finding.detail)")
            for consequence in finding.consequences {
                lines.append("  hence \(consequence.check.rawValue): \(consequence.detail)")
            }
        }
        lines += VerdictText.unlisted(outcome)
        return lines.map(XMLText.escaped)
    }

    private static func counts(of reports: [HealthReport]) -> [(String, String)] {
        let outcomes = reports.flatMap(\.verdict.outcomes)
        let errors = reports.count { $0.error != nil }
        func number(_ status: CheckStatus) -> String { String(outcomes.count { $0.status == status }) }
        return [
            ("tests", String(outcomes.count + errors)), ("failures", number(.fail)),
            ("errors", String(errors)),
            ("skipped", number(.notRun)),
        ]
    }

    private static func properties(of verdict: HealthVerdict) -> [(String, String)] {
        [
            ("verdict", verdict.status.rawValue),
            ("duration", DecimalText.short(verdict.duration)),
            ("segments", String(verdict.segmentCount)),
            ("failed_segments", String(verdict.failedSegmentCount)),
            ("tags.data", String(verdict.tags.data)),
            ("tags.info", String(verdict.tags.info)),
            ("tags.unknown", String(verdict.tags.unknown)),
            ("tags.other_owner", String(verdict.tags.otherOwner)),
        ] + HealthLimit.all.map { ($0.name, DecimalText.short(verdict.policy[$0])) }
    }

    private static func element(_ name: String, _ attributes: [(String, String)], isOpen: Bool = false)
        -> String
    {
        let texts = attributes.map { " \($0.0)=\"\(XMLText.escaped($0.1))\"" }.joined()
        return "<\(name)\(texts)\(isOpen ? ">" : "/>")"
    }
}
