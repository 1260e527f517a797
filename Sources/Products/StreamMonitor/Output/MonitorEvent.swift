package import NielsenID3
package import StreamHealth

/// Something that the monitor tells: a tag, a change of state, an alert, a finding, or how all channels are.
package struct MonitorEvent: Sendable {
    /// The channel's id; nil for what is about several.
    package let channel: String?
    /// When it was, in Unix milliseconds.
    package let time: Int64
    /// What it is.
    package let kind: Kind
    /// The folder with the evidence of an alert; nil where there is none.
    package var evidence: String?

    /// What the monitor tells.
    package enum Kind: Sendable {
        /// A tag was read.
        case tag(TagOccurrence)
        /// A channel's state changed.
        case state(from: ChannelState, to: ChannelState, reason: String)
        /// An alert was raised or cleared.
        case alert(AlertNotice)
        /// A check found something.
        case finding(CheckID, Finding)
        /// How all channels are.
        case summary(MonitorSummary)
    }

    /// An event.
    package init(channel: String?, time: Int64, kind: Kind) {
        self.channel = channel
        self.time = time
        self.kind = kind
    }
}

/// How all channels of a monitor are at one moment.
package struct MonitorSummary: Sendable, Hashable {
    /// How many channels there are in each state.
    package var channelCounts: [ChannelState: Int] = [:]
    /// How many alerts are active.
    package var alertCount = 0
    /// How many tags were read since the start.
    package var tagCount: UInt64 = 0
    /// How many tags wait in the buffer.
    package var waitingCount: Int64 = 0
    /// How many tags were delivered since the buffer was made.
    package var deliveredCount: Int64 = 0
    /// How many tags were lost since the buffer was made, for whatever cause.
    package var lostCount: Int64 = 0

    /// How many channels there are.
    package var channelCount: Int { channelCounts.values.reduce(0, +) }
}
