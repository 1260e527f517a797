package import NielsenID3

/// An event of a live channel, reported as it happens.
package enum ChannelEvent: Sendable, Hashable {
    /// The channel changed its state; the reason is half a sentence.
    case state(from: ChannelState, to: ChannelState, reason: String)
    /// A check made a finding.
    case finding(CheckID, Finding)
    /// An alert was raised or cleared.
    case alert(ChannelAlert.Action, ChannelAlert)
}
