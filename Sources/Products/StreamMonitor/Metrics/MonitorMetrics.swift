import HostSystem
import NielsenID3
import StreamHealth
import TagDelivery
import TagStore
import TextForms

/// The contents of `/metrics` at one moment.
struct MonitorMetrics {
    /// The channels, in the order of their ids.
    let channels: [ChannelMetrics]
    /// The durations of fetches.
    let fetchTimes: FetchTimes
    /// The counters of the buffer.
    let totals: StoreTotals
    /// The size of the buffer's files and its limit; nil if unknown.
    let bufferSize: (byteCount: Int64, maximumByteCount: Int64)?
    /// The resource usage of the process; nil if the system does not report it.
    let process: ProcessFacts?
    /// The checks of the monitor itself with an open alert.
    var openChecks: Set<CheckID> = []
    /// Whether the wall clock is synchronized; nil if unknown.
    var isClockSynchronized: Bool?

    /// Returns the metrics in the Prometheus text format.
    func text() -> [UInt8] {
        var text = PrometheusText(capacity: 16_384 + 2_048 * channels.count)
        writeStates(to: &text)
        writeBackups(to: &text)
        writeTags(to: &text)
        writeProblems(to: &text)
        writeMutedChecks(to: &text)
        writeMonitorAlerts(to: &text)
        writeDelivery(to: &text)
        writeBuffer(to: &text)
        writeProcess(to: &text)
        return text.bytes
    }

    private typealias Labels = PrometheusText.Labels

    private func forEachChannel(_ body: (ChannelMetrics, Labels) -> Void) {
        for channel in channels { body(channel, Labels("channel", channel.snapshot.id)) }
    }

    private func writeStates(to text: inout PrometheusText) {
        text.begin("dtvr_build_info", .gauge, "1, with the version of the monitor.")
        text.sample(Labels("version", Uploader.version), 1)
        text.begin("dtvr_channel_info", .gauge, "1 for each channel, with its name.")
        forEachChannel { channel, labels in text.sample(labels.adding("name", channel.snapshot.name), 1) }
        text.begin(
            "dtvr_channel_up", .gauge,
            "1 if the last load of a playlist of the channel succeeded, otherwise 0.")
        forEachChannel { channel, labels in text.sample(labels, channel.isUp ? 1 : 0) }
        text.begin(
            "dtvr_channel_state", .gauge,
            "1 for the current state of the channel, 0 for the other states; silent is also 1 while a silent channel "
                + "is unreachable.")
        forEachChannel { channel, labels in
            for state in ChannelState.allCases {
                let applies =
                    channel.snapshot.state == state || (state == .silent && channel.snapshot.isSilent)
                text.sample(labels.adding("state", state.rawValue), applies ? 1 : 0)
            }
        }
    }

    private func writeBackups(to text: inout PrometheusText) {
        text.begin(
            "dtvr_channel_on_backup", .gauge,
            "1 while the backup of the channel replaces its primary, otherwise 0.")
        forEachChannel { channel, labels in text.sample(labels, channel.snapshot.backup == nil ? 0 : 1) }
    }

    private func writeTags(to text: inout PrometheusText) {
        text.begin("dtvr_tags_total", .counter, "Tags found, without duplicates.")
        forEachChannel { channel, labels in
            let counts = channel.tagCounts
            text.sample(labels.adding("kind", "data"), counts.data)
            text.sample(labels.adding("kind", "info"), counts.info)
            text.sample(labels.adding("kind", "unknown"), counts.unknown)
        }
        text.begin(
            "dtvr_tag_spacing_seconds", .histogram,
            "Seconds of media from one DATA tag to the next of the same rendition.")
        forEachChannel { channel, labels in text.samples(labels, channel.spacing) }
        text.begin(
            "dtvr_last_tag_timestamp_seconds", .gauge, "Time at which the last tag was read, in Unix seconds."
        )
        forEachChannel { channel, labels in
            if let time = channel.snapshot.lastTagTime { text.sample(labels, Double(time) / 1_000) }
        }
    }

    private func writeProblems(to text: inout PrometheusText) {
        text.begin("dtvr_findings_total", .counter, "Findings of the check.")
        forEachChannel { channel, labels in
            for (check, count) in Self.sorted(channel.findingCounts) {
                text.sample(labels.adding("check", check), count)
            }
        }
        text.begin("dtvr_alerts_active", .gauge, "Active alerts of the check: raised and not yet cleared.")
        forEachChannel { channel, labels in
            for (check, count) in Self.sorted(channel.alertCounts) {
                text.sample(labels.adding("check", check), count)
            }
        }
        text.begin(
            "dtvr_alert_consequences_active", .gauge,
            "1 for each check whose problem follows from that of another check, the cause, which has the alert."
        )
        forEachChannel { channel, labels in
            for (check, cause) in channel.consequences {
                text.sample(labels.adding("check", check.rawValue).adding("cause", cause.rawValue), 1)
            }
        }
    }

