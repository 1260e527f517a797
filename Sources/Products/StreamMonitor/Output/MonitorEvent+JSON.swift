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
        case .alert(let change, let evidence):
            change.writeMembers(at: time, evidence: evidence, to: &writer)
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
