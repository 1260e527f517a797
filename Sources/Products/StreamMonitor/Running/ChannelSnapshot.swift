package import StreamHealth

/// A channel at one moment.
package struct ChannelSnapshot: Sendable, Hashable {
    /// The channel's id.
    package let id: String
    /// Its name for people.
    package let name: String
    /// How it is.
    package var state = ChannelState.connecting
    /// Since when it is, in Unix milliseconds; 0 where nothing is known yet.
    package var stateTime: Int64 = 0
    /// Why its state is what it is, in one line; empty where that needs no words.
    package var reason = ""
    /// When the last tag was read, in Unix milliseconds; nil before the first.
    package var lastTagTime: Int64?
    /// Seconds of media between the last two DATA tags; nil before the second.
    package var spacing: Double?
    /// How many tags were read since the start.
    package var tagCount: UInt64 = 0
    /// How many findings of severity warn or fail there were since the start.
    package var problemCount: UInt64 = 0
    /// How many alerts are active.
    package var alertCount = 0
    /// Seconds from the last segment that was read to the end of the playlist; nil before the first.
    package var secondsBehindLive: Double?
    /// How many segments were read.
    package var segmentCount: UInt64 = 0
    /// How many segments could not be read.
    package var failedSegmentCount: UInt64 = 0

    /// A channel of which nothing is known yet.
    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
