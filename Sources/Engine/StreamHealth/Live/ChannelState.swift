/// How a live channel is, in one word.
package enum ChannelState: String, Sendable, Hashable, CaseIterable, Codable {
    /// Nothing was read of it yet.
    case connecting
    /// Followed, and no check found anything of late.
    case healthy
    /// A check found something that is not as it should be.
    case degraded
    /// No DATA tag came for the limit of `presence.silent`.
    case silent
    /// Its playlist cannot be loaded.
    case unreachable
    /// Not judged: by hand, or in its quiet hours.
    case paused
    /// Its playlist says that nothing follows.
    case ended
}
