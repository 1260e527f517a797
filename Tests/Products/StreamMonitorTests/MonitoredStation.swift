import Foundation
import HLSInput
import HTTPServing
import HTTPTransfer
import HostSystem
import NielsenID3
import StreamHealth
import StreamMonitor
import StreamSynthesis
import Synchronization
import TagDelivery
import TagStore
import TestSupport
import Testing

/// Live channels and the monitors that follow them, with one clock that a test advances.
final class MonitoredStation: Sendable {
    let clock = ManualClock()
    let directory: String
    /// The wall-clock time at which the channels started, in Unix milliseconds.
    let startMilliseconds: Int64
    /// The number of followed playlists of each channel.
    let playlistCount: Int
    private let hasEnd: Bool
    /// Whether the server leaves requests unanswered for some time, and their number now.
    private let mayHang: Bool
    private let hanging = HangingRequests()

    /// The number of requests that are not answered for now.
    private final class HangingRequests: Sendable {
        private let number = Atomic(0)

        var count: Int { number.load(ordering: .relaxed) }

        func add(_ change: Int) { number.add(change, ordering: .relaxed) }
    }
    private let server: LoopbackServer
    private let fetcher: ResourceFetcher
    private let recorded = Mutex<[MonitorEvent]>([])
    private let observer = Mutex<Observer?>(nil)
    private let noted = Mutex<[String]>([])
    /// The buffer of the running monitor.
    private let buffer = Mutex<TagBuffer?>(nil)

    /// A function that is called with each event.
    ///
    /// A mutex of a function would wrap the function again at each access.
    private struct Observer {
        let observe: @Sendable (MonitorEvent, LiveMonitor) -> Void
    }

    /// Starts channels and their backups.
    ///
    /// - Parameters:
    ///   - count: The number of channels.
    ///   - script: The faults of the channels.
    ///   - backupScript: The faults of the backups.
    ///   - renditions: The renditions of each channel.
    ///   - container: The container of the segments.
    ///   - playlistCount: The number of followed playlists of each channel.
    ///   - end: The time after which the playlists are complete; nil for never.
    ///   - delay: Returns by how many seconds the content of a requested target is old.
    ///   - readdress: Returns the target to serve for a requested target.
    ///   - rewrite: Returns the text to serve for a playlist.
    ///   - replace: Returns the bytes to serve for a segment; nil leaves it unchanged.
    ///   - hangs: Returns whether a request is not answered for now; nil if each is answered at once.
    ///   - fault: Returns the answer to one request instead of `body`; nil leaves it unchanged.
    init(
        channels count: Int, script: String = "", backupScript: String = "",
        renditions: [SynthesisSettings.Rendition] = [.init(name: "main", video: nil)],
        container: SynthesisSettings.Container = .transportStream, playlistCount: Int = 1,
        endsAfter end: Duration? = nil,
        delay: @escaping @Sendable (_ target: String) -> Int64 = { _ in 0 },
        readdress: @escaping @Sendable (_ target: String, _ time: Duration) -> String = { target, _ in target
        },
        rewrite: @escaping @Sendable (_ playlist: String, _ target: String, _ time: Duration) -> String = {
            playlist, _, _ in playlist
        },
        replace: @escaping @Sendable (_ target: String) -> [UInt8]? = { _ in nil },
        hangs: (@Sendable (_ target: String, _ time: Duration) -> Bool)? = nil,
        fault: @escaping @Sendable (_ target: String, _ time: Duration, _ body: [UInt8]) -> ServedResource? =
            { _, _, _ in nil }
    ) throws {
        self.playlistCount = playlistCount
        hasEnd = end != nil
        mayHang = hangs != nil
        startMilliseconds = clock.unixMilliseconds
        let requests = hanging
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dtvr-\(UUID())")
        directory = folder.path
        var settings = LiveSettings()
        settings.channelCount = count
        // Audio alone, the default, is encoded almost immediately.
        settings.renditions = renditions
        settings.container = container
        let station = try SyntheticOrigin(
            settings, script: try LiveScript(parsing: script, channelCount: count),
            startTime: clock.unixMilliseconds)
        let backup = try SyntheticOrigin(
            settings, script: try LiveScript(parsing: backupScript, channelCount: count),
            startTime: clock.unixMilliseconds)
        let (clock, start) = (clock, clock.sinceBoot)
        server = try LoopbackServer { request in
            if let hangs, hangs(request.target, clock.sinceBoot - start) {
                requests.add(1)
                while hangs(request.target, clock.sinceBoot - start) { usleep(500) }
                requests.add(-1)
            }
            let fields = request.header.split(separator: "\r\n")
            let condition = fields.first { $0.lowercased().hasPrefix("if-none-match: ") }
            let time = clock.sinceBoot - start
            let isEnded = end.map { time >= $0 } ?? false && request.target.hasSuffix(".m3u8")
            let known = isEnded ? nil : condition.map { String($0.dropFirst(15)) }
            let wanted = readdress(request.target, time)
            let isBackup = wanted.hasPrefix("/backup/")
            let target = isBackup ? String(wanted.dropFirst(7)) : wanted
            var origin = isBackup ? backup : station
            origin.startTime -= delay(request.target) * 1_000
            var answer = origin.answer(.init(target, ifNoneMatch: known), at: time).content
            if target.hasSuffix(".m3u8"), answer.status == 200 {
                let text = rewrite(String(decoding: answer.body, as: UTF8.self), request.target, time)
                answer.body = Array(text.utf8)
            } else if answer.status == 200, let other = replace(request.target) {
                answer.body = other
            }
            if let other = fault(request.target, time, answer.body) { return other.answer(to: request) }
            if isEnded { answer.body += Array("#EXT-X-ENDLIST\n".utf8) }
            var lines = ["HTTP/1.1 \(answer.status) Status", "Content-Length: \(answer.body.count)"]
            lines += answer.fields.map { "\($0.name): \($0.value)" }
            return [.send(lines.joined(separator: "\r\n") + "\r\n\r\n"), .sendBytes(answer.body)]
        }
        fetcher = try ResourceFetcher(
            client: HTTPClient(settings: HTTPClientSettings(userAgent: "test")), jobs: 2)
    }

