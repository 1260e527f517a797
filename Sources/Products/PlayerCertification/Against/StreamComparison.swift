import Reporting
import TextForms

/// The comparison of a player's tags with those of the stream that it played, for the report.
struct StreamComparison: Sendable {
    /// The maximum number of viewing sessions in a line of text.
    private static let maximumFactCount = 8

    private let source: String
    private let tagCount: Int
    private let isTruncated: Bool
    private let isWindow: Bool
    private let sessions: [StreamSession]

    init(_ stream: StreamTags, sessions: [StreamSession]) {
        source = stream.source
        tagCount = stream.count
        isTruncated = stream.isTruncated
        isWindow = stream.isWindow
        self.sessions = sessions
    }

    /// The lines of text, one for each viewing session up to a maximum.
    var facts: [String] {
        let tags = DecimalText.groupedCount(tagCount, "tag")
        let limit = isTruncated ? "; further ones are not compared" : ""
        let rows = sessions.prefix(Self.maximumFactCount).map { session in
            let name = session.instance.isEmpty ? "" : "session \(session.instance), "
            let numbers = session.members.dropFirst().filter {
                $0.1 > 0 || ["handed", "missing"].contains($0.0)
            }
            .map { $0.0 == "outside" ? "\($0.1) outside the window: not compared" : "\($0.1) \($0.0)" }
            return "  \(name)viewing session \(session.viewing): \(numbers.joined(separator: ", "))"
        }
        let rest = sessions.count - rows.count
        let window = isWindow ? " in the window of a live playlist" : ""
        return ["against \(PrintableText.of(source)): \(tags)\(window)\(limit)"] + rows
            + (rest > 0 ? ["  and \(rest) more viewing sessions"] : [])
    }

    /// Writes the member `against`.
    func write(to writer: inout JSONWriter) {
        writer.key("against")
        writer.beginObject()
        writer.write("source", source)
        writer.write("tags", tagCount)
        writer.key("sessions")
        writer.beginArray()
        for session in sessions {
            writer.beginObject()
            if !session.instance.isEmpty { writer.write("instance", session.instance) }
            for (key, value) in session.members {
                writer.key(escaping: key)
                writer.value(value)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
