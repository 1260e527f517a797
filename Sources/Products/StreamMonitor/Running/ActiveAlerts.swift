internal import HostSystem
package import StreamHealth
internal import Synchronization

/// The active alerts of all channels, kept in a file: a monitor that is started again knows what it has raised.
///
/// An alert is told only once the file has it, so that none is told twice, or cleared without having been told. The
/// alerts that wait for a webhook are in the same file.
package final class ActiveAlerts: Sendable {
    private let file: KeptFile<Kept>
    private let webhook: WebhookQueue?
    private let state: Mutex<State>

    /// What the file has.
    struct Kept: Codable {
        /// The alerts of channels that are active, told or waiting to be told with others of their host.
        var active: [ChannelAlert] = []
        var hosts = HostAlerts()
        /// What the clocks said when it was written, and what time that was for `hosts`; nil in files of earlier releases, where
        /// the times are of the wall clock.
        var written: ClockReading?
        var time: Double?
        /// What waits for the webhook; nil without one.
        var webhook: [WaitingAlert]?
    }

    private struct State {
        var kept: Kept
        /// What happened since the file was written.
        var untold: [MonitorEvent] = []
        var isChanged = false
        /// What the clocks said first.
        private var start: ClockReading?

        init(kept: Kept) { self.kept = kept }

        /// The time for `hosts`: that of the wall clock at first, and then as the boot clock runs.
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
                // Known from before a restart.
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

    /// Why the file could not be used; nil where it could, or there was none.
    package let problem: String?

    /// The alerts of a file; none where there is no file, or it cannot be used.
    ///
    /// - Parameter webhook: given what is told from now on, and what waited before a restart; nil without a webhook,
    ///   where what waited is given up.
    package convenience init(path: String, webhook: WebhookQueue? = nil) {
        let file = KeptFile<Kept>(path: path)
        do throws(KeptFile<Kept>.Problem) {
            self.init(file, kept: try file.read() ?? Kept(), webhook: webhook)
        } catch {
            self.init(file, kept: Kept(), problem: error.reason, webhook: webhook)
        }
    }

    /// The alerts that a file has.
    init(_ file: KeptFile<Kept>, kept: Kept, problem: String? = nil, webhook: WebhookQueue? = nil) {
        self.file = file
        self.webhook = webhook
        self.problem = problem
        webhook?.restore(kept.webhook ?? [])
        var kept = kept
        kept.webhook = nil
        state = Mutex(State(kept: kept))
    }

    /// The active alerts of a channel.
    package func alerts(of channel: String) -> [ChannelAlert] {
        state.withLock { state in state.kept.active.filter { $0.channel == channel } }
    }

    /// The channels that it knows, with an alert or without.
    var channels: Set<String> {
        state.withLock { Set($0.kept.active.map(\.channel)).union($0.kept.hosts.channels) }
    }

    /// The alerts that were told and are not over: the worst first, of these those of hosts, then the newest.
    ///
    /// An alert of a host stands for those of its channels, which are not among them.
    package var told: [OpenAlert] {
        let (active, hosts) = state.withLock { ($0.kept.active, $0.kept.hosts) }
        let untold = hosts.untold
        let alone = active.filter { !untold.contains($0.id) }.map(OpenAlert.channel)
        return (hosts.openAlerts.map(OpenAlert.host) + alone).sorted { one, other in
            // The ids make the order the same each time.
            (one.severity, one.isOfHost ? 1 : 0, one.since, other.id)
                > (other.severity, other.isOfHost ? 1 : 0, other.since, one.id)
        }
    }

    /// How many alerts are active.
    package var activeCount: Int { state.withLock { $0.kept.active.count } }

    /// Says which host a channel is loaded from; nil for one that is followed no longer, whose alerts are cleared.
    ///
    /// - Parameter now: the time of the clears.
    func assign(channel: String, to host: String?, at now: ClockReading) {
        state.withLock { state in
            state.kept.hosts.assign(channel: channel, to: host)
            guard host == nil else { return }
            for alert in state.kept.active where alert.channel == channel {
                state.observe(.clear, alert, at: now)
            }
        }
    }

    /// Takes an alert that was raised or cleared.
    func observe(_ action: ChannelAlert.Action, _ alert: ChannelAlert, at now: ClockReading) {
        state.withLock { $0.observe(action, alert, at: now) }
    }

    /// Writes the file where something has changed, and returns what can be told now.
    ///
    /// Where the file cannot be written the alerts are told all the same: somebody must know of them.
    ///
    /// - Parameter evidence: gives the folder with the evidence of an alert that is about to be told.
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
        do throws(KeptFile<Kept>.Problem) {
            if let kept { try file.write(kept) }
        } catch {
            // A full disk, as a rule; tried again with the next tick.
            state.withLock { $0.isChanged = true }
        }
        if !untold.isEmpty { webhook?.release() }
        return untold
    }
}

extension AlertNotice {
    /// The channel that it is about; nil for a host's.
    fileprivate var channel: String? {
        if case .channel(_, let alert) = self { alert.channel } else { nil }
    }
}
