import NielsenID3
import StreamHealth

/// What the metrics say of a channel, at one moment.
struct ChannelMetrics: Sendable {
    /// How it is.
    let snapshot: ChannelSnapshot
    /// What was counted.
    let counters: ChannelCounters
    /// How many alerts of each check are active; 0 of a check that had one.
    let alertCounts: [CheckID: Int]

    /// The metrics of a record.
    init(_ record: ChannelRecord) {
        snapshot = record.snapshot
        counters = record.counters
        var counts = Dictionary(uniqueKeysWithValues: record.counters.alertedChecks.map { ($0, 0) })
        for alert in record.health.openAlerts { counts[alert.check, default: 0] += 1 }
        alertCounts = counts
    }
}
