import NielsenID3
import StreamHealth
import TagRecord
import TextForms

/// Formats verdicts as one JSON object, for programs.
enum JSONReport {
    /// Returns the verdict of one input, or of several as `{"verdict":…,"inputs":[…]}`, with a final line end.
    ///
    /// - Parameter asList: whether to use the list form even for a single report.
    static func bytes(_ reports: [HealthReport], asList: Bool = false) -> [UInt8] {
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

    private static func write(_ report: HealthReport, to writer: inout JSONWriter) {
        let verdict = report.verdict
        writer.beginObject()
        writer.write("source", verdict.source)
        writer.write("verdict", verdict.status.rawValue)
        if let error = report.error { writer.write("error", error) }
        writer.write("duration", verdict.duration)
        writer.write("segments", verdict.segmentCount)
        writer.write("failed_segments", verdict.failedSegmentCount)
        writer.key("renditions")
        writer.beginArray()
        for rendition in verdict.renditions { writer.value(rendition) }
        writer.endArray()
        writer.key("tags")
        writer.beginObject()
        writer.write("data", verdict.tags.data)
        writer.write("info", verdict.tags.info)
        writer.write("unknown", verdict.tags.unknown)
        writer.write("other_owner", verdict.tags.otherOwner)
        writer.endObject()
        writer.key("limits")
        writer.beginObject()
        for limit in HealthLimit.all { writer.write(limit.name, number: verdict.policy[limit]) }
        writer.endObject()
        writer.key("checks")
        writer.beginArray()
        for outcome in verdict.outcomes { write(outcome, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    private static func write(_ outcome: CheckOutcome, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("id", outcome.id.rawValue)
        writer.write("status", outcome.status.rawValue)
        if outcome.status == .notRun { writer.write("reason", outcome.reason) }
        writer.write("count", outcome.count)
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
        writer.endObject()
    }
}
