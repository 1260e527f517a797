import HLSPlaylist
import HostSystem
import ID3v2
import NielsenID3
import StreamHealth
import TagStore
import TestSupport
import Testing

@testable import HLSInput
@testable import StreamMonitor

/// The metrics of live channels at `/metrics`.
@Suite(.timeLimit(.minutes(30))) struct MonitorMetricsTests {
    /// Follows channels and returns their metrics at some times, in seconds.
    private static func samples(
        of station: MonitoredStation, channels: ClosedRange<Int>, at moments: [Double]
    ) async throws -> [MetricSamples] {
        var texts: [[UInt8]] = []
        _ = try await station.monitor(station.channels(channels), for: moments.max()! + 1) {
            monitor, seconds in
            if moments.contains(seconds) {
                texts.append(monitor.metricsText(bufferFolder: station.directory))
            }
        }
        return try texts.map { try MetricSamples($0) }
    }

    @Test func healthyChannel_hasEveryMetric() async throws {
        let station = try MonitoredStation(channels: 1)
        let samples = try #require(
            try await Self.samples(of: station, channels: 1...1, at: [120]).first)
        #expect(
            samples.types.map(\.name) == [
                "dtvr_build_info", "dtvr_channel_info", "dtvr_channel_up", "dtvr_channel_state",
                "dtvr_channel_on_backup",
                "dtvr_tags_total", "dtvr_tag_spacing_seconds",
                "dtvr_last_tag_timestamp_seconds", "dtvr_findings_total", "dtvr_alerts_active",
                "dtvr_alert_consequences_active",
                "dtvr_check_muted", "dtvr_monitor_alerts_active", "dtvr_clock_synchronized",
                "dtvr_behind_live_seconds",
                "dtvr_segments_total", "dtvr_fetch_seconds",
                "dtvr_received_bytes_total", "dtvr_buffer_tags", "dtvr_buffer_bytes",
                "dtvr_buffer_max_bytes", "dtvr_buffer_lost_total", "dtvr_delivered_total",
                "process_cpu_seconds_total",
                "process_resident_memory_bytes", "process_virtual_memory_bytes", "process_open_fds",
                "process_max_fds", "process_start_time_seconds",
            ])
        #expect(samples["dtvr_channel_up{channel=\"ch1\"}"] == 1)
        for state in ChannelState.allCases {
            let value = samples["dtvr_channel_state{channel=\"ch1\",state=\"\(state.rawValue)\"}"]
            #expect(value == (state == .healthy ? 1 : 0))
        }
        let data = try #require(samples["dtvr_tags_total{channel=\"ch1\",kind=\"data\"}"])
        let info = try #require(samples["dtvr_tags_total{channel=\"ch1\",kind=\"info\"}"])
        // A tag every 10 s, including the 38 s of the first window.
        #expect((14...16).contains(data) && info >= 1)
        #expect(samples["dtvr_buffer_tags"] == data + info)
        let spacing = "dtvr_tag_spacing_seconds"
        #expect(samples["\(spacing)_count{channel=\"ch1\"}"] == data - 1)
        #expect(samples["\(spacing)_bucket{channel=\"ch1\",le=\"9.5\"}"] == 0)
        #expect(samples["\(spacing)_bucket{channel=\"ch1\",le=\"10.5\"}"] == data - 1)
        let last = try #require(samples["dtvr_last_tag_timestamp_seconds{channel=\"ch1\"}"])
        let now = Double(station.clock.unixMilliseconds) / 1_000
        #expect(((now - 15)...now).contains(last))
        #expect(samples["dtvr_behind_live_seconds{channel=\"ch1\"}"] == 0)
        let read = try #require(samples["dtvr_segments_total{channel=\"ch1\",outcome=\"read\"}"])
        #expect(read >= 20)
        #expect(samples["dtvr_segments_total{channel=\"ch1\",outcome=\"failed\"}"] == 0)
        #expect(samples["dtvr_segments_total{channel=\"ch1\",outcome=\"skipped\"}"] == 0)
        #expect(samples["dtvr_fetch_seconds_count{kind=\"segment\"}"] == read)
        #expect(samples["dtvr_fetch_seconds_count{kind=\"playlist\"}"] ?? 0 >= read - 6)
        let bytes = try #require(samples["dtvr_received_bytes_total{channel=\"ch1\",kind=\"segment\"}"])
        #expect(bytes > 1_000 * read)
        #expect(samples["dtvr_received_bytes_total{channel=\"ch1\",kind=\"playlist\"}"] ?? 0 > 1_000)
        #expect(samples["dtvr_buffer_bytes"] ?? 0 > 10_000)
        #expect(samples["dtvr_buffer_max_bytes"] == 30_000_000)
        #expect(samples["dtvr_delivered_total"] == 0)
        #expect(samples["process_resident_memory_bytes"] ?? 0 > 1_000_000)
        #expect(samples["process_open_fds"] ?? 0 > 3)
    }

    @Test func failingChannel_isDownWithAnAlert_andUpWithoutItAfterRecovery() async throws {
        let station = try MonitoredStation(channels: 2, script: "at 60s for 60s channel 2: status 503")
        let found = try await Self.samples(of: station, channels: 1...2, at: [110, 240])
        try #require(found.count == 2)
        for (channel, isFaulty) in [("ch1", false), ("ch2", true)] {
            let up = "dtvr_channel_up{channel=\"\(channel)\"}"
            #expect(found[0][up] == (isFaulty ? 0 : 1) && found[1][up] == 1)
            let labels = "{channel=\"\(channel)\",check=\"playlist.http\"}"
            // A check that never raised an alert has no line.
            #expect(found[0]["dtvr_alerts_active\(labels)"] == (isFaulty ? 1 : nil))
            #expect(found[1]["dtvr_alerts_active\(labels)"] == (isFaulty ? 0 : nil))
            let told = station.events.filter { event in
                if event.channel == channel, case .finding(.playlistHTTP, _) = event.kind {
                    true
                } else {
                    false
                }
            }.count
            #expect(found[1]["dtvr_findings_total\(labels)"] == (isFaulty ? Double(told) : nil))
            let unreachable = "dtvr_channel_state{channel=\"\(channel)\",state=\"unreachable\"}"
            #expect(found[0][unreachable] == (isFaulty ? 1 : 0) && found[1][unreachable] == 0)
        }
        // The window of 38 s moved on while every load failed.
        #expect(found[0]["dtvr_segments_total{channel=\"ch2\",outcome=\"skipped\"}"] == 0)
        #expect(found[1]["dtvr_segments_total{channel=\"ch2\",outcome=\"skipped\"}"] ?? 0 > 1)
    }

    @Test func endedChannel_isNotUp() async throws {
        let station = try MonitoredStation(channels: 1, endsAfter: .seconds(60))
        let found = try await Self.samples(of: station, channels: 1...1, at: [30, 120])
        try #require(found.count == 2)
        let up = "dtvr_channel_up{channel=\"ch1\"}"
        let ended = "dtvr_channel_state{channel=\"ch1\",state=\"ended\"}"
        #expect(found[0][up] == 1 && found[0][ended] == 0)
        #expect(found[1][up] == 0 && found[1][ended] == 1)
    }

    /// A channel that can no longer be opened is down, even if the last load of its rendition succeeded.
    @Test func channelThatCannotBeReopened_isDown() {
        var metrics = ChannelMetrics(ChannelSettings(id: "ch1", url: ""))
        var follower = PlaylistFollower()
        let update = follower.observe(.unchanged, at: .zero)
        metrics.observe(LivePlaylistLoad(update: update, duration: .zero), of: .first)
        #expect(metrics.isUp)
        metrics.observeFailureToOpen()
        #expect(!metrics.isUp && metrics.isTried)
    }

    @Test func missingTag_isVisibleInTheSpacing() async throws {
        let station = try MonitoredStation(channels: 1, script: "at 60s for 20s channel 1: no-tags")
        let samples = try #require(
            try await Self.samples(of: station, channels: 1...1, at: [120]).first)
        let spacing = "dtvr_tag_spacing_seconds"
        let count = try #require(samples["\(spacing)_count{channel=\"ch1\"}"])
        let regular = try #require(samples["\(spacing)_bucket{channel=\"ch1\",le=\"10.5\"}"])
        #expect(regular == count - 1)
        #expect(samples["\(spacing)_bucket{channel=\"ch1\",le=\"60\"}"] == count)
    }

    @Test func discontinuity_isExcludedFromTheSpacing() async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 60s for 32s channel 1: ad-break cue")
        let samples = try #require(
            try await Self.samples(of: station, channels: 1...1, at: [180]).first)
        let spacing = "dtvr_tag_spacing_seconds"
        let count = try #require(samples["\(spacing)_count{channel=\"ch1\"}"])
        let tags = try #require(samples["dtvr_tags_total{channel=\"ch1\",kind=\"data\"}"])
        // The first tag and the first one after the break have no tag before them.
        #expect(count == tags - 2)
        #expect(samples["\(spacing)_bucket{channel=\"ch1\",le=\"10.5\"}"] == count)
    }

    @Test func id_withAnyCharacters_isEscaped_andNoAddressIsExposed() async throws {
        let station = try MonitoredStation(channels: 1)
        var channel = station.channels(1...1)[0]
        channel.id = "a\"b\\c\nd\r\ne"
        var text: [UInt8] = []
        _ = try await station.monitor([channel], for: 5) { monitor, _ in
            text = monitor.metricsText(bufferFolder: station.directory)
        }
        let samples = try MetricSamples(text)
        #expect(samples[#"dtvr_channel_up{channel="a\"b\\c\nd"# + "\r" + #"\ne"}"#] == 1)
        let all = String(decoding: text, as: UTF8.self)
        #expect(!all.contains("127.0.0.1") && !all.contains("http:") && !all.contains(station.directory))
    }

    @Test func losses_areReportedByCause() throws {
        var totals = StoreTotals()
        totals.losses.evicted = 1
        totals.losses.expired = 2
        totals.losses.dead = 4
        totals.losses.pruned = 8
        totals.losses.damaged = 16
        totals.losses.memoryLost = 32
        totals.refused = 64
        totals.delivered = 128
        totals.inStore = 256
        totals.overflow = 512
        let samples = try MetricSamples(
            MonitorMetrics(
                channels: [], fetchTimes: FetchTimes(), totals: totals, bufferSize: nil, process: nil
            ).text())
        let expected: KeyValuePairs = [
            "evicted": 1.0, "expired": 2, "dead": 4, "pruned": 8, "damaged": 16, "memory": 32, "refused": 64,
        ]
        for (cause, count) in expected {
            #expect(samples["dtvr_buffer_lost_total{cause=\"\(cause)\"}"] == count, "\(cause)")
        }
        #expect(samples.values.keys.count { $0.hasPrefix("dtvr_buffer_lost_total") } == expected.count)
        #expect(samples["dtvr_delivered_total"] == 128 && samples["dtvr_buffer_tags"] == 768)
    }

    /// Tags expire in a buffer with a maximum age of a minute, and the metrics and the summary count them as lost.
    @Test func lostTags_areInTheMetricsAndTheSummary() async throws {
        let station = try MonitoredStation(channels: 1)
        var samples: MetricSamples?
        var summary = MonitorSummary()
        var settings = StoreSettings(maximumByteCount: 2_000_000)
        settings.maximumAge = .seconds(60)
        _ = try await station.monitor(station.channels(1...1), for: 241, settings: settings) {
            monitor, seconds in
            guard seconds == 240 else { return }
            samples = try MetricSamples(monitor.metricsText(bufferFolder: station.directory))
            summary = monitor.summary
        }
        let expired = try #require(samples?["dtvr_buffer_lost_total{cause=\"expired\"}"])
        #expect(expired > 0 && summary.lostCount == Int64(expired))
        #expect(samples?["dtvr_buffer_lost_total{cause=\"evicted\"}"] == 0)
        #expect(samples?["dtvr_buffer_tags"] == Double(summary.waitingCount) && summary.waitingCount > 0)
    }

    @Test func metrics_of1000ChannelsWithFindings_areSmallerThan2MB() throws {
        let checks = [CheckID.presenceSilent, .playlistHTTP]
        let channels = (0..<1_000).map { number in
            let id = "channel-\(10_000 + number)"
            var record = ChannelRecord(
                ChannelSettings(id: id, url: ""), at: .steady(1_800_000_000))
            record.metrics.snapshot.lastTagTime = 1_800_000_000_123
            record.metrics.snapshot.secondsBehindLive = 6.400_000_000_000_034
            record.metrics.snapshot.segmentCount = 100_000
            for _ in 0..<50 { record.metrics.observe(spacing: 10.000_000_000_003) }
            for check in checks {
                record.metrics.count(alertOf: check)
                record.metrics.count(check)
            }
            return record.metrics
        }
        let text = MonitorMetrics(
            channels: channels, fetchTimes: FetchTimes(), totals: StoreTotals(),
            bufferSize: (1, 2), process: nil
        ).text()
        #expect(text.count < 2_000_000, "\(text.count)")
        let samples = try MetricSamples(text)
        #expect(samples.values.count > 25_000)
        #expect(samples["dtvr_buffer_bytes"] == 1 && samples["dtvr_buffer_max_bytes"] == 2)
    }
}
