import HostSystem
import NielsenID3
import StreamHealth
import TestSupport

@testable import StreamMonitor

/// A folder with the file of the active alerts, which goes away with the value that holds it.
struct AlertFolder {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.path }
    var file: String { path + "/alerts.json" }
    var mark: String { path + "/alerts-webhook.json" }

    static func alert(_ channel: String, since: Double = 1_000) -> Alert {
        Alert(
            scope: .channel(channel), check: .presenceSilent, since: since, severity: .fail, detail: "no tags"
        )
    }

    /// The key under which an alert of a channel is sent.
    static func key(_ channel: String, _ action: String = "raise") -> String {
        "\(channel)/presence.silent/1000000/\(action)"
    }

    /// A queue that knows what the files have, as after a start.
    func queue(note: @escaping @Sendable (String) -> Void = { _ in }) -> WebhookQueue {
        WebhookQueue(markPath: mark, note: note)
    }
}

extension ClockReading {
    /// In one boot, with a wall clock that nobody sets.
    static func steady(_ wall: Int64) -> ClockReading {
        ClockReading(wall: wall, boot: wall, bootID: "boot", isTrusted: true)
    }
}

extension AlertStore {
    func assign(channel: String, to host: String?, at time: Int64) {
        assign(channel: channel, to: host, at: .steady(time))
    }

    func observe(_ change: AlertChange, at time: Int64) { observe(change, at: .steady(time)) }

    /// Publishes to the webhook's queue alone, and without evidence.
    func settle(at now: ClockReading) -> [MonitorEvent] { AlertPipeline(self).publish(at: now) }

    func settle(at time: Int64) -> [MonitorEvent] { settle(at: .steady(time)) }
}
