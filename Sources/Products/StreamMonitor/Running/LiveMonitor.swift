import HLSInput
import HostSystem
import StreamHealth
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
        /// The tasks of channels that are followed no longer, and may not have come to their ends; by the channels' ids.
        var ending: [String: Task<Void, Never>] = [:]
    }

    /// A channel, and the task that follows it.
    private struct Entry: Sendable {
        let runner: ChannelRunner
        /// Of a channel that is paused it has ended, or is about to.
        var task: Task<Void, Never>
        var isPaused: Bool
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
    ///
    /// - Parameter paused: the ids of those that are known and not followed for now.
    package func follow(_ settings: [ChannelSettings], paused: Set<String> = []) {
        let wanted = Dictionary(settings.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let now = services.clock.reading
        state.withLock { state in
            for (id, entry) in state.channels where wanted[id] != entry.runner.settings {
                entry.task.cancel()
                entry.runner.retire()
                state.channels[id] = nil
                state.ending[id] = entry.task
                forget(entry.task, of: id)
            }
            // Whoever ends a channel knows that its alerts are over; also one that ended while nothing was followed.
            for id in alerts.channels where wanted[id] == nil {
                alerts.assign(channel: id, to: nil, at: now)
            }
            for channel in settings {
                let isPaused = paused.contains(channel.id)
                if let entry = state.channels[channel.id] {
                    if entry.isPaused != isPaused { state.channels[channel.id] = turned(entry) }
                    continue
                }
                alerts.assign(channel: channel.id, to: channel.host, at: now)
                let runner = ChannelRunner(channel, services: services, alerts: alerts, report: report)
                runner.share(with: wanted.count)
                if isPaused { runner.pause() }
                // It comes in the place of the one that ends, and waits for it.
                let task = task(runner, after: state.ending[channel.id], isPaused: isPaused)
                state.channels[channel.id] = Entry(runner: runner, task: task, isPaused: isPaused)
            }
            for entry in state.channels.values { entry.runner.share(with: state.channels.count) }
        }
    }

    /// Forgets a task once it has come to its end.
    private func forget(_ task: Task<Void, Never>, of id: String) {
        Task {
            await task.value
            state.withLock { state in if state.ending[id] == task { state.ending[id] = nil } }
        }
    }

    /// A channel that was followed and is paused, or the other way round.
    private func turned(_ entry: Entry) -> Entry {
        var entry = entry
        entry.isPaused.toggle()
        if entry.isPaused {
            entry.task.cancel()
            entry.runner.pause()
        } else {
            entry.runner.resume()
            entry.task = task(entry.runner, after: entry.task, isPaused: false)
        }
        return entry
    }

    /// Follows a channel from where the one before has come to, unless it is paused.
    private func task(
        _ runner: ChannelRunner, after earlier: Task<Void, Never>?, isPaused: Bool
    ) -> Task<Void, Never> {
        Task {
            await earlier?.value
            if !isPaused { await runner.run() }
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
            advanceChannels()
            tellAlerts()
            onTick()
            tick += 1
            if tick % Self.summaryTickCount == 0 { tellSummary() }
        }
        let tasks = state.withLock { state in
            for entry in state.channels.values { entry.task.cancel() }
            return state.channels.values.map(\.task) + state.ending.values
        }
        for task in tasks { await task.value }
        advanceChannels()
        tellAlerts()
        tellSummary()
    }

    private func advanceChannels() {
        let losing = services.buffer.takeLosingOwners()
        for runner in runners { runner.advance(losing: losing) }
    }

    private var runners: [ChannelRunner] { state.withLock { $0.channels.values.map(\.runner) } }

    /// All channels, by their ids.
    package var snapshots: [ChannelSnapshot] {
        runners.map(\.snapshot).sorted { NaturalOrder.precedes($0.id, $1.id) }
    }

    /// Whether there are channels, and each that is not paused was tried once, with whatever result.
    package var isReady: Bool {
        let entries = state.withLock { Array($0.channels.values) }
        return !entries.isEmpty && entries.allSatisfy { $0.isPaused || $0.runner.isTried }
    }

    /// What `/metrics` says at this moment; `folder` is that of the buffer.
    package func metricsText(bufferFolder folder: String) -> [UInt8] {
        let channels = runners.map(\.metrics).sorted { $0.snapshot.id < $1.snapshot.id }
        return MonitorMetrics(
            channels: channels, fetchTimes: services.fetchTimes, totals: services.buffer.totals(),
            bufferSize: StoreStatus.lastWritten(in: folder).map {
                .init(byteCount: $0.byteCount, maximumByteCount: $0.maximumByteCount)
            }, process: ProcessFacts()
        ).text()
    }

    /// What is known of one channel; nil where none has that id.
    package func details(of id: String) -> ChannelDetails? {
        state.withLock { $0.channels[id]?.runner }?.details
    }

    /// The alerts that were told and are not over, the worst and newest first.
    var openAlerts: [OpenAlert] { alerts.told }

    /// What became of the tags that were given to the buffer.
    var bufferTotals: StoreTotals { services.buffer.totals() }

    /// The time that the channels go by.
    var clock: any HostClock { services.clock }

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
        let events = alerts.settle(at: services.clock.reading) { evidence(of: $0) }
        for event in events { report(event) }
    }

    /// The folder with the evidence of an alert; that of one that is raised is begun.
    private func evidence(of event: MonitorEvent) -> String? {
        guard let recorder = services.evidence, case .alert(let notice) = event.kind else { return nil }
        if notice.action == .clear { return recorder.folder(ofAlert: notice.id) }
        let channels =
            switch notice {
            case .channel(_, let alert): [alert.channel]
            case .host(_, let alert): alert.channels
            }
        let runner = state.withLock { state in channels.compactMap { state.channels[$0]?.runner }.first }
        return runner.flatMap { recorder.begin(event, of: $0.evidenceSubject) }
    }

    private func tellSummary() {
        report(MonitorEvent(channel: nil, time: services.clock.unixMilliseconds, kind: .summary(summary)))
    }
}
