import Foundation
import Glibc
import HostSystem
import ID3v2
import NielsenID3
import StreamHealth
import TagDelivery
import TagStore
import TestSupport
import Testing

@testable import StreamMonitor

/// Every metric changes with the quantity that it measures, in the text that a monitor serves.
@Suite(.timeLimit(.minutes(30))) struct MetricEffectTests {
    /// The texts of a channel before anything fails, at 50 s; while its playlist fails, at 110 s; and after segments
    /// and tags were missing, at 260 s.
    ///
    /// The last is the text of another monitor, with a small buffer and a clock that is not synchronized, at 240 s.
    struct Moments: Sendable {
        let healthy: MetricSamples
        let failing: MetricSamples
        let later: MetricSamples
        let small: MetricSamples
    }

    /// An effect: a sample, and whether it differs as expected.
    struct Effect: Sendable {
        let metric: String
        let sample: String
        let isShown: @Sendable (Moments, String) -> Bool

        init(
            _ metric: String, _ labels: String = "", _ isShown: @escaping @Sendable (Moments, String) -> Bool
        ) {
            self.metric = metric
            sample = metric + labels
            self.isShown = isShown
        }

        /// A count that grows while the channel is followed.
        static func growing(_ metric: String, _ labels: String = "") -> Effect {
            Effect(metric, labels) { $0.later[$1] ?? 0 > $0.healthy[$1] ?? 0 }
        }
    }

    private static let channel = "{channel=\"ch1\"}"

    /// The effects, at least one for each metric; a metric without one fails `everyMetric_reflectsItsCause`.
    static let effects: [Effect] = [
        Effect("dtvr_channel_up", channel) {
            $0.healthy[$1] == 1 && $0.failing[$1] == 0 && $0.later[$1] == 1
        },
        Effect("dtvr_channel_state", "{channel=\"ch1\",state=\"healthy\"}") {
            $0.healthy[$1] == 1 && $0.failing[$1] == 0
        },
        Effect("dtvr_channel_state", "{channel=\"ch1\",state=\"unreachable\"}") {
            $0.healthy[$1] == 0 && $0.failing[$1] == 1
        },
        .growing("dtvr_tags_total", "{channel=\"ch1\",kind=\"data\"}"),
        .growing("dtvr_tag_spacing_seconds", "_count{channel=\"ch1\"}"),
        .growing("dtvr_last_tag_timestamp_seconds", channel),
        .growing("dtvr_findings_total", "{channel=\"ch1\",check=\"playlist.http\"}"),
        Effect("dtvr_alerts_active", "{channel=\"ch1\",check=\"playlist.http\"}") {
            $0.healthy[$1] == nil && $0.failing[$1] == 1 && $0.later[$1] == 0
        },
        .growing("dtvr_segments_total", "{channel=\"ch1\",outcome=\"read\"}"),
        .growing("dtvr_segments_total", "{channel=\"ch1\",outcome=\"failed\"}"),
        .growing("dtvr_segments_total", "{channel=\"ch1\",outcome=\"skipped\"}"),
        .growing("dtvr_fetch_seconds", "_count{kind=\"playlist\"}"),
        .growing("dtvr_fetch_seconds", "_count{kind=\"segment\"}"),
        .growing("dtvr_received_bytes_total", "{channel=\"ch1\",kind=\"playlist\"}"),
        .growing("dtvr_received_bytes_total", "{channel=\"ch1\",kind=\"segment\"}"),
        .growing("dtvr_buffer_tags"),
        Effect("dtvr_buffer_bytes") { $0.small[$1] ?? .infinity < $0.healthy[$1] ?? 0 },
        Effect("dtvr_buffer_max_bytes") { $0.small[$1] == 2_000_000 && $0.healthy[$1] == 30_000_000 },
        Effect("dtvr_buffer_lost_total", "{cause=\"expired\"}") {
            $0.small[$1] ?? 0 > 0 && $0.healthy[$1] == 0
        },
        Effect("dtvr_delivered_total") { $0.small[$1] == 3 && $0.healthy[$1] == 0 },
        Effect("dtvr_build_info", "{version=\"\(Uploader.version)\"}") { $0.healthy[$1] == 1 },
        Effect("dtvr_channel_info", "{channel=\"ch1\",name=\"ch1\"}") { $0.healthy[$1] == 1 },
        Effect("dtvr_monitor_alerts_active", "{check=\"buffer.evicting\"}") {
            $0.small[$1] == 1 && $0.healthy[$1] == 0
        },
        Effect("dtvr_clock_synchronized") { $0.small[$1] == 0 && $0.healthy[$1] == 1 },
        .growing("process_cpu_seconds_total"),
    ]

    /// Metrics with their own tests: of a backup, of this process, of muted checks, of consequences, and of times that
    /// are 0 by a test's clock.
    private static let others: Set<String> = [
        "dtvr_alert_consequences_active", "dtvr_behind_live_seconds", "dtvr_channel_on_backup",
        "dtvr_check_muted",
        "process_resident_memory_bytes",
        "process_virtual_memory_bytes",
        "process_open_fds", "process_max_fds", "process_start_time_seconds",
    ]

    @Test func everyMetric_reflectsItsCause() async throws {
        let script = """
            at 60s for 60s channel 1: status 503
            at 160s for 14s channel 1: status 404 segment
            at 190s for 20s channel 1: no-tags
            """
        let station = try MonitoredStation(
            channels: 1, script: script,
            fault: { target, _, _ in target.hasSuffix("/seg1030.ts") ? .status("404 Not Found") : nil })
        let texts = try await Self.texts(station, at: [50, 110, 260], StoreSettings())
        // The same channel with a small buffer, in which three tags are delivered and the others expire.
        let other = try MonitoredStation(channels: 1)
        var settings = StoreSettings(maximumByteCount: 2_000_000)
        settings.maximumAge = .seconds(60)
        let buffer = try await TagBuffer.open(
            directory: other.directory, settings: settings, clock: other.clock)
        try await buffer.append((0..<3).map { NewTag(body: [UInt8($0)]) })
        let batch = try await buffer.nextBatch(maximumCount: 3, maximumByteCount: .max)
        try await buffer.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
        await buffer.close()
        other.clock.setSynchronized(false)
        let small = try await Self.texts(other, at: [240], settings)
        let moments = Moments(
            healthy: try #require(texts[50]), failing: try #require(texts[110]),
            later: try #require(texts[260]),
            small: try #require(small[240]))
        for effect in Self.effects {
            let values = [moments.healthy, moments.failing, moments.later, moments.small].map {
                $0[effect.sample]
            }
            let isShown = effect.isShown(moments, effect.sample)
            #expect(isShown, "\(effect.sample): \(values)")
        }
        #expect(Set(moments.later.types.map(\.name)) == Set(Self.effects.map(\.metric)).union(Self.others))
    }

    /// Returns the metrics of a station at some times, in seconds.
    private static func texts(
        _ station: MonitoredStation, at moments: [Double], _ settings: StoreSettings
    ) async throws -> [Double: MetricSamples] {
        var texts: [Double: MetricSamples] = [:]
        _ = try await station.monitor(station.channels(1...1), for: moments.max()! + 1, settings: settings) {
            monitor, seconds in
            guard moments.contains(seconds) else { return }
            texts[seconds] = try MetricSamples(monitor.metricsText(bufferFolder: station.directory))
        }
        return texts
    }

    @Test func mutedChecks_areInTheMetrics() throws {
        var settings = ChannelSettings(id: "ch1", url: "")
        settings.ignoredChecks = [.timeGap]
        settings.acceptedChecks = [.presenceSilent]
        let record = ChannelRecord(settings, at: .steady(0))
        let samples = try MetricSamples(
            MonitorMetrics(
                channels: [record.metrics], fetchTimes: FetchTimes(), totals: StoreTotals(),
                bufferSize: nil, process: nil
            ).text())
        let muted = samples.values.filter { $0.key.hasPrefix("dtvr_check_muted") }
        #expect(
            muted == [
                "dtvr_check_muted{channel=\"ch1\",check=\"time.gap\",mute=\"ignored\"}": 1,
                "dtvr_check_muted{channel=\"ch1\",check=\"presence.silent\",mute=\"accepted\"}": 1,
            ])
    }

    /// The clock of a station does not advance while a segment is read, so with a station these times are always 0.
    @Test func segmentTimes_areInTheMetrics() throws {
        var record = ChannelRecord(ChannelSettings(id: "ch1", url: ""), at: .steady(0))
        for seconds in [0, 6.5] {
            record.metrics.snapshot.secondsBehindLive = seconds
            let times = FetchTimes()
            times.observe(.segment, .seconds(seconds))
            let text = MonitorMetrics(
                channels: [record.metrics], fetchTimes: times, totals: StoreTotals(), bufferSize: nil,
                process: nil
            ).text()
            let samples = try MetricSamples(text)
            #expect(samples["dtvr_behind_live_seconds{channel=\"ch1\"}"] == seconds)
            #expect(samples["dtvr_fetch_seconds_sum{kind=\"segment\"}"] == seconds)
            #expect(samples["dtvr_fetch_seconds_bucket{kind=\"segment\",le=\"5\"}"] == (seconds < 5 ? 1 : 0))
        }
    }

    /// The metrics show the additional use of a process, in which no other test runs.
    @Test func processResourceUse_isInTheMetrics() async {
        await #expect(processExitsWith: .success) {
            let before = try Self.process()
            let byteCount = 8 << 30
            let touchedCount = 128 << 20
            // The memory is reserved and partly touched.
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
            let memory = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
            guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { throw POSIXError(.ENOMEM) }
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 1, count: touchedCount)
            for _ in 0..<200 { _ = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
            var limit = rlimit()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            // Both calls access only their own argument.
            try #require(unsafe getrlimit(resource, &limit) == 0)
            limit.rlim_cur -= 1
            try #require(unsafe setrlimit(resource, &limit) == 0)
            let during = try Self.process()
            func growth(_ name: String) -> Double { (during[name] ?? 0) - (before[name] ?? 0) }
            let reserved = growth("process_virtual_memory_bytes")
            #expect(reserved >= Double(byteCount) && reserved < Double(2 * byteCount))
            let touched = growth("process_resident_memory_bytes")
            // A sanitizer adds several bytes for each touched one.
            #expect(touched > Double(touchedCount) * 0.9 && touched < Double(byteCount / 4))
            #expect(growth("process_open_fds") == 200)
            #expect(growth("process_max_fds") == -1)
            // Calculated from the time since boot, which another file contains (proc(5)).
            let fields = try String(contentsOfFile: "/proc/self/stat", encoding: .utf8).split(separator: ")")
                .last
            let ticks = try #require(fields.flatMap { Double($0.split(separator: " ")[19]) })
            let uptime = try #require(
                Double(try String(contentsOfFile: "/proc/uptime", encoding: .utf8).split(separator: " ")[0]))
            let age = uptime - ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
            let start = Date().timeIntervalSince1970 - age
            #expect(abs((before["process_start_time_seconds"] ?? 0) - start) < 5)
        }
    }

    private static func process() throws -> MetricSamples {
        try MetricSamples(
            MonitorMetrics(
                channels: [], fetchTimes: FetchTimes(), totals: StoreTotals(), bufferSize: nil,
                process: ProcessFacts()
            ).text())
    }
}
