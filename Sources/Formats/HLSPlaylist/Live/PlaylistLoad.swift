/// How a load of a live media playlist went.
package enum PlaylistLoad: Sendable {
    /// It came.
    case playlist(MediaPlaylist)

    /// The server says that it is the one of the load before.
    case unchanged

    /// It did not come, or cannot be read.
    case failed
}

/// What a load of a live media playlist brings.
package struct PlaylistUpdate: Sendable {
    /// The segments that were not given before, in their order; their media sequence numbers rise by one.
    package internal(set) var newSegments: [MediaSegment] = []

    /// Whether the first of them directly continues the last one that was given before.
    package internal(set) var isContinuation = true

    /// Whether the stream started over: the segments do not continue those before, whatever their numbers.
    package internal(set) var isReset = false

    /// What the loads before did not lead to expect, at most `maximumEventCount`.
    package internal(set) var events: [PlaylistEvent] = []

    /// How long to wait, from the start of this load to that of the next.
    package internal(set) var reloadDelay: Duration

    /// Whether no segment will be added; nothing is to be loaded any more.
    package internal(set) var isEnded = false

    /// How many events an update has at most: a hostile playlist must not fill the memory.
    package static let maximumEventCount = 64

    init(reloadDelay: Duration) { self.reloadDelay = reloadDelay }

    /// Hands over the new segments, which it has no longer then.
    package mutating func takeNewSegments() -> [MediaSegment] {
        defer { newSegments = [] }
        return newSegments
    }

    /// Tells an event, unless there were too many already.
    mutating func tell(_ event: PlaylistEvent) {
        if events.count < Self.maximumEventCount { events.append(event) }
    }
}
