import HostSystem
import StreamHealth
import TextForms

/// An alert, raised or cleared, that a webhook has not accepted yet.
struct WaitingAlert: Sendable, Hashable, Codable {
    /// The id of the alert and the action, which identify duplicates for the receiver.
    let key: String
    /// When the alert was published, in Unix milliseconds.
    let time: Int64
    /// The clock reading at that time.
    let told: ClockReading
    /// The JSON object to post, the same for every attempt.
    let body: String

    /// Creates an alert from its stored parts.
    init(key: String, time: Int64, told: ClockReading, body: String) {
        self.key = key
        self.time = time
        self.told = told
        self.body = body
    }

    /// Creates the webhook message for an event; nil if the event is not an alert.
    init?(_ event: MonitorEvent, at now: ClockReading) {
        guard case .alert(let notice) = event.kind else { return nil }
        key = "\(notice.id)/\(notice.action.rawValue)"
        time = event.time
        told = now
        var writer = JSONWriter()
        event.writeLine(to: &writer)
        body = String(decoding: writer.bytes.dropLast(), as: UTF8.self)
    }

    /// Returns the minimum age of the alert in milliseconds.
    func age(at now: ClockReading) -> Int64 {
        now.milliseconds(since: told)
    }
}
