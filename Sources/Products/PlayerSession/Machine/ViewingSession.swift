/// One viewing session: from the first call about a channel to its end, or to another channel.
struct ViewingSession: Sendable, Hashable {
    /// Random, and of nothing else.
    let id: String
    /// The channel as the player named it; nil where it named none.
    var channel: String?
    var form: SessionCall.Form
    /// Whether `play` was called.
    var hasPlay = false
    /// Whether there was any metadata.
    var hasMetadata = false
    /// Whether its data come from the content management system (`dataSrc` `cms`): there are playheads, and no tags.
    var goesByPlayheads = false
    /// How many assets it has summarized.
    var summaryCount: UInt64 = 0
    /// Whether `stop` was the last word on playback.
    var isStopped = false
    /// Whether `pause` was.
    var isPaused = false
    /// How many tags it has kept.
    var tagCount: UInt64 = 0
    /// The owner identifier of the last tag that it kept.
    var lastOwner: [UInt8]?
    /// Whether what its first tag missed has been found.
    var isFirstTagChecked = false

    /// Whether playback is interrupted.
    var isInterrupted: Bool { isStopped || isPaused }

    mutating func resume() {
        isStopped = false
        isPaused = false
    }
}
