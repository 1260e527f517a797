package import NielsenID3

/// The state of a live channel.
public enum ChannelState: String, Sendable, Hashable, CaseIterable, Codable {
    /// Nothing has been read yet.
    case connecting
    /// Followed, with no recent findings.
    case healthy
    /// A check has a recent finding.
    case degraded
    /// No DATA tag arrived within the limit of `presence.silent`.
    case silent
    /// The playlist cannot be loaded.
    case unreachable
    /// Not checked: paused manually, or in quiet hours.
    case paused
    /// The playlist has ended.
    case ended
}

/// The checks of a live channel that run; with the latest observations, they determine its state.
enum ChannelActivity: Sendable {
    /// All checks run.
    case checking
    /// Tags are not expected, and the other checks run.
    case quiet
    /// No check runs until `resume`.
    case paused
    /// The playlist of a channel that may end has ended; no check runs until `resume`.
    case ended

    /// Whether observations are checked.
    var isChecked: Bool { self == .checking || self == .quiet }

    /// The state of the channel that follows from the activity alone, with its reason; nil while all checks run.
    var state: (ChannelState, reason: String)? {
        switch self {
        case .checking: nil
        case .quiet: (.paused, "quiet hours")
        case .paused: (.paused, "by an operator")
        case .ended: (.ended, "the playlist has ended")
        }
    }
}

/// An event of a live channel, reported as it happens.
package enum ChannelEvent: Sendable, Hashable {
    /// The channel changed its state; the reason is half a sentence.
    case state(from: ChannelState, to: ChannelState, reason: String)
    /// A check made a finding.
    case finding(CheckID, Finding)
    /// The backup replaces the primary, with the reason as a sentence; nil if the primary is used again.
    case backup(String?)
}
