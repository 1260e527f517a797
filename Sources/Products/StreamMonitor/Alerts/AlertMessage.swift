import HostSystem
import NielsenID3
import StreamHealth
import TextForms

/// A change of an alert in the JSON that outputs send and the webhook queue stores.
package struct AlertMessage: Sendable, Hashable, Codable {
    /// The id of the alert and the action, which identify duplicates for the receiver.
    let key: String
    /// When the change was published, in Unix milliseconds.
    let time: Int64
    /// The clock reading at that time.
    let published: ClockReading
    /// The JSON text, the same for every attempt.
    let body: String
    /// The format of the body; nil for that of the lines.
    var format: AlertFormat?
    /// Whether the message repeats open alerts; such a message is never stored.
    var isRepeat = false

    private enum CodingKeys: String, CodingKey {
        case key, time, body, format
        case published = "told"
    }

    /// Creates a message from its stored parts.
    init(key: String, time: Int64, published: ClockReading, body: String) {
        self.key = key
        self.time = time
        self.published = published
        self.body = body
    }

    /// Creates the message of a change that happened at `time`, in Unix milliseconds.
    ///
    /// - Parameters:
    ///   - evidence: The folder with the evidence of the alert; nil if there is none.
    ///   - facts: The names and addresses of the alert.
    ///   - format: The format of the body.
    init(
        _ change: AlertChange, at time: Int64, evidence: String?, facts: AlertFacts = AlertFacts(),
        as format: AlertFormat = .dtvr, published now: ClockReading
    ) {
        key = "\(change.alert.id)/\(change.action)"
        self.time = time
        published = now
        self.format = format == .dtvr ? nil : format
        body = format.body(of: change, at: time, evidence: evidence, facts: facts)
    }

    /// Returns the minimum age of the message in milliseconds.
    func age(at now: ClockReading) -> Int64 { now.milliseconds(since: published) }
}

extension AlertChange {
    /// Writes the members of the change's JSON object, which is the same in messages and in the lines of the monitor.
    func writeMembers(
        at time: Int64, evidence: String?, facts: AlertFacts, to writer: inout JSONWriter
    ) {
        writer.write("type", "alert")
        writer.write("action", action)
        writer.write("id", alert.id)
        alert.writeScope(to: &writer)
        alert.writeProblem(at: time, to: &writer)
        writer.write("evidence", evidence)
        facts.writeMembers(of: alert, to: &writer)
    }

    /// Returns a one-line description of the change for a person; a clear states how long the problem lasted.
    var sentence: String {
        let start =
            "Alert \(word) for \(alert.subject): \(alert.check.rawValue) (\(alert.severity.rawValue)): \(alert.detail)"
        return String(PrintableText.of(start + ending).prefix(Self.maximumSentenceLength))
    }

    /// The end of a text about the change: the consequences of the problem and, for a clear, its duration.
    package var ending: String {
        let names = alert.consequences.map(\.check.rawValue)
        let consequences = names.isEmpty ? "" : "; hence \(names.joined(separator: ", "))"
        guard case .cleared(let alert) = self, let duration = alert.duration else { return consequences }
        return "\(consequences), lasted \(DurationText.age(duration))"
    }

    /// The maximum length of the description, in characters.
    private static let maximumSentenceLength = 1_000
}

extension Alert {
    /// Writes the members that name the affected channel, host or monitor.
    func writeScope(to writer: inout JSONWriter) {
        writer.write("channel", channel)
        if scope == .monitor {
            writer.key("monitor")
            writer.value(true)
        }
        guard case .host(let host, let channels) = scope else { return }
        writer.write("host", host)
        writer.key("channels")
        writer.beginArray()
        for channel in channels { writer.value(channel) }
        writer.endArray()
    }

    /// Writes the members that describe the problem, and the time of a change of it.
    func writeProblem(at time: Int64? = nil, to writer: inout JSONWriter) {
        writer.write("check", check.rawValue)
        writer.write("severity", severity.rawValue)
        if let time {
            writer.key("at")
            writer.value(time: time)
        }
        writer.key("since")
        writer.value(time: since)
        writer.write("detail", detail)
        if let duration { writer.write("duration", duration) }
        guard !consequences.isEmpty else { return }
        writer.key("consequences")
        writer.beginArray()
        for consequence in consequences {
            writer.beginObject()
            writer.write("check", consequence.check.rawValue)
            writer.write("severity", consequence.status.rawValue)
            writer.write("detail", consequence.detail)
            writer.endObject()
        }
        writer.endArray()
    }
}
