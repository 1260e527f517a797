import HostSystem
import NielsenID3
import StreamHealth
import TestSupport

@testable import StreamMonitor

/// A temporary folder for the alert files, which is removed with this value.
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

    /// Returns the key of a message about an alert of a channel.
    static func key(_ channel: String, _ action: String = "raise") -> String {
        "\(channel)/presence.silent/1000000/\(action)"
    }

    /// Returns a queue with the mark file of this folder, as after a start.
    func queue(note: @escaping @Sendable (String) -> Void = { _ in }) -> WebhookQueue {
        WebhookQueue(markPath: mark, note: note)
    }
}

extension ClockReading {
    /// Returns a reading within one boot, with a wall clock that is never set.
    static func steady(_ wall: Int64) -> ClockReading {
        ClockReading(wall: wall, boot: wall, bootID: "boot", isTrusted: true)
    }
}

extension AlertStore {
    func assign(channel: String, to host: String?, at time: Int64) {
        assign(channel: channel, to: host, at: .steady(time))
    }

    func observe(_ change: AlertChange, at time: Int64) { observe(change, at: .steady(time)) }

    /// Publishes without evidence, and only to the webhook's queue.
    func settle(at now: ClockReading) -> [MonitorEvent] { AlertPipeline(self).publish(at: now) }

    func settle(at time: Int64) -> [MonitorEvent] { settle(at: .steady(time)) }
}
