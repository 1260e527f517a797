import NielsenID3
import Reporting
package import StreamHealth
import TagRecord
import TextForms
import TimedMedia

/// The state of a channel at one moment, with its recent history.
package struct ChannelDetails: Sendable {
    /// The current state and counters.
    package let snapshot: ChannelSnapshot
    /// The last tags without duplicates, newest last.
    let lastTags: [ChannelStatus.ReadTag]
    /// The last findings, newest last.
    package let findings: [RecentFinding]
    /// The active alerts, oldest first.
    package let alerts: [Alert]
    /// The plots of the renditions, ordered by index.
    let tracks: [LiveTrack]
    /// The limits of the checks.
    let policy: HealthPolicy
    /// The muted checks.
    let muted: MutedChecks
    /// The address of the channel without its secrets; empty if unknown.
    var address = ""
    /// The URIs of the followed renditions without their secrets; empty for a media playlist.
    var renditions: [String] = []

    /// Creates the details of a channel from its record.
    init(_ record: ChannelRecord) {
        snapshot = record.status.snapshot
        lastTags = record.status.lastTags
        findings = record.health.recentFindings
        alerts = record.openAlerts
        tracks = record.status.tracks.sorted { $0.key < $1.key }.map(\.value)
        policy = record.health.policy
        muted = record.health.settings.muted
    }
}

extension ChannelSnapshot {
    /// Writes the members of the channel's JSON object.
    func writeMembers(to writer: inout JSONWriter) {
        writer.write("id", id)
        writer.write("name", name)
        writer.write("state", state.rawValue)
        writer.key("since")
        writer.value(time: stateTime)
        writer.write("reason", reason)
        writer.key("last_tag")
        if let lastTagTime { writer.value(time: lastTagTime) } else { writer.null() }
        writer.write("spacing", spacing)
        writer.write("tags", tagCount)
        writer.write("findings", problemCount)
        writer.write("alerts", alertCount)
        writer.write("behind_live", secondsBehindLive)
        writer.write("segments_read", segmentCount)
        writer.write("segments_failed", failedSegmentCount)
    }
}

extension [ChannelSnapshot] {
    /// Writes the member `channels` with all channels.
    func writeMember(to writer: inout JSONWriter) {
        writer.key("channels")
        writer.beginArray()
        for channel in self {
            writer.beginObject()
            channel.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension ChannelDetails {
    /// Writes the channel as one JSON object.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        snapshot.writeMembers(to: &writer)
        writer.write("address", address)
        writer.key("renditions")
        writer.beginArray()
        for rendition in renditions { writer.value(rendition) }
        writer.endArray()
        for (key, checks) in [("ignored", muted.ignored), ("accepted", muted.accepted)] {
            writer.key(key)
            writer.beginArray()
            for check in checks.map(\.rawValue).sorted() { writer.value(check) }
            writer.endArray()
        }
        writer.key("last_tags")
        writer.beginArray()
        for read in lastTags {
            writer.beginObject()
            writer.key("at")
            writer.value(time: read.time.unixMilliseconds)
            writer.key("tag")
            read.tag.write(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.key("last_findings")
        writer.beginArray()
        for found in findings {
            writer.beginObject()
            writer.key("at")
            writer.value(time: found.time.unixMilliseconds)
            writer.write("check", found.check.rawValue)
            found.finding.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.key("active_alerts")
        writer.beginArray()
        for alert in alerts {
            writer.beginObject()
            writer.write("id", alert.id)
            alert.writeProblem(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