    private func writeMonitorAlerts(to text: inout PrometheusText) {
        text.begin(
            "dtvr_monitor_alerts_active", .gauge,
            "1 for each check of the monitor itself with an active alert.")
        for check in CheckID.ofMonitorItself {
            text.sample(Labels("check", check.rawValue), openChecks.contains(check) ? 1 : 0)
        }
        if let isClockSynchronized {
            text.begin(
                "dtvr_clock_synchronized", .gauge,
                "1 if the kernel reports that a time service keeps the clock of the machine, otherwise 0.")
            text.sample(.none, isClockSynchronized ? 1 : 0)
        }
    }

    private func writeMutedChecks(to text: inout PrometheusText) {
        text.begin(
            "dtvr_check_muted", .gauge, "1 for each check that the settings of the channel ignore or accept.")
        forEachChannel { channel, labels in
            for (mute, checks) in [("ignored", channel.muted.ignored), ("accepted", channel.muted.accepted)] {
                for check in checks.map(\.rawValue).sorted() {
                    text.sample(labels.adding("check", check).adding("mute", mute), 1)
                }
            }
        }
    }

    private static func sorted<Count>(_ counts: [CheckID: Count]) -> [(String, Count)] {
        counts.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
    }

    private func writeDelivery(to text: inout PrometheusText) {
        text.begin(
            "dtvr_behind_live_seconds", .gauge,
            "Seconds of media from the last segment read to the end of the playlist.")
        forEachChannel { channel, labels in
            if let seconds = channel.snapshot.secondsBehindLive { text.sample(labels, seconds) }
        }
        text.begin("dtvr_segments_total", .counter, "Segments by outcome.")
        forEachChannel { channel, labels in
            text.sample(labels.adding("outcome", "read"), channel.snapshot.segmentCount)
            text.sample(labels.adding("outcome", "failed"), channel.snapshot.failedSegmentCount)
            text.sample(labels.adding("outcome", "skipped"), channel.skippedSegmentCount)
        }
        text.begin(
            "dtvr_fetch_seconds", .histogram,
            "Seconds to fetch a playlist, or to fetch and read a segment, over all channels.")
        for kind in FetchTimes.Kind.allCases {
            text.samples(Labels("kind", kind.rawValue), fetchTimes.histogram(of: kind))
        }
        text.begin("dtvr_received_bytes_total", .counter, "Bytes received.")
        forEachChannel { channel, labels in
            text.sample(labels.adding("kind", "playlist"), channel.playlistByteCount)
            text.sample(labels.adding("kind", "segment"), channel.segmentByteCount)
        }
    }

    private func writeBuffer(to text: inout PrometheusText) {
        text.begin("dtvr_buffer_tags", .gauge, "Tags waiting in the buffer, including those in memory.")
        text.sample(.none, totals.inStore &+ totals.overflow)
        if let bufferSize {
            text.begin("dtvr_buffer_bytes", .gauge, "Size of the buffer's files.")
            text.sample(.none, bufferSize.byteCount)
            text.begin("dtvr_buffer_max_bytes", .gauge, "Maximum size of the buffer's files.")
            text.sample(.none, bufferSize.maximumByteCount)
        }
        text.begin(
            "dtvr_buffer_lost_total", .counter, "Tags lost since the buffer was created, by cause.")
        let losses = totals.losses
        for (cause, count) in [
            ("evicted", losses.evicted), ("expired", losses.expired), ("dead", losses.dead),
            ("pruned", losses.pruned), ("damaged", losses.damaged), ("memory", losses.memoryLost),
            ("refused", totals.refused),
        ] {
            text.sample(Labels("cause", cause), count)
        }
        text.begin(
            "dtvr_delivered_total", .counter, "Tags delivered since the buffer was created.")
        text.sample(.none, totals.delivered)
    }

    private func writeProcess(to text: inout PrometheusText) {
        guard let process else { return }
        text.begin("process_cpu_seconds_total", .counter, "User and system CPU time, in seconds.")
        text.sample(.none, process.processorSeconds)
        text.begin("process_resident_memory_bytes", .gauge, "Resident memory, in bytes.")
        text.sample(.none, process.residentByteCount)
        text.begin("process_virtual_memory_bytes", .gauge, "Virtual memory, in bytes.")
        text.sample(.none, process.virtualByteCount)
        text.begin("process_open_fds", .gauge, "Open file descriptors.")
        text.sample(.none, process.openFileCount)
        text.begin("process_max_fds", .gauge, "Maximum number of open file descriptors.")
        text.sample(.none, process.maximumOpenFileCount)
        text.begin("process_start_time_seconds", .gauge, "Start time of the process, in Unix seconds.")
        text.sample(.none, process.startTime)
    }
}
