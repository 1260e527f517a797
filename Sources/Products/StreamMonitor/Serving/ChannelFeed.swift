import HostSystem
import Synchronization
import TagStore

/// What changes in a monitor from second to second, for all who read along.
///
/// Nothing is queued for a reader: it asks for what is newer than what it has. So a slow one gets the newest of several
/// changes, and neither the monitor nor another reader waits for it. While nobody asks, nothing is done.
final class ChannelFeed: Sendable {
    private let monitor: LiveMonitor
    private let state = Mutex(State())

    /// How many readers there may be at once.
    static let maximumReaderCount = 32
    /// How often the monitor is looked at, whatever the number of readers.
    private static let interval = Duration.seconds(1)
    /// How many alerts are told at most, the worst and newest.
    private static let maximumAlertCount = 200

    private struct State {
        var readerCount = 0
        /// When the monitor was looked at last.
        var time: Duration?
        /// The number of the newest change.
        var revision = 0
        /// The change since which there are the same channels: who has none that is newer needs all.
        var base = 0
        /// The channels in order, and when each changed.
        var channels: [(snapshot: ChannelSnapshot, revision: Int)] = []
        var alerts: [OpenAlert] = []
        var alertRevision = 0
        var totals: StoreTotals?
    }

    /// What a reader has not seen.
    struct Update: Sendable {
        /// What it asks with next.
        let revision: Int
        /// Whether these are all channels, and what it has besides is gone.
        let isComplete: Bool
        /// When it was so, in Unix milliseconds.
        let time: Int64
        /// The channels that changed, in order.
        let channels: [ChannelSnapshot]
        /// The active alerts, the worst and newest first; nil where they are the same.
        let alerts: [OpenAlert]?
        /// How many alerts there are, those that are not told included.
        let alertCount: Int
        /// What became of the tags that were given to the buffer.
        let totals: StoreTotals
    }

    init(_ monitor: LiveMonitor) { self.monitor = monitor }

    /// A stream for one more reader; nil where there are as many as there may be.
    func openStream() -> EventStream? {
        let hasRoom = state.withLock { state in
            guard state.readerCount < Self.maximumReaderCount else { return false }
            state.readerCount += 1
            return true
        }
        return hasRoom ? EventStream(self, clock: monitor.clock) : nil
    }

    /// Says that a reader has gone.
    func closeStream() { state.withLock { $0.readerCount -= 1 } }

    /// What changed after a revision, everything after none; nil where nothing did.
    func update(after revision: Int?) -> Update? {
        state.withLock { state in
            look(&state)
            guard let totals = state.totals else { return nil }
            let isComplete = revision.map { $0 < state.base } ?? true
            let seen = isComplete ? -1 : revision ?? -1
            guard seen < state.revision else { return nil }
            return Update(
                revision: state.revision, isComplete: isComplete, time: monitor.clock.unixMilliseconds,
                channels: state.channels.filter { $0.revision > seen }.map(\.snapshot),
                alerts: state.alertRevision > seen
                    ? Array(state.alerts.prefix(Self.maximumAlertCount)) : nil,
                alertCount: state.alerts.count, totals: totals)
        }
    }

    /// Looks at the monitor, unless that was done a moment ago.
    private func look(_ state: inout State) {
        let now = monitor.clock.sinceBoot
        if let last = state.time, now - last < Self.interval { return }
        state.time = now
        let next = state.revision + 1
        let snapshots = monitor.snapshots
        if snapshots.map(\.id) != state.channels.map(\.snapshot.id) {
            state.channels = snapshots.map { ($0, next) }
            state.base = next
            state.revision = next
        } else {
            for index in snapshots.indices where snapshots[index] != state.channels[index].snapshot {
                state.channels[index] = (snapshots[index], next)
                state.revision = next
            }
        }
        let alerts = monitor.openAlerts
        if alerts != state.alerts {
            state.alerts = alerts
            state.alertRevision = next
            state.revision = next
        }
        let totals = monitor.bufferTotals
        if totals != state.totals { state.revision = next }
        state.totals = totals
    }
}
