internal import HostSystem
package import StreamHealth
internal import Synchronization

/// The active alerts of all channels, stored in a file so that they survive a restart.
///
/// Alerts are saved before they are sent, so a restart neither repeats nor loses one. The queue for the webhook is in
/// the same file.
package final class ActiveAlerts: Sendable {
    private let file: AtomicJSONFile<Kept>
    private let webhook: WebhookQueue?
    private let state: Mutex<State>

    /// The contents of the file.
    struct Kept: Codable {
        /// The active alerts of channels, including those held back to be grouped with others of their host.
        var active: [ChannelAlert] = []
        var hosts = HostAlerts()
        /// The clock reading of the last update, and the same moment on the time scale of `hosts`.
        ///
        /// Both are nil before the first update.
        var written: ClockReading?
        var time: Double?
        /// The queue for the webhook; nil without one.
        var webhook: [WaitingAlert]?
    }

    private struct State {
        var kept: Kept
        /// The events that have not been published yet.
        var untold: [MonitorEvent] = []
        var isChanged = false
        /// The first clock reading of this process.
        private var start: ClockReading?

        init(kept: Kept) { self.kept = kept }

        /// Returns the time for `hosts`, which starts with the wall clock and then follows the boot clock.
        private mutating func time(at now: ClockReading) -> Double {
            let isFirst = start == nil
            let start = start ?? now
            self.start = start
            let time = now.unixSeconds(steadySince: start)
            kept.hosts.wallTimeOffset = Double(now.wall) / 1_000 - time
            if isFirst, let written = kept.written, let before = kept.time {
                kept.hosts.move(by: time - Double(now.milliseconds(since: written)) / 1_000 - before)
            }
            kept.written = now
            kept.time = time
            return time
        }

        mutating func observe(_ action: ChannelAlert.Action, _ alert: ChannelAlert, at now: ClockReading) {
            switch action {
            case .raise:
                // Already active before a restart.
                if kept.active.contains(where: { $0.id == alert.id }) { return }
                kept.active.append(alert)
            case .clear:
                guard let index = kept.active.firstIndex(where: { $0.id == alert.id }) else { return }
                kept.active.remove(at: index)
            }
            isChanged = true
            let time = time(at: now)
            tell(kept.hosts.observe(action, alert, at: time), at: now)
        }

        mutating func advance(to now: ClockReading) {
            let time = time(at: now)
            let notices = kept.hosts.advance(to: time)
            if !notices.isEmpty { isChanged = true }
            tell(notices, at: now)
        }

        private mutating func tell(_ notices: [AlertNotice], at now: ClockReading) {
            for notice in notices {
                untold.append(MonitorEvent(channel: notice.channel, time: now.wall, kind: .alert(notice)))
            }
        }
    }

    /// The error from reading the file; nil if it was read or does not exist.
    package let problem: String?

    /// Restores the alerts from a file; starts empty if it does not exist or cannot be read.
    ///
    /// - Parameter webhook: The queue for new alerts, to which the saved queue is added. If nil, the saved queue is
    ///   dropped.
    package convenience init(path: String, webhook: WebhookQueue? = nil) {
        let file = AtomicJSONFile<Kept>(path: path)
        do throws(AtomicJSONFile<Kept>.Problem) {
            self.init(file, kept: try file.read() ?? Kept(), webhook: webhook)
        } catch {
            self.init(file, kept: Kept(), problem: error.reason, webhook: webhook)
        }
    }

    /// Creates the store with the contents of a file.
    init(_ file: AtomicJSONFile<Kept>, kept: Kept, problem: String? = nil, webhook: WebhookQueue? = nil) {
        self.file = file
        self.webhook = webhook
        self.problem = problem
        webhook?.restore(kept.webhook ?? [])
        var kept = kept
        kept.webhook = nil
        state = Mutex(State(kept: kept))
    }

    /// Returns the active alerts of a channel.
    package func alerts(of channel: String) -> [ChannelAlert] {
        state.withLock { state in state.kept.active.filter { $0.channel == channel } }
    }

    /// The ids of all known channels, with or without an alert.
    var channels: Set<String> {
        state.withLock { Set($0.kept.active.map(\.channel)).union($0.kept.hosts.channels) }
    }

    /// The published alerts that are still active: most severe first, then host alerts, then newest first.
    ///
    /// A host alert replaces the alerts of its channels, which are left out.
    package var told: [OpenAlert] {
        let (active, hosts) = state.withLock { ($0.kept.active, $0.kept.hosts) }
        let untold = hosts.untold
        let alone = active.filter { !untold.contains($0.id) }.map(OpenAlert.channel)
        return (hosts.openAlerts.map(OpenAlert.host) + alone).sorted { one, other in
            // Compare the ids last, to make the order deterministic.
            (one.severity, one.isOfHost ? 1 : 0, one.since, other.id)
                > (other.severity, other.isOfHost ? 1 : 0, other.since, one.id)
        }
    }

    /// The number of active alerts.
    package var activeCount: Int { state.withLock { $0.kept.active.count } }

    /// Sets the host of a channel; nil removes the channel and clears its alerts.
    ///
    /// - Parameter now: The time at which the alerts are cleared.
    func assign(channel: String, to host: String?, at now: ClockReading) {
        state.withLock { state in
            state.kept.hosts.assign(channel: channel, to: host)
            guard host == nil else { return }
            for alert in state.kept.active where alert.channel == channel {
                state.observe(.clear, alert, at: now)
            }
        }
    }

    /// Handles an alert that was raised or cleared.
    func observe(_ action: ChannelAlert.Action, _ alert: ChannelAlert, at now: ClockReading) {
        state.withLock { $0.observe(action, alert, at: now) }
    }

    /// Saves any changes and returns the events to publish now.
    ///
    /// If the file cannot be written, the alerts are published anyway: a missing alert is worse than a repeated one.
    ///
    /// - Parameter evidence: Returns the folder with the evidence of an alert that is about to be published.
    func settle(at now: ClockReading, evidence: (MonitorEvent) -> String? = { _ in nil }) -> [MonitorEvent] {
        var (kept, untold) = state.withLock { state -> (Kept?, [MonitorEvent]) in
            state.advance(to: now)
            defer {
                state.untold = []
                state.isChanged = false
            }
            return (state.isChanged ? state.kept : nil, state.untold)
        }
        for index in untold.indices { untold[index].evidence = evidence(untold[index]) }
        webhook?.append(untold.compactMap { WaitingAlert($0, at: now) })
        kept?.webhook = webhook?.waiting
        do throws(AtomicJSONFile<Kept>.Problem) {
            if let kept { try file.write(kept) }
        } catch {
            // Usually the disk is full. The next tick tries again.
            state.withLock { $0.isChanged = true }
        }
        if !untold.isEmpty { webhook?.release() }
        return untold
    }
}

extension AlertNotice {
    /// The channel of the alert; nil for a host alert.
    fileprivate var channel: String? {
        if case .channel(_, let alert) = self { alert.channel } else { nil }
    }
}
