package import TextForms

/// What became of a log as a whole.
package struct ReplaySummary: Sendable, Hashable {
    /// The tags and viewing sessions of all sessions.
    package var counts = SessionCounts()
    /// How often each finding was made.
    package var findings: [SessionFinding: Int] = [:]
    /// How many lines were calls.
    package var callCount = 0
    /// How many lines could not be read.
    package var unreadableCount = 0

    /// Nothing yet.
    package init() {}

    /// Adds the summary of another log.
    package mutating func add(_ other: ReplaySummary) {
        counts.add(other.counts)
        findings.merge(other.findings, uniquingKeysWith: +)
        callCount += other.callCount
        unreadableCount += other.unreadableCount
    }

    private var members: [(String, Int)] {
        [
            ("handed", counts.handed), ("stored", counts.stored), ("repeats", counts.repeats),
            ("ignored", counts.ignored), ("invalid", counts.invalid), ("discarded", counts.discarded),
            ("held", counts.held), ("flushed", counts.flushed), ("sessions", counts.sessions),
        ]
    }

    /// Writes it as one JSON object.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("summary")
        writer.beginObject()
        for (key, count) in members { writer.write(key, count) }
        writer.key("findings")
        writer.beginObject()
        for (finding, count) in sortedFindings { writer.write(finding.rawValue, count) }
        writer.endObject()
        writer.endObject()
        writer.endObject()
    }

    /// The lines for people.
    package var textLines: [String] {
        let counted = members.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        let found = sortedFindings.map { "  \(TextColumn.left($0.0.rawValue, 22)) \($0.1)" }
        return [counted] + (found.isEmpty ? ["no findings"] : ["findings:"] + found)
    }

    private var sortedFindings: [(SessionFinding, Int)] {
        findings.map { ($0.key, $0.value) }.sorted { $0.0.rawValue < $1.0.rawValue }
    }
}
