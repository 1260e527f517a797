/// A viewing session, from the first call about a channel to its end, or to another channel.
struct ViewingSession: Sendable, Hashable {
    /// A random id, derived from nothing else.
    let id: String
    /// The channel as the player named it; nil if it named none.
    var channel: String?
    var form: SessionCall.Form
    /// Whether `play` was called.
    var hasPlay = false
    /// Whether there was any metadata.
    var hasMetadata = false
    /// Whether the data comes from the content management system (`dataSrc` `cms`): there are playheads, but no tags.
    var goesByPlayheads = false
    /// The number of assets summarized so far.
    var summaryCount: UInt64 = 0
    /// Whether playback is stopped: `stop` was the last call about it.
    var isStopped = false
    /// Whether playback is paused: `pause` was the last call about it.
    var isPaused = false
    /// The number of tags stored so far.
    var tagCount: UInt64 = 0
    /// The owner identifier of the last stored tag.
    var lastOwner: [UInt8]?
    /// Whether the first tag has been checked for missing calls.
    var isFirstTagChecked = false

    /// Whether playback is interrupted.
    var isInterrupted: Bool { isStopped || isPaused }

    mutating func resume() {
        isStopped = false
        isPaused = false
    }
}
