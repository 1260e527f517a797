package import NielsenID3

/// Something about a live channel that is told as it happens.
package enum ChannelEvent: Sendable, Hashable {
    /// The channel is in another state, for a reason that is half a sentence.
    case state(from: ChannelState, to: ChannelState, reason: String)
    /// A check found something that is not as it should be.
    case finding(CheckID, Finding)
    /// An alert was raised or cleared.
    case alert(ChannelAlert.Action, ChannelAlert)
}