    deinit {
        server.stop()
        do {
            try FileManager.default.removeItem(atPath: directory)
        } catch {
            Issue.record("\(directory) is left: \(error)")
        }
    }

    /// Returns the settings of channels, with the ids `ch1` and so on.
    func channels(_ numbers: ClosedRange<Int>) -> [ChannelSettings] {
        numbers.map { ChannelSettings(id: "ch\($0)", url: "\(server.base)/ch\($0)/index.m3u8") }
    }

    /// Returns a channel with a backup that has the same content.
    func channelWithBackup(_ number: Int, isCompared: Bool = false) -> ChannelSettings {
        var channel = ChannelSettings(id: "ch\(number)", url: "\(server.base)/ch\(number)/index.m3u8")
        channel.backup = "\(server.base)/backup/ch\(number)/index.m3u8"
        channel.comparesBackup = isCompared
        return channel
    }

    /// The events of all monitors so far.
    var events: [MonitorEvent] { recorded.withLock { $0 } }

    /// Calls a function with each event of later monitors, which wait for it.
    func observe(_ observe: @escaping @Sendable (MonitorEvent, LiveMonitor) -> Void) {
        observer.withLock { $0 = Observer(observe: observe) }
    }

    /// The number of requests so far.
    var requestCount: Int { server.requests.count }

    /// The targets of the requests, in order.
    var targets: [String] { server.requests.map(\.target) }

    /// Returns whether each request had a header field, such as `x-token: a`.
    func wasSentAlways(_ field: String) -> Bool {
        server.requests.allSatisfy { $0.header.lowercased().contains("\r\n\(field)") }
    }

    /// The number of requested segments of backups.
    var backupSegmentCount: Int {
        server.requests.count { $0.target.hasPrefix("/backup/") && !$0.target.hasSuffix(".m3u8") }
    }

    /// The messages of the monitors about themselves.
    var notes: [String] { noted.withLock { $0 } }

    /// Appends tags to the buffer of the running monitor.
    func append(_ tags: [NewTag]) async throws {
        _ = try await buffer.withLock { $0 }?.append(tags)
    }

