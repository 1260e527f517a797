import NielsenID3
import StreamHealth
import TagRecord
import TextForms

/// Formats verdicts as one JSON object, for programs.
package enum JSONReport {
    /// Returns the verdict of one input, or of several as `{"verdict":…,"inputs":[…]}`, with a final line end.
    ///
    /// - Parameter asList: whether to use the list form even for a single report.
    package static func bytes(_ reports: [any VerdictReport], asList: Bool = false) -> [UInt8] {
        var writer = JSONWriter(capacity: 1 << 14)
        if let report = reports.first, reports.count == 1, !asList {
            write(report, to: &writer)
        } else {
            writer.beginObject()
            writer.write("verdict", reports.status.rawValue)
            writer.key("inputs")
            writer.beginArray()
            for report in reports { write(report, to: &writer) }
            writer.endArray()
            writer.endObject()
        }
        writer.endLine()
        return writer.bytes
    }

    private static func write(_ report: any VerdictReport, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("source", report.source)
        writer.write("verdict", report.status.rawValue)
        if let error = report.error { writer.write("error", error) }
        report.writeMembers(to: &writer)
        writer.key("checks")
        writer.beginArray()
        for outcome in report.outcomes { write(outcome, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    private static func write(_ outcome: CheckOutcome, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("id", outcome.id.rawValue)
        writer.write("status", outcome.status.rawValue)
        if outcome.status == .notRun { writer.write("reason", outcome.reason) }
        writer.write("count", outcome.count)
        if outcome.informationCount > 0 { writer.write("information_count", outcome.informationCount) }
        // These findings are in the `consequences` of other checks' findings.
        if outcome.consequenceCount > 0 { writer.write("consequence_count", outcome.consequenceCount) }
        // A check without a limit allows no finding.
        writer.write("limit", number: outcome.limit?.value ?? 0)
        if let unit = outcome.limit?.unit { writer.write("limit_unit", unit) }
        writer.key("findings")
        writer.beginArray()
        for finding in outcome.findings {
            writer.beginObject()
            finding.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        outcome.groups.writeEpisodes(withChecks: false, to: &writer)
        writer.endObject()
    }
}
