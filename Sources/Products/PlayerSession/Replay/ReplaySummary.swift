package import TagStore
package import TextForms

/// The summary of a replayed log.
package struct ReplaySummary: Sendable, Hashable {
    /// The counts of tags and viewing sessions, over all sessions.
    package var counts = SessionCounts()
    /// The number of times each finding occurred.
    package var findings: [SessionFinding: Int] = [:]
    /// The number of lines with a call.
    package var callCount = 0
    /// The number of unreadable lines.
    package var unreadableCount = 0

    /// The totals of the buffer, which may have tags of other logs; nil if they are not part of the summary.
    package var buffer: StoreTotals?

    /// Creates an empty summary.
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

    private static func members(of totals: StoreTotals) -> [(String, Int)] {
        [
            ("accepted", totals.accepted), ("delivered", totals.delivered), ("waiting", totals.inStore),
            ("lost", totals.losses.total), ("refused", totals.refused),
        ].map { ($0, Int(clamping: $1)) }
    }

    /// Writes the summary as one JSON object.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("summary")
        writer.beginObject()
        for (key, count) in members { writer.write(key, count) }
        writer.key("findings")
        writer.beginObject()
        for (finding, count) in sortedFindings { writer.write(finding.rawValue, count) }
        writer.endObject()
        if let buffer {
            writer.key("buffer")
            writer.beginObject()
            for (key, count) in Self.members(of: buffer) { writer.write(key, count) }
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
    }

    /// The summary as lines of text.
    package var textLines: [String] {
        let counted = Self.text(members)
        let buffered = buffer.map { ["buffer: " + Self.text(Self.members(of: $0))] } ?? []
        let found = sortedFindings.map { "  \(TextColumn.left($0.0.rawValue, 22)) \($0.1)" }
        return [counted] + buffered + (found.isEmpty ? ["no findings"] : ["findings:"] + found)
    }

    private static func text(_ members: [(String, Int)]) -> String {
        members.map { name, count in
            // The keys of two counts are plurals.
            DecimalText.count(count, ["sessions": "session", "repeats": "repeat"][name] ?? name, name)
        }.joined(separator: ", ")
    }

    private var sortedFindings: [(SessionFinding, Int)] {
        findings.map { ($0.key, $0.value) }.sorted { $0.0.rawValue < $1.0.rawValue }
    }
}
