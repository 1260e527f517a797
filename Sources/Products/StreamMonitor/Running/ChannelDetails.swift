import ID3v2
import NielsenID3
import Reporting
import StreamHealth
import TagDelivery
import TagRecord
import TextForms

/// The state of a channel at one moment, with its recent history.
package struct ChannelDetails: Sendable {
    /// The health, the counters and the recent history.
    let record: ChannelRecord
    /// The address of the channel without its secrets; empty if unknown.
    var address = ""
    /// The URIs of the followed renditions without their secrets; empty for a media playlist.
    var renditions: [String] = []
    /// The folders with the evidence of the active alerts, by alert id.
    var evidence: [String: String] = [:]
    /// The delivery of the whole monitor; nil without a collector.
    var delivery: DeliveryProgress?
    /// The acknowledgments and mutes.
    var handling = AlertHandling()
    /// The number of tags of all channels in the buffer.
    var waitingCount: Int64 = 0

    init(_ record: ChannelRecord) { self.record = record }

    /// The current state and counters.
    var snapshot: ChannelSnapshot { record.snapshot }
    /// The last findings, newest last.
    var findings: [RecentFinding] { record.health.recentFindings }
    /// The findings by what they state, the last one in the last group.
    var episodes: [FindingGroup] { record.health.findingGroups }
    /// The active alerts, oldest first.
    var alerts: [Alert] { record.openAlerts }
    /// The plots of the renditions, ordered by index.
    var tracks: [LiveTrack] { record.tracks.sorted { $0.key < $1.key }.map(\.value) }
    /// The muted checks.
    var muted: MutedChecks { record.metrics.muted }
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
        writer.key("backup")
        if let backup { backup.write(to: &writer) } else { writer.null() }
        writer.key("may_end")
        writer.value(mayEnd)
        writer.key("last_tag")
        if let lastTagTime { writer.value(time: lastTagTime) } else { writer.null() }
        writer.key("last_data_tag")
        if let lastDataTagTime { writer.value(time: lastDataTagTime) } else { writer.null() }
        writer.write("spacing", spacing)
        writer.write("tags", tagCount)
        writer.write("findings", problemCount)
        writer.write("alerts", alertCount)
        writer.write("behind_live", secondsBehindLive)
        writer.write("segments_read", segmentCount)
        writer.write("segments_failed", failedSegmentCount)
    }
}

extension ChannelSnapshot.BackupUse {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("since")
        writer.value(time: since)
        writer.write("reason", reason)
        writer.endObject()
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
    /// The state of the delivery, as a sentence without a period.
    ///
    /// - Parameter now: The current time in Unix milliseconds.
    func collectorText(now: Int64) -> String {
        let waiting = "tags waiting: \(DecimalText.grouped(Int(clamping: waitingCount)))"
        guard let delivery else { return "none, \(waiting)" }
        return "\(delivery.activity.text(now: now)), \(waiting)"
    }

    private func writeCollector(to writer: inout JSONWriter) {
        guard let delivery else { return writer.null() }
        writer.beginObject()
        writer.write("state", delivery.activity.word)
        writer.write("reason", delivery.activity.reason)
        writer.key("until")
        if let until = delivery.activity.until { writer.value(time: until) } else { writer.null() }
        writer.write("waiting", waitingCount)
        writer.endObject()
    }

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
        for read in record.lastTags {
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
        episodes.writeEpisodes(withChecks: true, to: &writer)
        writer.key("active_alerts")
        writer.beginArray()
        for alert in alerts {
            writer.beginObject()
            writer.write("id", alert.id)
            alert.writeProblem(to: &writer)
            writer.write("evidence", evidence[alert.id])
            handling.writeMembers(of: alert, to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.key("collector")
        writeCollector(to: &writer)
        writer.endObject()
    }
}

extension DeliveryProgress {
    /// Why nothing is delivered, also while the next attempt is made; nil if it is.
    var failure: (word: String, reason: String, until: Int64?)? {
        if let reason = activity.reason { return (activity.word, reason, activity.until) }
        guard case .sending = activity, let lastTrouble else { return nil }
        return (activity.word, lastTrouble, nil)
    }
}

extension DeliveryProgress.Activity {
    /// The name of the activity in JSON.
    fileprivate var word: String {
        switch self {
        case .idle: "idle"
        case .sending: "sending"
        case .backingOff: "backing-off"
        case .holding: "holding"
        case .bufferTrouble: "buffer-trouble"
        }
    }

    /// The time of the next attempt, in Unix milliseconds; nil if it does not wait for a time.
    fileprivate var until: Int64? {
        switch self {
        case .backingOff(let until, _), .holding(let until, _): until
        case .idle, .sending, .bufferTrouble: nil
        }
    }

    fileprivate func text(now: Int64) -> String {
        let next = until.map { ", next attempt in \(DurationText.age(milliseconds: $0 - now))" } ?? ""
        return switch self {
        case .idle, .sending: "delivering"
        case .backingOff(_, let reason): "not delivering, \(reason)\(next)"
        case .holding(_, let reason): "holding, \(reason)\(next)"
        case .bufferTrouble(let reason): "the buffer is not readable, \(reason)"
        }
    }
}
