import HostSystem
package import NielsenID3
import Synchronization
import TextForms

/// The path of alerts from the rules to the outputs.
///
///     EpisodeBook                                               of each channel, and of the monitor
///       → HostGrouping → AlertStore → EvidenceRecorder
///       → AlertOutput: the webhook's queue, the command         of the whole monitor
///         MonitorEvent: the lines and the event stream
///
/// Each stage before the outputs takes an `AlertChange` and returns those that pass: at once, later, or others in its
/// place. A raise always precedes its clear. `AlertStore` saves the stages after the book with the active alerts, and
/// a change leaves only once it is saved. The pages and the metrics read the active alerts.
package final class AlertPipeline: Sendable {
    /// The active alerts.
    package let store: AlertStore
    private let evidence: EvidenceRecorder?
    private let webhook: AlertWebhook?
    private let outputs: [any AlertOutput]
    private let links: AlertLinks
    private let repeats = Mutex<ClockReading?>(nil)
    /// The time between two repeats of the open alerts, in milliseconds.
    private static let repeatInterval: Int64 = 60_000
    /// The maximum number of alerts in a request.
    private static let maximumRepeatCount = 200

    /// Creates the pipeline of a monitor.
    ///
    /// - Parameters:
    ///   - evidence: Saves evidence of raised alerts; nil if none is saved.
    ///   - webhook: Sends what the store has queued for it.
    ///   - outputs: The other outputs.
    ///   - links: The addresses that messages and events link to.
    package init(
        _ store: AlertStore, evidence: EvidenceRecorder? = nil, webhook: AlertWebhook? = nil,
        outputs: [any AlertOutput] = [], links: AlertLinks = AlertLinks()
    ) {
        self.links = links
        self.store = store
        self.evidence = evidence
        self.webhook = webhook
        self.outputs = (store.webhook.map { [$0] } ?? []) + outputs
    }

    /// Returns the folder with the evidence of an alert, or nil if it has none.
    func evidence(of alert: Alert) -> String? { evidence?.folder(ofAlert: alert.id) }

    /// Saves evidence and sends to the webhook until the task is cancelled.
    package func run() async {
        await withTaskGroup { group in
            if let evidence { group.addTask { await evidence.run() } }
            if let webhook { group.addTask { await webhook.run() } }
        }
    }

    /// Waits until the outputs have sent everything, at most for `limit`.
    package func stop(within limit: Duration) async {
        for output in outputs { await output.stop(within: limit) }
    }

    /// Publishes the changes that have passed the stages, and returns them as events; called about once a second.
    ///
    /// - Parameters:
    ///   - subject: Returns the channel whose evidence is saved for an alert; nil if there is none.
    ///   - channel: Returns the display name and the printable address of a channel; nil if it was removed.
    ///   - open: Returns the alerts that are open now, for receivers that need them again.
    func publish(
        at now: ClockReading, subject: (Alert) -> EvidenceSubject? = { _ in nil },
        channel: (String) -> (name: String, address: String)? = { _ in nil }, open: () -> [Alert] = { [] }
    ) -> [MonitorEvent] {
        let (changes, contents) = store.takeChanges(at: now)
        var messages: [AlertMessage] = []
        var queued: [AlertMessage] = []
        var events: [MonitorEvent] = []
        for (change, time) in changes {
            let folder = evidence?.folder(for: change, subject: subject)
            let facts = links.facts(of: change.alert, channel: channel)
            messages.append(
                AlertMessage(change, at: time, evidence: folder, facts: facts, published: now))
            if let format = store.webhook?.format {
                queued.append(
                    AlertMessage(
                        change, at: time, evidence: folder, facts: facts, as: format, published: now))
            }
            events.append(
                MonitorEvent(
                    channel: change.alert.channel, time: time, kind: .alert(change, evidence: folder),
                    facts: facts))
        }
        store.save(contents, queueing: queued)
        for (published, message) in zip(changes, messages) {
            for output in outputs { output.send(published.change, as: message) }
        }
        repeatOpenAlerts(at: now, channel: channel, open: open)
        return events
    }

    /// Gives the open alerts to a receiver that forgets them: at the start, and then every minute.
    ///
    /// The webhook sends them before the changes that follow.
    private func repeatOpenAlerts(
        at now: ClockReading, channel: (String) -> (name: String, address: String)?, open: () -> [Alert]
    ) {
        guard let webhook = store.webhook, webhook.format.repeatsOpenAlerts else { return }
        let isDue = repeats.withLock { last in
            if let last, now.milliseconds(since: last) < Self.repeatInterval { return false }
            last = now
            return true
        }
        guard isDue else { return }
        var rest = open().map { alert in
            AlertNotice(
                change: .raised(alert), time: now.wall, evidence: evidence(of: alert),
                facts: links.facts(of: alert, channel: channel))
        }[...]
        var messages: [AlertMessage] = []
        while !rest.isEmpty {
            var writer = JSONWriter()
            Array(rest.prefix(Self.maximumRepeatCount)).writeAlertmanager(to: &writer)
            rest = rest.dropFirst(Self.maximumRepeatCount)
            var message = AlertMessage(
                key: "open/\(now.wall)/\(messages.count)", time: now.wall, published: now,
                body: String(decoding: writer.bytes, as: UTF8.self))
            message.isRepeat = true
            messages.append(message)
        }
        webhook.replaceRepeats(with: messages)
    }
}

/// The address of the documentation of checks, which alerts link to.
package struct CheckDocumentation: Sendable {
    /// The address that the id of a check is appended to, such as `https://wiki.example/dtvr#`.
    package let prefix: String

    /// Creates the documentation at an address.
    package init(prefix: String) { self.prefix = prefix }

    /// Returns the address of a check.
    package func address(of check: CheckID) -> String { prefix + check.rawValue }
}

/// The last stage: a destination of alerts, such as a program.
package protocol AlertOutput: Sendable {
    /// Sends a change that is saved, in order; must return quickly.
    func send(_ change: AlertChange, as message: AlertMessage)
    /// Waits until everything is sent, and gives up after `limit`; by default returns at once.
    func stop(within limit: Duration) async
}

extension AlertOutput {
    package func stop(within limit: Duration) async {}
}

/// The webhook's queue is stored with the alerts, so it survives a restart and need not be empty at the end.
extension WebhookQueue: AlertOutput {
    /// Allows the messages that the store has saved to be sent.
    package func send(_ change: AlertChange, as message: AlertMessage) { release() }
}
