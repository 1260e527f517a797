public import HLSInput
import HostSystem
internal import Synchronization
public import TagStore

/// Follows live HLS channels, stores their tags in a buffer, and reports tags, states, findings and alerts.
///
///     let monitor = ChannelMonitor(buffer: buffer, fetcher: fetcher)
///     let events = monitor.events()
///     try monitor.start([ChannelSettings(id: "news", url: "https://cdn.example/news.m3u8")])
///     for await event in events {
///         if case .tag(let tag) = event.kind { print(tag.tag.sequence ?? 0) }
///     }
///
/// Each segment is read once, while it is downloaded, and its tags are in the buffer before their event is reported.
/// After a restart with the same buffer, each channel continues after its last stored tag, and active alerts stay
/// active. An `Uploader` may deliver the tags of the buffer at the same time.
///
/// For more than one channel, raise `StoreSettings.maximumByteCount`: ten days of a channel take about 30,000,000
/// bytes. For hundreds of channels, raise the limit of open files (`RLIMIT_NOFILE`) as well.
public final class ChannelMonitor: Sendable {
    private let services: MonitorServices
    private let alerts: AlertPipeline
    private let state = Mutex(State())

    private struct State {
        /// The monitor between `start` and `stop`.
        var run: Run?
        /// The end of the last run, which the next one awaits.
        var ending: Task<Void, Never>?
        var readers: [Int: AsyncStream<MonitorEvent>.Continuation] = [:]
        var nextReader = 0
        var droppedEventCount: UInt64 = 0
    }

    private struct Run {
        let monitor: LiveMonitor
        let task: Task<Void, Never>
    }

    /// Creates a monitor that follows no channel yet.
    ///
    /// - Parameters:
    ///   - buffer: Stores the tags. Its folder also keeps the active alerts, in `alerts.json`.
    ///   - fetcher: Loads playlists and segments, with the limits and certificate authorities of its client.
    ///   - allowsPrivateAddresses: Whether a playlist at a public address may refer to private addresses.
    ///   - note: Called with each problem of the monitor itself, as a sentence, from any thread; must return quickly.
    public convenience init(
        buffer: TagBuffer, fetcher: ResourceFetcher, allowsPrivateAddresses: Bool = false,
        note: @escaping @Sendable (_ sentence: String) -> Void = { _ in }
    ) {
        self.init(
            MonitorServices(
                fetcher: fetcher, buffer: buffer, allowsPrivateAddresses: allowsPrivateAddresses, note: note))
    }

    /// Creates a monitor with the given services.
    init(_ services: MonitorServices) {
        self.services = services
        let path = "\(services.buffer.directory)/alerts.json"
        let store = AlertStore(path: path)
        if let problem = store.problem {
            services.note("\(path): the active alerts cannot be read: \(problem)")
        }
        alerts = AlertPipeline(store)
    }

    deinit {
        state.withLock { state in
            state.run?.task.cancel()
            for reader in state.readers.values { reader.finish() }
        }
    }

    /// Follows exactly these channels, and returns at once.
    ///
    /// The first call starts the monitor. Later calls start new channels, stop those that are not listed any more, and
    /// restart those with other settings; the others continue.
    ///
    /// - Throws: A `ChannelSettingsError` for the first invalid channel; the channels are then unchanged.
    public func start(_ channels: [ChannelSettings]) throws(ChannelSettingsError) {
        try ChannelSettingsError.check(channels)
        let run = state.withLock { state in
            let run = state.run ?? makeRun(after: state.ending)
            state.run = run
            return run
        }
        run.monitor.follow(channels)
    }

    private func makeRun(after ending: Task<Void, Never>?) -> Run {
        let monitor = LiveMonitor(services, alerts: alerts) { [weak self] event in self?.report(event) }
        return Run(
            monitor: monitor,
            task: Task {
                await ending?.value
                await monitor.run()
            })
    }

    /// Stops all channels, waits until their last segments are stored, and ends the streams of `events`.
    ///
    /// The buffer stays open, and its tags and alerts remain. The monitor can be started again.
    public func stop() async {
        let ending = state.withLock { state in
            if let run = state.run {
                run.task.cancel()
                state.run = nil
                state.ending = run.task
            }
            return state.ending
        }
        await ending?.value
        let readers = state.withLock { state in
            // Another call has started the monitor again; the streams belong to its run.
            guard state.run == nil else { return [AsyncStream<MonitorEvent>.Continuation]() }
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// The state and counters of each channel, ordered by id; empty while the monitor is stopped.
    public var channels: [ChannelSnapshot] { state.withLock { $0.run?.monitor }?.snapshots ?? [] }

    /// The active alerts, most severe first.
    public var activeAlerts: [Alert] {
        state.withLock { $0.run?.monitor }?.publishedAlerts ?? alerts.store.published
    }

    /// The number of events that were dropped because a reader of `events` was too slow.
    public var droppedEventCount: UInt64 { state.withLock { $0.droppedEventCount } }

    /// Returns the events from now until `stop`, in order.
    ///
    /// Several readers can have a stream each. A reader that falls behind loses the oldest events, which are counted in
    /// `droppedEventCount`; their tags are in the buffer regardless.
    ///
    /// - Parameter limit: The maximum number of events that wait for the reader.
    public func events(bufferingNewest limit: Int = 10_000) -> AsyncStream<MonitorEvent> {
        let (stream, reader) = AsyncStream.makeStream(
            of: MonitorEvent.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        let id = state.withLock { state in
            defer { state.nextReader += 1 }
            state.readers[state.nextReader] = reader
            return state.nextReader
        }
        reader.onTermination = { [weak self] _ in
            self?.state.withLock { state in state.readers[id] = nil }
        }
        return stream
    }

    private func report(_ event: MonitorEvent) {
        let readers = state.withLock { Array($0.readers.values) }
        var droppedCount: UInt64 = 0
        for reader in readers {
            if case .dropped = reader.yield(event) { droppedCount += 1 }
        }
        if droppedCount > 0 { state.withLock { $0.droppedEventCount += droppedCount } }
    }
}