    /// Runs a monitor for some time, stops it, and returns the totals of its buffer.
    ///
    /// `body` is called before each half second, with the seconds so far. The clock stops while the monitor works.
    ///
    /// - Parameters:
    ///   - policy: The limits of the checks of the monitor itself.
    ///   - delivery: The progress of the delivery; nil without a collector.
    func monitor(
        _ channels: [ChannelSettings], for seconds: Double, settings: StoreSettings = StoreSettings(),
        policy: HealthPolicy = HealthPolicy(), delivery: DeliveryProgress? = nil,
        _ body: (LiveMonitor, Double) async throws -> Void = { _, _ in }
    ) async throws -> StoreTotals {
        let buffer = try await TagBuffer.open(directory: directory, settings: settings, clock: clock)
        self.buffer.withLock { $0 = buffer }
        let store = AlertStore(path: "\(directory)/alerts.json")
        #expect(store.problem == nil)
        let services = MonitorServices(
            fetcher: fetcher, buffer: buffer, clock: clock, policy: policy, delivery: { delivery },
            note: { [self] note in noted.withLock { $0.append(note) } })
        let followed = Mutex<LiveMonitor?>(nil)
        let monitor = LiveMonitor(services, alerts: AlertPipeline(store)) { [self] event in
            recorded.withLock { $0.append(event) }
            if let observer = observer.withLock({ $0 }), let monitor = followed.withLock({ $0 }) {
                observer.observe(event, monitor)
            }
        }
        followed.withLock { $0 = monitor }
        defer { followed.withLock { $0 = nil } }
        monitor.follow(channels)
        let running = Task { await monitor.run() }
        for step in 0..<Int(seconds * 2) {
            // A task that is not asleep has work to do, which takes no time by this clock.
            try await waitForSleepers(monitor)
            try await body(monitor, Double(step) / 2)
            clock.advance(by: .milliseconds(500))
        }
        try await waitForSleepers(monitor)
        running.cancel()
        await running.value
        let totals = buffer.totals()
        self.buffer.withLock { $0 = nil }
        await buffer.close()
        return totals
    }
}

extension MonitoredStation {
    /// Returns the site of a monitor; its registry starts no channels.
    func site(of monitor: LiveMonitor, token: String? = nil) -> MonitorSite {
        let registry = ChannelRegistry(
            ChannelFile(channels: channels(1...1), defaults: ChannelSettings(id: "", url: "")), savedAt: nil)
        return MonitorSite(
            monitor, registry: registry, access: MonitorAccess(token: token), bufferFolder: directory)
    }

    /// Returns once all tasks sleep; their work took no time by this clock.
    private func waitForSleepers(_ monitor: LiveMonitor) async throws {
        guard hasEnd || mayHang else {
            var count = 0
            while count != taskCount(monitor) {
                count = taskCount(monitor)
                await clock.waitForSleepers(count)
            }
            return
        }
        // A channel that may end, and ends in the meantime, does not sleep again.
        try await wait(for: "sleepers") { [self] in clock.sleeperCount + hanging.count >= taskCount(monitor) }
    }

    /// Returns the number of tasks that sleep when there is no work: one for the monitor, and one for each playlist of
    /// the followed channels.
    private func taskCount(_ monitor: LiveMonitor) -> Int {
        // A channel in quiet hours is paused too, but it is followed.
        let followed = monitor.snapshots.filter {
            !($0.state == .ended && $0.mayEnd) && $0.reason != "by an operator"
        }
        return 1 + (followed.count - monitor.waitingCount) * playlistCount
    }
}

extension [MonitorEvent] {
    /// The alerts that were raised or cleared, such as `raise ch1 presence.silent`, in order.
    var alerts: [String] {
        compactMap { event in
            guard case .alert(let change, _) = event.kind else { return nil }
            let alert = change.alert
            let subject =
                alert.scope == .monitor ? "monitor" : alert.channel ?? "\(alert.channels.count) channels"
            return "\(change.action) \(subject) \(alert.check.rawValue)"
        }
    }

    /// Returns the states that a channel entered, in order.
    func states(of channel: String) -> [ChannelState] {
        compactMap { event in
            if event.channel == channel, case .state(_, let state, _) = event.kind { state } else { nil }
        }
    }

    /// Returns the owner identifiers of a channel's tags, in order.
    func owners(of channel: String) -> [[UInt8]] {
        compactMap { event in
            if event.channel == channel, case .tag(let tag) = event.kind {
                tag.tag.ownerIdentifier
            } else {
                nil
            }
        }
    }

    /// The checks with findings, such as `ch1 playlist.http`, without duplicates.
    var findings: Set<String> {
        Set(
            compactMap { event in
                if case .finding(let check, _) = event.kind {
                    "\(event.channel ?? "") \(check.rawValue)"
                } else {
                    nil
                }
            })
    }
}

extension HTTPServerRequest {
    /// Returns a request from this machine.
    static func local(_ method: String, _ path: String, _ fields: [String: String] = [:]) -> HTTPServerRequest
    {
        let fields = fields.merging(["Host": "127.0.0.1:9464"]) { given, _ in given }
        return HTTPServerRequest(
            method: method, path: path, fields: fields.map { Pair(name: $0.key, value: $0.value) })
    }
}

extension SynthesisSettings.Video {
    /// Video that is encoded fast.
    static let smallest = SynthesisSettings.Video(width: 160, height: 90, maximumBitrate: 30_000)
}
