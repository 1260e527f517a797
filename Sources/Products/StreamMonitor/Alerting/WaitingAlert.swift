import HostSystem
import StreamHealth
import TextForms

/// An alert on its way to a webhook: raised or cleared, and not accepted yet.
struct WaitingAlert: Sendable, Hashable, Codable {
    /// The alert's id and what happened to it, by which a receiver knows that it comes again.
    let key: String
    /// When it was told, in Unix milliseconds.
    let time: Int64
    /// What the clocks said then; nil in files of earlier releases.
    let told: ClockReading?
    /// The JSON object that is sent, the same at every try.
    let body: String

    /// An alert of which the rest is known.
    init(key: String, time: Int64, told: ClockReading? = nil, body: String) {
        self.key = key
        self.time = time
        self.told = told
        self.body = body
    }

    /// What a webhook is told of an event; nil of one that is no alert.
    init?(_ event: MonitorEvent, at now: ClockReading) {
        guard case .alert(let notice) = event.kind else { return nil }
        key = "\(notice.id)/\(notice.action.rawValue)"
        time = event.time
        told = now
        var writer = JSONWriter()
        event.writeLine(to: &writer)
        body = String(decoding: writer.bytes.dropLast(), as: UTF8.self)
    }

    /// How many milliseconds ago it was told, at the least.
    func age(at now: ClockReading) -> Int64 {
        now.milliseconds(since: told ?? ClockReading(ofEarlierRelease: time))
    }
}
