import NielsenID3
import Reporting
import StreamHealth
import TagRecord
package import TextForms

extension MonitorEvent {
    /// Writes the event as one line of JSON.
    package func writeLine(to writer: inout JSONWriter) {
        writer.beginObject()
        switch kind {
        case .tag(let tag):
            writeHead("tag", to: &writer)
            writer.key("tag")
            tag.write(to: &writer)
        case .state(let from, let to, let reason):
            writeHead("state", to: &writer)
            writer.write("from", from.rawValue)
            writer.write("to", to.rawValue)
            writer.write("reason", reason)
        case .alert(let notice):
            writer.write("type", "alert")
            notice.writeMembers(at: time, to: &writer)
            writer.write("evidence", evidence)
        case .finding(let check, let finding):
            writeHead("finding", to: &writer)
            writer.write("check", check.rawValue)
            finding.writeMembers(to: &writer)
        case .summary(let summary):
            writer.write("type", "summary")
            writer.key("at")
            writer.value(time: time)
            summary.writeMembers(to: &writer)
        }
        writer.endObject()
        writer.endLine()
    }

    private func writeHead(_ type: String, to writer: inout JSONWriter) {
        writer.write("type", type)
        writer.write("channel", channel)
        writer.key("at")
        writer.value(time: time)
    }
}

extension MonitorSummary {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.write("channels", channelCount)
        for state in ChannelState.allCases { writer.write(state.rawValue, channelCounts[state, default: 0]) }
        writer.write("alerts", alertCount)
        writer.write("tags", tagCount)
        writer.write("waiting", waitingCount)
        writer.write("delivered", deliveredCount)
        writer.write("lost", lostCount)
    }
}

extension AlertNotice {
    fileprivate func writeMembers(at time: Int64, to writer: inout JSONWriter) {
        switch self {
        case .channel(let action, let alert):
            writer.write("action", action.rawValue)
            writer.write("id", alert.id)
            writer.write("channel", alert.channel)
            Self.write(alert.check, alert.severity, since: alert.since, alert.detail, at: time, to: &writer)
        case .host(let action, let alert):
            writer.write("action", action.rawValue)
            writer.write("id", alert.id)
            writer.write("channel", nil as String?)
            writer.write("host", alert.host)
            writer.key("channels")
            writer.beginArray()
            for channel in alert.channels { writer.value(channel) }
            writer.endArray()
            Self.write(alert.check, alert.severity, since: alert.since, alert.detail, at: time, to: &writer)
        }
    }

    private static func write(
        _ check: CheckID, _ severity: CheckStatus, since: Double, _ detail: String, at time: Int64,
        to writer: inout JSONWriter
    ) {
        writer.write("check", check.rawValue)
        writer.write("severity", severity.rawValue)
        writer.key("at")
        writer.value(time: time)
        writer.key("since")
        writer.value(time: Int64(exactly: (since * 1_000).rounded()) ?? 0)
        writer.write("detail", detail)
    }
}
