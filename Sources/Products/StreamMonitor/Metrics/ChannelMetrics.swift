import NielsenID3
import StreamHealth

/// The values of a channel for the metrics, at one moment.
struct ChannelMetrics: Sendable {
    /// The current state.
    let snapshot: ChannelSnapshot
    /// The counters.
    let counters: ChannelCounters
    /// The number of active alerts of each check; 0 for a check whose alerts are all cleared.
    let alertCounts: [CheckID: Int]

    /// Creates the metrics of a channel from its record.
    init(_ record: ChannelRecord) {
        snapshot = record.snapshot
        counters = record.counters
        var counts = Dictionary(uniqueKeysWithValues: record.counters.alertedChecks.map { ($0, 0) })
        for alert in record.rules.openAlerts { counts[alert.check, default: 0] += 1 }
        alertCounts = counts
    }
}
