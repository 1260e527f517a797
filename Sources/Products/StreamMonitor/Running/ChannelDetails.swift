import Reporting
package import StreamHealth

/// A channel at one moment, with what happened in it last.
package struct ChannelDetails: Sendable {
    /// How it is.
    package let snapshot: ChannelSnapshot
    /// The last tags that were no copies, the newest last.
    let lastTags: [ChannelRecord.ReadTag]
    /// The last findings, the newest last.
    package let findings: [ChannelHealth.RecentFinding]
    /// The alerts that are active, the oldest first.
    package let alerts: [ChannelAlert]
    /// What is drawn of its renditions, in their order.
    let tracks: [LiveTrack]
    /// The limits that it is judged by.
    let policy: HealthPolicy

    /// What a record has.
    init(_ record: ChannelRecord) {
        snapshot = record.snapshot
        lastTags = record.lastTags
        let redaction = record.redaction
        findings = record.health.recentFindings.map {
            .init(time: $0.time, check: $0.check, finding: redaction.finding($0.finding))
        }
        alerts = record.health.openAlerts.map(redaction.alert)
        tracks = record.tracks.sorted { $0.key < $1.key }.map { _, track in
            var track = track
            track.name = track.name.map(redaction.text)
            return track
        }
        policy = record.health.policy
    }
}
