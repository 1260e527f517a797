import HLSInput
import HostSystem
import ID3v2
import NielsenID3
import StreamHealth
import Synchronization
import TagDelivery
import TagStore

/// Follows many live channels until its task ends.
package final class LiveMonitor: Sendable {
    private let services: MonitorServices
    private let report: @Sendable (MonitorEvent) -> Void
    private let alerts: AlertPipeline
    /// The clock reading at the creation of the monitor.
    private let start: ClockReading
    private let state: Mutex<State>

    private struct State {
        /// The checks of the monitor itself, and their memory.
        var checks = CheckRegistry.monitorChecks
        var book: EpisodeBook
        var channels: [String: Entry] = [:]
        var starts = ChannelStarts()
        /// The tasks of removed channels that may still be running, by channel id.
        var ending: [String: Task<Void, Never>] = [:]
    }

    /// A channel with the task that follows it.
    private struct Entry: Sendable {
        let runner: ChannelRunner
        /// The last task; that of a channel that is paused or waits for its start has ended or is about to.
        var task: Task<Void, Never>?
        var isPaused: Bool
        /// Whether the channel waits for its start.
        var isWaiting = false
    }

    /// The interval at which the clocks of the channels advance and alerts are published.
    private static let tickInterval = Duration.seconds(1)
    /// The problem of a clock that no time service keeps.
    private static let clockNote =
        "the clock of this machine is not synchronized: printed times, quiet hours and time.wall-clock may be wrong"
    /// The number of ticks between two summaries.
    private static let summaryTickCount = 60
    /// The number of ticks between two times at which the alerts and the findings are kept for a restart.
    private static let keepTickCount = 10
    /// The maximum number of findings that are kept, shared by the channels.
    private static let maximumKeptCount = 10_000

    /// Creates a monitor without channels.
    ///
    /// - Parameter report: Called with every event, from any thread. Must return quickly.
    package init(
        _ services: MonitorServices, alerts: AlertPipeline, report: @escaping @Sendable (MonitorEvent) -> Void
    ) {
        self.services = services
        self.alerts = alerts
        self.report = report
        start = services.clock.reading
        var book = EpisodeBook(
            policy: services.policy, open: alerts.store.memory(of: nil).open,
            at: ClockMoment(start, steadySince: start))
        // Until the first comparison.
        book.expect(.monitorClock, true)
        state = Mutex(State(book: book))
    }

    /// Follows exactly these channels: starts new ones, stops removed ones, and restarts changed ones.
    ///
    /// - Parameter paused: The ids of channels that are listed but not followed for now.
    package func follow(_ settings: [ChannelSettings], paused: Set<String> = []) {
        let wanted = Dictionary(settings.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let now = services.clock.reading
        state.withLock { state in
            for (id, entry) in state.channels {
                guard let settings = wanted[id], settings.differsOnlyInName(from: entry.runner.settings)
                else { continue }
                entry.runner.pipeline.rename(to: settings.name)
            }
            for (id, entry) in state.channels where wanted[id] != entry.runner.settings {
                entry.task?.cancel()
                entry.runner.pipeline.keep(findings: max(1, Self.maximumKeptCount / state.channels.count))
                entry.runner.pipeline.retire()
                state.channels[id] = nil
                guard let task = entry.task else { continue }
                state.ending[id] = task
                forget(task, of: id)
            }
            // Clear the alerts of removed channels, including those that were removed while the monitor was not
            // running.
            for id in alerts.store.channels where wanted[id] == nil {
                alerts.store.assign(channel: id, to: nil, at: now)
            }
            for channel in settings {
                let isPaused = paused.contains(channel.id)
                if let entry = state.channels[channel.id] {
                    if entry.isPaused != isPaused { state.channels[channel.id] = turned(entry) }
                    continue
                }
                alerts.store.assign(channel: channel.id, to: channel.host, at: now)
                let runner = ChannelRunner(channel, services: services, alerts: alerts.store, report: report)
                runner.share(with: wanted.count)
                if isPaused { runner.pipeline.pause() }
                // Replaces the stopped runner of the same channel and waits for it.
                state.channels[channel.id] = Entry(
                    runner: runner, task: state.ending[channel.id], isPaused: isPaused, isWaiting: !isPaused)
                if !isPaused { state.starts.add(channel.id) }
            }
            startChannels(&state)
            for entry in state.channels.values { entry.runner.share(with: state.channels.count) }
            services.buffer.keepShares(of: Set(wanted.keys.map { TagOwner(channel: $0) }))
        }
    }

    /// Removes a task from `ending` once it has finished.
    private func forget(_ task: Task<Void, Never>, of id: String) {
        Task {
            await task.value
            state.withLock { state in if state.ending[id] == task { state.ending[id] = nil } }
        }
    }

    /// Starts the channels whose turn it is.
    private func startChannels(_ state: inout State) {
        let channels = state.channels
        let ids = state.starts.next(at: services.clock.sinceBoot) {
            channels[$0]?.isWaiting == true
        } hasReadList: {
            channels[$0]?.runner.context.use.hasReadList ?? true
        }
        for id in ids {
            guard var entry = channels[id] else { continue }
            entry.isWaiting = false
            entry.task = task(entry.runner, after: entry.task)
            state.channels[id] = entry
        }
    }

    /// Pauses or resumes a channel.
    private func turned(_ entry: Entry) -> Entry {
        var entry = entry
        entry.isPaused.toggle()
        entry.isWaiting = false
        if entry.isPaused {
            entry.task?.cancel()
            entry.runner.pipeline.pause()
        } else {
            entry.runner.pipeline.resume()
            entry.task = task(entry.runner, after: entry.task)
        }
        return entry
    }

    /// Starts a task that waits for the earlier one and then follows the channel.
    private func task(_ runner: ChannelRunner, after earlier: Task<Void, Never>?) -> Task<Void, Never> {
        services.fetcher.task {
            await earlier?.value
            await runner.run()
        }
    }

    /// Runs until the task is cancelled, then stops all channels.
    ///
    /// - Parameter onTick: Called about once a second while the monitor is working.
    package func run(onTick: @Sendable () -> Void = {}) async {
        if services.clock.isSynchronized == false { services.note(Self.clockNote) }
        var tick = 0
        while !Task.isCancelled {
            do throws(CancellationError) {
                try await services.clock.sleep(for: Self.tickInterval)
            } catch {
                break
            }
            state.withLock { startChannels(&$0) }
            advanceChannels()
            watchItself()
            if tick % Self.keepTickCount == 0 { keepChannels() }
            publishAlerts()
            await services.periods.store()
            onTick()
            tick += 1
            if tick % Self.summaryTickCount == 0 { publishSummary() }
        }
        let tasks = state.withLock { state in
            for entry in state.channels.values { entry.task?.cancel() }
            return state.channels.values.compactMap(\.task) + state.ending.values
        }
        for task in tasks { await task.value }
        advanceChannels()
        for runner in runners { runner.pipeline.addPeriods(isEnd: true) }
        await services.periods.store()
        keepChannels()
        alerts.store.saveAtEnd()
        publishAlerts()
        publishSummary()
    }

    /// Keeps the alerts and the findings for a restart.
    private func keepChannels() {
        let runners = runners
        for runner in runners {
            runner.pipeline.keep(findings: max(1, Self.maximumKeptCount / runners.count))
        }
        alerts.store.keep(ownAlerts, of: nil)
    }

    private func advanceChannels() {
        let losing = services.buffer.takeLosingOwners()
        let (entries, hasClockProblem) = state.withLock { state in
            // Then the tags of each channel are off, and the clock is the cause.
            (Array(state.channels.values), state.book.isExpected(.monitorClock))
        }
        for entry in entries {
            if entry.isWaiting {
                entry.runner.pipeline.hold()
            } else {
                entry.runner.advance(losing: losing, hasClockProblem: hasClockProblem)
            }
        }
    }

    /// The number of channels that wait for their start.
    package var waitingCount: Int { state.withLock { $0.channels.values.count(where: \.isWaiting) } }

    var runners: [ChannelRunner] { state.withLock { $0.channels.values.map(\.runner) } }

    /// The state of all channels, ordered by id.
    package var snapshots: [ChannelSnapshot] {
        runners.map(\.pipeline.snapshot).sorted { NaturalOrder.precedes($0.id, $1.id) }
    }

    /// Whether there are channels, and each that is not paused was attempted at least once, successfully or not.
    package var isReady: Bool {
        let entries = state.withLock { Array($0.channels.values) }
        return !entries.isEmpty && entries.allSatisfy { $0.isPaused || $0.runner.pipeline.isTried }
    }

    /// Returns the contents of `/metrics`; `folder` is the folder of the buffer.
    package func metricsText(bufferFolder folder: String) -> [UInt8] {
        let channels = runners.map(\.pipeline.metrics).sorted { $0.snapshot.id < $1.snapshot.id }
        return MonitorMetrics(
            channels: channels, fetchTimes: services.fetchTimes, totals: services.buffer.totals(),
            bufferSize: StoreStatus.lastWritten(in: folder).map {
                ($0.byteCount, $0.maximumByteCount)
            }, process: ProcessFacts(), openChecks: Set(alerts.store.alerts(of: nil).map(\.check)),
            isClockSynchronized: services.clock.isSynchronized
        ).text()
    }

    /// Returns the details of a channel, or nil if no channel has this id.
    package func details(of id: String) -> ChannelDetails? {
        guard var details = state.withLock({ $0.channels[id]?.runner })?.details else { return nil }
        for alert in details.alerts { details.evidence[alert.id] = alerts.evidence(of: alert) }
        details.delivery = services.delivery()
        details.handling = alerts.store.handling
        details.waitingCount = services.buffer.totals().inStore
        return details
    }

    /// The open alerts of the monitor itself, oldest first.
    private var ownAlerts: [Alert] { state.withLock(\.book.open).map { Alert($0, of: .monitor) } }

    /// The published alerts that are still active, most severe and newest first, with their texts as of now.
    var publishedAlerts: [Alert] {
        let ofMonitor = ownAlerts
        let runners = state.withLock { $0.channels.mapValues(\.runner) }
        return alerts.store.published.map { alert in
            let current = alert.channel.map { runners[$0]?.pipeline.openAlerts ?? [] } ?? ofMonitor
            var published = current.first { $0.id == alert.id } ?? alert
            // Another violation alone does not change what readers see.
            (published.episode.last, published.episode.over) = (nil, nil)
            return published
        }
    }

    /// The acknowledgments and mutes.
    var handling: AlertHandling { alerts.store.handling }

    /// Acknowledges an open alert.
    func acknowledge(
        _ id: String, _ attribution: AlertHandling.Attribution
    ) throws(ChannelChangeError) {
        let isOpen = alerts.store.published.contains { $0.id == id }
        guard isOpen || alerts.store.isActive(id) else {
            throw .invalid("alert: there is no open alert '\(id)'")
        }
        try alerts.store.handle { handling throws(ChannelChangeError) in
            try handling.acknowledge(id, attribution)
        }
    }

    /// Mutes the alerts of a channel, or of the monitor itself if it is nil.
    func mute(
        channel: String?, check: String?, _ attribution: AlertHandling.Attribution
    ) throws(ChannelChangeError) -> AlertHandling.Mute {
        if let channel, details(of: channel) == nil { throw .unknown(id: channel) }
        if let check, CheckID(check).declaration == nil {
            throw .invalid("check: there is no check '\(check)'")
        }
        return try alerts.store.handle { handling throws(ChannelChangeError) in
            try handling.mute(channel: channel, check: check, attribution)
        }
    }

    /// Ends a mute; returns false if there is none with this number.
    func unmute(_ id: Int) throws(ChannelChangeError) -> Bool {
        try alerts.store.handle { handling throws(ChannelChangeError) in handling.unmute(id) }
    }

    /// The progress of the delivery; nil without a collector.
    var delivery: DeliveryProgress? { services.delivery() }

    /// The counters of the buffer.
    var bufferTotals: StoreTotals { services.buffer.totals() }

    /// The clock of the monitor.
    var clock: any HostClock { services.clock }

    /// A summary of all channels.
    package var summary: MonitorSummary {
        var summary = MonitorSummary()
        for channel in runners.map(\.pipeline.snapshot) {
            summary.channelCounts[channel.state, default: 0] += 1
            summary.tagCount += channel.tagCount
        }
        summary.alertCount = alerts.store.activeCount
        let totals = services.buffer.totals()
        summary.waitingCount = totals.inStore
        summary.deliveredCount = totals.delivered
        summary.lostCount = totals.losses.total
        return summary
    }

    /// Raises and clears the alerts of the monitor itself.
    private func watchItself() {
        var facts = MonitorFacts(delivery: services.delivery(), totals: services.buffer.totals())
        facts.bufferUse = StoreStatus.lastWritten(in: services.buffer.directory).flatMap { status in
            status.maximumByteCount > 0
                ? Double(status.byteCount) * 100 / Double(status.maximumByteCount) : nil
        }
        facts.diskProblem = services.bufferHealth.current
        let now = services.clock.reading
        for runner in runners {
            let (delay, tagTime) = runner.pipeline.position
            facts.delays.append(delay)
            if let offset = tagTime?.seconds(after: now), let limit = runner.wallClockLimit {
                facts.tagOffsets.append((offset, limit))
            }
        }
        let moment = ClockMoment(now, steadySince: start)
        facts.uptime = moment.steady - ClockMoment(start, steadySince: start).steady
        let changes = state.withLock { state in
            state.book.moment = moment
            state.book.judge(facts, by: &state.checks)
            return state.book.takeChanges()
        }
        for change in changes { alerts.store.observe(AlertChange(change, of: .monitor), at: now) }
    }

    private func publishAlerts() {
        let events = alerts.publish(at: services.clock.reading) { alert in
            let runners = state.withLock { state in alert.channels.compactMap { state.channels[$0]?.runner } }
            return runners.first?.evidenceSubject
        } channel: { id in
            state.withLock { $0.channels[id]?.runner }.map { ($0.settings.name, $0.printableAddress) }
        } open: {
            let handling = handling
            return publishedAlerts.filter { handling.mute(of: $0) == nil }
        }
        for event in events { report(event) }
    }

    private func publishSummary() {
        report(MonitorEvent(channel: nil, time: services.clock.unixMilliseconds, kind: .summary(summary)))
    }
}

extension MonitorFacts {
    /// Creates the state of a delivery, nil without a collector, and of a buffer.
    fileprivate init(delivery: DeliveryProgress?, totals: StoreTotals) {
        self.init()
        hasCollector = delivery != nil
        deliveryTrouble = delivery?.activity.reason ?? delivery?.lastTrouble
        if case .holding = delivery?.activity { isHolding = true }
        isSending = delivery?.activity == .sending
        waitingCount = totals.inStore
        deliveredCount = totals.delivered
        refusedCount = totals.losses.dead
        deletedCount = totals.losses.evicted &+ totals.losses.expired
    }
}
