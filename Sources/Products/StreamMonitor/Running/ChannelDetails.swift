import Reporting
package import StreamHealth

/// The state of a channel at one moment, with its recent history.
package struct ChannelDetails: Sendable {
    /// The current state and counters.
    package let snapshot: ChannelSnapshot
    /// The last tags without duplicates, newest last.
    let lastTags: [ChannelRecord.ReadTag]
    /// The last findings, newest last.
    package let findings: [ChannelHealth.RecentFinding]
    /// The active alerts, oldest first.
    package let alerts: [Alert]
    /// The plots of the renditions, ordered by index.
    let tracks: [LiveTrack]
    /// The limits of the checks.
    let policy: HealthPolicy

    /// Creates the details of a channel from its record, without secrets.
    init(_ record: ChannelRecord) {
        snapshot = record.snapshot
        lastTags = record.lastTags
        let redaction = record.redaction
        findings = record.health.recentFindings.map {
            .init(time: $0.time, check: $0.check, finding: redaction.finding($0.finding))
        }
        alerts = record.rules.openAlerts.map(redaction.alert)
        tracks = record.tracks.sorted { $0.key < $1.key }.map { _, track in
            var track = track
            track.name = track.name.map(redaction.text)
            return track
        }
        policy = record.health.policy
    }
}
