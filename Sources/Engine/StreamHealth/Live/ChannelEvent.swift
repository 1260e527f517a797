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
    /// A check is violated: follows each finding, and repeats while new observations show the same violation.
    case violation(ChannelViolation)
    /// The last violation of a check is not over, although no observation repeats it.
    case ongoing(CheckID)
    /// A DATA tag arrived.
    case dataTag
    /// The time advanced; `isFollowed` is whether the channel can be read, so that violations may end.
    case advanced(isFollowed: Bool)
    /// These checks are no longer evaluated; nil stands for all.
    case stopped(Set<CheckID>?)
}

/// A violation of a check in one rendition of a live channel.
package struct ChannelViolation: Sendable, Hashable {
    /// The violated check.
    package let check: CheckID
    /// The severity, `warn` or `fail`.
    package let severity: CheckStatus
    /// The observed and the expected behavior.
    package let detail: String
    /// The rendition.
    package let rendition: RenditionID
    /// The position in the media, in seconds; nil if unknown.
    package let position: Double?

    /// Creates a violation.
    package init(
        check: CheckID, severity: CheckStatus, detail: String, rendition: RenditionID = .first,
        position: Double? = nil
    ) {
        self.check = check
        self.severity = severity
        self.detail = detail
        self.rendition = rendition
        self.position = position
    }
}
