import StreamHealth
import TagRecord

/// A verdict as one JSON object, for programs.
package enum JSONReport {
    /// The verdict of one input, or of several as `{"verdict":…,"inputs":[…]}`; ends in a line end.
    ///
    /// - Parameter asList: whether to give the form for several whatever their number is.
    package static func bytes(_ reports: [HealthReport], asList: Bool = false) -> [UInt8] {
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
        for limit in HealthLimit.allCases { writer.write(limit.rawValue, number: verdict.policy[limit]) }
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
        // Those are in the `consequences` of other checks' findings.
        if outcome.consequenceCount > 0 { writer.write("consequence_count", outcome.consequenceCount) }
        // A check without a limit allows no finding.
        writer.write("limit", number: outcome.limit?.value ?? 0)
        if let unit = outcome.limit?.unit { writer.write("limit_unit", unit) }
        writer.key("findings")
        writer.beginArray()
        for finding in outcome.findings { write(finding, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    private static func write(_ finding: Finding, to writer: inout JSONWriter) {
        let place = finding.place
        writer.beginObject()
        writer.write("status", finding.status.rawValue)
        if let rendition = place.rendition { writer.write("rendition", rendition) }
        writer.write("segment", place.segment)
        if let sequence = place.mediaSequence { writer.write("media_sequence", sequence) }
        if let position = place.position { writer.write("position", position) }
        writer.write("seconds", place.seconds)
        if let pts = place.pts { writer.write("pts", pts) }
        writer.write("sequence", place.sequence)
        if let index = place.tagIndex { writer.write("tag", index) }
        writer.write("detail", finding.detail)
        if !finding.consequences.isEmpty {
            writer.key("consequences")
            writer.beginArray()
            for consequence in finding.consequences {
                writer.beginObject()
                writer.write("id", consequence.check.rawValue)
                writer.write("status", consequence.status.rawValue)
                writer.write("detail", consequence.detail)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ key: String, _ value: String?) {
        self.key(key)
        self.value(value)
    }

    fileprivate mutating func write(_ key: String, _ value: (some BinaryInteger)?) {
        self.key(key)
        self.value(value)
    }

    fileprivate mutating func write(_ key: String, _ value: Double?) {
        self.key(key)
        self.value(value)
    }

    /// Whole numbers go without a fraction.
    fileprivate mutating func write(_ key: String, number: Double) {
        if let whole = Int64(exactly: number) {
            write(key, whole)
        } else {
            write(key, number)
        }
    }
}
