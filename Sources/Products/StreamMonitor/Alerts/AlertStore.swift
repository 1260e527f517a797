internal import HostSystem
internal import ID3v2
internal import StreamHealth
internal import Synchronization

/// The second stage after the books: the active alerts, stored in a file with the findings of the channels, so that
/// both survive a restart.
///
/// Alerts are saved before they are sent, so a restart neither repeats nor loses one. The stages before it that hold
/// alerts of several channels, and the queue for the webhook, are in the same file.
package final class AlertStore: Sendable {
    private let file: AtomicJSONFile<Contents>
    /// The queue for the webhook; nil without one.
    let webhook: WebhookQueue?
    private let state: Mutex<State>
    /// The contents of the file, locked while it is written, so that no write replaces a newer one; before `state`.
    private let saved: Mutex<Contents>

    /// The contents of the file.
    struct Contents: Codable {
        /// The active alerts, oldest first, including those held back to be grouped with others of their host.
        var active: [Alert] = []
        var grouping = HostGrouping()
        /// The acknowledgments and mutes; nil if there are none.
        var handling: AlertHandling?
        /// The findings of each channel that has any; nil if none has.
        var findings: [String: [FindingGroup]]?
        /// The clock reading of the last update, and the same moment by the steady clock of `grouping`.
        ///
        /// Both are nil before the first update.
        var written: ClockReading?
        var time: SteadyTime?
        /// The queue for the webhook; nil without one.
        var webhook: [AlertMessage]?

        private enum CodingKeys: String, CodingKey {
            case active, handling, findings, written, time, webhook
            case grouping = "hosts"
        }
    }

    private struct State {
        /// The active alerts, without those of `contents`.
        var active = ChannelAlerts()
        var contents: Contents
        /// The acknowledgments and mutes, without those of `contents`.
        var handling: AlertHandling
        var unpublished: [(change: AlertChange, time: Int64)] = []
        var isChanged = false
        /// The first clock reading of this process.
        private var start: ClockReading?

        init(contents: Contents) {
            self.contents = contents
            handling = contents.handling ?? AlertHandling()
            for alert in contents.active { active.insert(alert) }
            self.contents.active = []
        }

        /// The contents of the file that follow from this state.
        var stored: Contents {
            var stored = contents
            stored.active = active.all
            if stored.findings?.isEmpty == true { stored.findings = nil }
            stored.handling = handling.isEmpty ? nil : handling
            return stored
        }

        /// Returns the moment for `grouping`, whose steady clock starts with the wall clock and then follows the boot
        /// clock.
        private mutating func moment(of now: ClockReading) -> ClockMoment {
            let isFirst = start == nil
            let start = start ?? now
            self.start = start
            let moment = ClockMoment(now, steadySince: start)
            let time = moment.steady
            if isFirst, let written = contents.written, let before = contents.time {
                contents.grouping.move(by: time - Double(now.milliseconds(since: written)) / 1_000 - before)
            }
            contents.written = now
            contents.time = time
            return moment
        }

        mutating func observe(_ change: AlertChange, at now: ClockReading) {
            switch change {
            case .raised(let alert):
                // Already active before a restart.
                if active.contains(alert) { return }
                active.insert(alert)
            case .cleared(let alert):
                guard active.remove(alert) else { return }
            }
            isChanged = true
            guard handling.passes(change, at: now.wall) else { return }
            let moment = moment(of: now)
            publish(contents.grouping.observe(change, at: moment), at: now)
        }

        mutating func advance(to now: ClockReading) {
            let before = handling
            if handling.advance(to: now.wall) {
                for alert in handling.release(active.all) {
                    let moment = moment(of: now)
                    publish(contents.grouping.observe(.raised(alert), at: moment), at: now)
                }
            }
            if !handling.acknowledgments.isEmpty {
                let open = active.all + contents.grouping.openAlerts
                handling.keepAcknowledgments(of: Set(open.map(\.id)))
            }
            if handling != before { isChanged = true }
            let changes = contents.grouping.advance(to: moment(of: now).steady)
            if !changes.isEmpty { isChanged = true }
            publish(changes, at: now)
        }

        private mutating func publish(_ changes: [AlertChange], at now: ClockReading) {
            unpublished += changes.map { ($0, now.wall) }
        }
    }

    /// The error from reading the file; nil if it was read or does not exist.
    package let problem: String?

    /// Restores the alerts from a file; starts empty if it does not exist or cannot be read.
    ///
    /// - Parameter webhook: The queue for new alerts, to which the saved queue is added. If nil, the saved queue is
    ///   dropped.
    package convenience init(path: String, webhook: WebhookQueue? = nil) {
        let file = AtomicJSONFile<Contents>(path: path)
        do throws(AtomicJSONFile<Contents>.Problem) {
            self.init(file, contents: try file.read() ?? Contents(), webhook: webhook)
        } catch {
            self.init(file, contents: Contents(), problem: error.reason, webhook: webhook)
        }
    }

    /// Creates the store with the contents of a file.
    init(
        _ file: AtomicJSONFile<Contents>, contents: Contents, problem: String? = nil,
        webhook: WebhookQueue? = nil
    ) {
        self.file = file
        self.webhook = webhook
        self.problem = problem
        webhook?.restore(contents.webhook ?? [])
        var contents = contents
        contents.webhook = nil
        state = Mutex(State(contents: contents))
        saved = Mutex(contents)
    }

    /// Returns whether an alert is active, sent or not.
    func isActive(_ id: String) -> Bool { state.withLock { $0.active.all.contains { $0.id == id } } }

    /// Returns the active alerts of a channel; nil stands for the monitor itself.
    package func alerts(of channel: String?) -> [Alert] { state.withLock { $0.active[channel] } }

    // MARK: Restarts

    /// Returns the open episodes and the findings of a channel at the start; nil stands for the monitor itself.
    func memory(of channel: String?) -> (open: [Episode], findings: [FindingGroup]) {
        state.withLock { state in
            (state.active[channel].map(\.episode), channel.flatMap { state.contents.findings?[$0] } ?? [])
        }
    }

    /// Keeps the present alerts and findings of a channel for a restart; nil stands for the monitor itself.
    func keep(_ alerts: [Alert], _ findings: [FindingGroup] = [], of channel: String?) {
        state.withLock { state in
            let before = state.active[channel].map(\.episode.over)
            state.active.replace(with: alerts)
            // A new file for each violation would be large in an outage of many channels.
            if state.active[channel].map(\.episode.over) != before { state.isChanged = true }
            guard let channel, findings != state.contents.findings?[channel] ?? [] else { return }
            state.contents.findings = state.contents.findings ?? [:]
            state.contents.findings?[channel] = findings.isEmpty ? nil : findings
            state.isChanged = true
        }
    }

    /// The ids of all known channels, with or without an alert.
    var channels: Set<String> {
        state.withLock {
            $0.active.channels.union($0.contents.grouping.channels)
        }
    }

    /// The published alerts that are still active: most severe first, then host alerts, then newest first.
    ///
    /// A host alert replaces the alerts of its channels, which are left out.
    package var published: [Alert] {
        let (active, grouping) = state.withLock { ($0.active.all, $0.contents.grouping) }
        let withheld = grouping.withheld
        let alone = active.filter { !withheld.contains($0.id) }
        // Compare the ids last, to make the order deterministic.
        let alerts = (grouping.openAlerts + alone).map { (alert: $0, id: $0.id) }
        return alerts.sorted { one, other in
            (one.alert.severity, one.alert.channel == nil ? 1 : 0, one.alert.since, other.id)
                > (other.alert.severity, other.alert.channel == nil ? 1 : 0, other.alert.since, one.id)
        }
        .map(\.alert)
    }

    // MARK: People

    /// The acknowledgments and mutes.
    var handling: AlertHandling { state.withLock { $0.handling } }

    /// Changes the acknowledgments and mutes, which are saved on return; a change that cannot be saved is refused.
    ///
    /// The other contents of the file stay as they were saved: an alert that is not sent yet must not be in it.
    func handle<Result: Sendable>(
        _ change: (inout AlertHandling) throws(ChannelChangeError) -> Result
    ) throws(ChannelChangeError) -> Result {
        try saved.withLock { contents throws(ChannelChangeError) in
            var handling = state.withLock { $0.handling }
            let result = try change(&handling)
            do throws(AtomicJSONFile<Contents>.Problem) {
                try write(&contents, handling)
            } catch {
                throw .unkept(reason: error.reason)
            }
            state.withLock { $0.handling.adopt(handling) }
            return result
        }
    }

    /// Writes the file with the acknowledgments and mutes of now, and with the queue for the webhook.
    private func write(
        _ contents: inout Contents, _ handling: AlertHandling
    ) throws(AtomicJSONFile<Contents>.Problem) {
        var kept = contents.handling ?? AlertHandling()
        kept.adopt(handling)
        contents.handling = kept.isEmpty ? nil : kept
        contents.webhook = webhook?.waiting
        try file.write(contents)
    }

    /// The number of active alerts.
    package var activeCount: Int { state.withLock { $0.active.count } }

    /// Sets the host of a channel; nil removes the channel and clears its alerts.
    ///
    /// - Parameter now: The time at which the alerts are cleared.
    func assign(channel: String, to host: String?, at now: ClockReading) {
        state.withLock { state in
            state.contents.grouping.assign(channel: channel, to: host)
            guard host == nil else { return }
            if state.contents.findings?.removeValue(forKey: channel) != nil { state.isChanged = true }
            for alert in state.active[channel] {
                state.observe(.cleared(alert), at: now)
            }
        }
    }

    /// Takes a change from a channel.
    func observe(_ change: AlertChange, at now: ClockReading) {
        state.withLock { $0.observe(change, at: now) }
    }

    /// Saves the alerts with the next changes, although only the times of their violations differ.
    func saveAtEnd() { state.withLock { $0.isChanged = $0.isChanged || !$0.active.isEmpty } }

    // MARK: Publishing

    /// Advances the stages and removes and returns the changes to publish; call it about once a second.
    ///
    /// - Returns: The changes in order, each with the time at which it left the stages, in Unix milliseconds, and the
    ///   contents of the file with these changes, to save before; nil if they are the same as before.
    func takeChanges(
        at now: ClockReading
    ) -> (changes: [(change: AlertChange, time: Int64)], contents: Contents?) {
        state.withLock { state in
            state.advance(to: now)
            defer {
                state.unpublished = []
                state.isChanged = false
            }
            return (state.unpublished, state.isChanged ? state.stored : nil)
        }
    }

    /// Queues the messages of changes for the webhook and saves the contents of the file with the queue.
    ///
    /// If the file cannot be written, the next call tries again, and the changes are published anyway: a missing alert
    /// is worse than a repeated one.
    func save(_ contents: Contents?, queueing messages: [AlertMessage]) {
        saved.withLock { saved in
            webhook?.append(messages)
            guard let contents else { return }
            saved = contents
            do throws(AtomicJSONFile<Contents>.Problem) {
                try write(&saved, state.withLock { $0.handling })
            } catch {
                // Usually the disk is full.
                state.withLock { $0.isChanged = true }
            }
        }
    }
}

extension ClockMoment {
    /// Creates the moment of a reading, by a steady clock that was the wall clock at the reading `start`.
    init(_ reading: ClockReading, steadySince start: ClockReading) {
        self.init(
            steady: SteadyTime(seconds: reading.unixSeconds(steadySince: start)),
            wall: WallTime(unixMilliseconds: reading.wall))
    }
}
