public import NielsenID3
import Reporting
public import StreamHealth
import TagRecord
package import TextForms

/// An event that the monitor reports: a tag, a change of state, an alert, a finding, or a summary of all channels.
public struct MonitorEvent: Sendable {
    /// The id of the channel; nil for an event about several channels.
    public let channel: String?
    /// The time of the event, in Unix milliseconds.
    public let time: Int64
    /// The type of the event, with its data.
    public let kind: Kind
    /// The names and addresses of an alert.
    package let facts: AlertFacts

    /// The type of an event.
    public enum Kind: Sendable {
        /// A tag was read.
        case tag(TagOccurrence)
        /// A channel's state changed.
        case state(from: ChannelState, to: ChannelState, reason: String)
        /// An alert was raised or cleared; `evidence` is the folder with its evidence, or nil if there is none.
        case alert(AlertChange, evidence: String?)
        /// A check reported a finding.
        case finding(CheckID, Finding)
        /// A periodic summary of all channels.
        case summary(MonitorSummary)
    }

    /// Creates an event.
    package init(channel: String?, time: Int64, kind: Kind, facts: AlertFacts = AlertFacts()) {
        self.channel = channel
        self.time = time
        self.kind = kind
        self.facts = facts
    }
}

/// The state of all channels of a monitor at one moment.
public struct MonitorSummary: Sendable, Hashable {
    /// The number of channels in each state.
    public var channelCounts: [ChannelState: Int] = [:]
    /// The number of active alerts.
    public var alertCount = 0
    /// The number of tags that were read since the start.
    public var tagCount: UInt64 = 0
    /// The number of tags in the buffer.
    public var waitingCount: Int64 = 0
    /// The number of tags that were delivered since the buffer was created.
    public var deliveredCount: Int64 = 0
    /// The number of tags that were lost since the buffer was created, for any cause.
    public var lostCount: Int64 = 0

    /// Creates a summary of no channels.
    package init() {}

    /// The number of channels.
    public var channelCount: Int { channelCounts.values.reduce(0, +) }
}

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
            change.writeMembers(at: time, evidence: evidence, facts: facts, to: &writer)
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
