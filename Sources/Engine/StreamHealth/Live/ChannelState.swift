/// The state of a live channel.
package enum ChannelState: String, Sendable, Hashable, CaseIterable, Codable {
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
