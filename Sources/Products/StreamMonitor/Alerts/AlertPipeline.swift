import HostSystem
package import NielsenID3

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
    private let documentation: CheckDocumentation?

    /// Creates the pipeline of a monitor.
    ///
    /// - Parameters:
    ///   - evidence: Saves evidence of raised alerts; nil if none is saved.
    ///   - webhook: Sends what the store has queued for it.
    ///   - outputs: The other outputs.
    ///   - documentation: The documentation that messages and events link to; nil if there is none.
    package init(
        _ store: AlertStore, evidence: EvidenceRecorder? = nil, webhook: AlertWebhook? = nil,
        outputs: [any AlertOutput] = [], documentation: CheckDocumentation? = nil
    ) {
        self.documentation = documentation
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
    /// - Parameter subject: Returns the channel whose evidence is saved for an alert; nil if there is none.
    func publish(
        at now: ClockReading, subject: (Alert) -> EvidenceSubject? = { _ in nil }
    ) -> [MonitorEvent] {
        let (changes, contents) = store.takeChanges(at: now)
        var messages: [AlertMessage] = []
        var events: [MonitorEvent] = []
        for (change, time) in changes {
            let folder = evidence?.folder(for: change, subject: subject)
            let address = documentation?.address(of: change.alert.check)
            messages.append(
                AlertMessage(
                    change, at: time, evidence: folder, documentation: address, published: now))
            events.append(
                MonitorEvent(
                    channel: change.alert.channel, time: time, kind: .alert(change, evidence: folder),
                    documentation: address))
        }
        store.save(contents, queueing: messages)
        for (published, message) in zip(changes, messages) {
            for output in outputs { output.send(published.change, as: message) }
        }
        return events
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
