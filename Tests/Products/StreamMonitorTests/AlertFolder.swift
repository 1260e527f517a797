import Foundation
import NielsenID3
import StreamHealth
import Testing

@testable import StreamMonitor

/// A folder with the file of the active alerts, which goes away with the value that holds it.
final class AlertFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("dtvr-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record(error)
        }
    }

    var file: String { path + "/alerts.json" }
    var mark: String { path + "/alerts-webhook.json" }

    static func alert(_ channel: String, since: Double = 1_000) -> ChannelAlert {
        ChannelAlert(
            channel: channel, check: .presenceSilent, since: since, severity: .fail, detail: "no tags")
    }

    /// The key under which an alert of a channel is sent.
    static func key(_ channel: String, _ action: ChannelAlert.Action = .raise) -> String {
        "\(channel)/presence.silent/1000000/\(action.rawValue)"
    }

    /// A queue that knows what the files have, as after a start.
    func queue(note: @escaping @Sendable (String) -> Void = { _ in }) -> WebhookQueue {
        WebhookQueue(markPath: mark, note: note)
    }
}
