import HLSInput
import HostSystem
import Synchronization
import TagStore

/// Follows many live channels until its task ends.
package final class LiveMonitor: Sendable {
    private let services: MonitorServices
    private let report: @Sendable (MonitorEvent) -> Void
    private let alerts: ActiveAlerts
    private let state = Mutex(State())

    private struct State {
        var channels: [String: Entry] = [:]
        /// The tasks of channels that are followed no longer, and may not have come to their ends.
        var ending: [Task<Void, Never>] = []
    }

    /// A channel that is followed, and the task that does it.
    private struct Entry: Sendable {
        let runner: ChannelRunner
        let task: Task<Void, Never>
    }

    /// How often the clock of every channel is moved on, and alerts are told.
    private static let tickInterval = Duration.seconds(1)
    /// How often all channels are summed up.
    private static let summaryTickCount = 60

    /// A monitor without channels.
    ///
    /// - Parameter report: told of everything, from many threads; must return soon.
    package init(
        _ services: MonitorServices, alerts: ActiveAlerts, report: @escaping @Sendable (MonitorEvent) -> Void
    ) {
        self.services = services
        self.alerts = alerts
        self.report = report
    }

    /// Follows these channels and no others: what is new is begun, what is gone or changed is ended.
    package func follow(_ settings: [ChannelSettings]) {
        let wanted = Dictionary(settings.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        state.withLock { state in
            var earlier: [String: Task<Void, Never>] = [:]
            for (id, entry) in state.channels where wanted[id] != entry.runner.settings {
                entry.task.cancel()
                state.channels[id] = nil
                // The one that comes in its place waits for it.
                if wanted[id] == nil { state.ending.append(entry.task) } else { earlier[id] = entry.task }
            }
            // Whoever ends a channel knows that its alerts are over; also one that ended while nothing was followed.
            for id in alerts.channels where wanted[id] == nil { alerts.assign(channel: id, to: nil) }
            for channel in settings where state.channels[channel.id] == nil {
                alerts.assign(channel: channel.id, to: channel.host)
                let runner = ChannelRunner(channel, services: services, alerts: alerts, report: report)
                let before = earlier[channel.id]
                let task = Task {
                    // It goes on where that one has come to.
                    await before?.value
                    await runner.run()
                }
                state.channels[channel.id] = Entry(runner: runner, task: task)
            }
        }
    }

    /// Runs until the task is cancelled, then ends all channels.
    ///
    /// - Parameter onTick: called about once a second, for as long as it does its work.
    package func run(onTick: @Sendable () -> Void = {}) async {
        var tick = 0
        while !Task.isCancelled {
            do throws(CancellationError) {
                try await services.clock.sleep(for: Self.tickInterval)
            } catch {
                break
            }
            for runner in runners { runner.advance() }
            tellAlerts()
            onTick()
            tick += 1
            if tick % Self.summaryTickCount == 0 { tellSummary() }
        }
        let tasks = state.withLock { state in
            for entry in state.channels.values { entry.task.cancel() }
            return state.channels.values.map(\.task) + state.ending
        }
        for task in tasks { await task.value }
        for runner in runners { runner.advance() }
        tellAlerts()
        tellSummary()
    }

    private var runners: [ChannelRunner] { state.withLock { $0.channels.values.map(\.runner) } }

    /// All channels, by their ids.
    package var snapshots: [ChannelSnapshot] {
        runners.map(\.snapshot).sorted { NaturalOrder.precedes($0.id, $1.id) }
    }

    /// Whether there are channels, and each was tried once, with whatever result.
    package var isReady: Bool {
        let runners = runners
        return !runners.isEmpty && runners.allSatisfy(\.isTried)
    }

    /// What `/metrics` says at this moment; `folder` is that of the buffer.
    package func metricsText(bufferFolder folder: String) -> [UInt8] {
        let channels = runners.map(\.metrics).sorted { $0.snapshot.id < $1.snapshot.id }
        return MonitorMetrics(
            channels: channels, fetchTimes: services.fetchTimes, totals: services.buffer.totals(),
            bufferByteCount: StoreStatus.lastWritten(in: folder)?.byteCount, process: ProcessFacts()
        ).text()
    }

    /// What is known of one channel; nil where none has that id.
    package func details(of id: String) -> ChannelDetails? {
        state.withLock { $0.channels[id]?.runner }?.details
    }

    /// How all channels are.
    package var summary: MonitorSummary {
        var summary = MonitorSummary()
        for channel in snapshots {
            summary.channelCounts[channel.state, default: 0] += 1
            summary.tagCount += channel.tagCount
        }
        summary.alertCount = alerts.activeCount
        let totals = services.buffer.totals()
        summary.waitingCount = totals.inStore
        summary.deliveredCount = totals.delivered
        summary.lostCount = totals.losses.total
        return summary
    }

    private func tellAlerts() {
        for event in alerts.settle(at: services.clock.unixMilliseconds) { report(event) }
    }

    private func tellSummary() {
        report(MonitorEvent(channel: nil, time: services.clock.unixMilliseconds, kind: .summary(summary)))
    }
}
