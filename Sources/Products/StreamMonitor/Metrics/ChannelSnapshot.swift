import HostSystem
public import StreamHealth

/// The state and counters of a channel at one moment.
public struct ChannelSnapshot: Sendable, Hashable {
    /// The id of the channel.
    public let id: String
    /// The display name.
    public internal(set) var name: String
    /// The current state.
    public var state = ChannelState.connecting
    /// Whether the channel may end, so that the state `ended` is not a problem.
    public internal(set) var mayEnd = false
    /// Whether no tag arrives although tags are expected, in any state.
    package var isSilent = false
    /// The start of the current state, in Unix milliseconds; 0 if unknown.
    public var stateTime: Int64 = 0
    /// The reason for the state, in one line; empty if it needs no explanation.
    public var reason = ""
    /// The use of the backup because the primary fails; nil while the primary works.
    public internal(set) var backup: BackupUse?
    /// When the last tag was read, in Unix milliseconds; nil before the first.
    public var lastTagTime: Int64?
    /// When the last DATA tag arrived, in Unix milliseconds; nil before the first.
    package var lastDataTagTime: Int64?
    /// The time according to the newest DATA tag; nil before the first.
    var tagTime: TagTime?
    /// The media time between the last two DATA tags, in seconds; nil before the second.
    public var spacing: Double?
    /// The number of tags that were read since the start; a tag is counted before its event.
    public var tagCount: UInt64 = 0
    /// The number of findings of severity warn or fail since the start.
    public var problemCount: UInt64 = 0
    /// The number of active alerts.
    public var alertCount = 0
    /// The media time from the last segment read to the end of the playlist, in seconds; nil before the first segment.
    public var secondsBehindLive: Double?
    /// The number of segments that were read.
    public var segmentCount: UInt64 = 0
    /// The number of segments that could not be read.
    public var failedSegmentCount: UInt64 = 0

    /// Creates the snapshot of a channel that has just been added.
    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// The use of a channel's backup because its primary fails.
    public struct BackupUse: Sendable, Hashable {
        /// The start, in Unix milliseconds.
        public let since: Int64
        /// The reason as a phrase, such as `the load of the playlist failed: timed out`.
        public let reason: String
    }

    /// The time according to a tag.
    struct TagTime: Sendable, Hashable {
        /// The last time in the tag plus the distance from live at which it was read, in Unix seconds.
        let live: Double
        /// The clock reading when the tag was read.
        let reading: ClockReading
        /// The age up to which the time is used, in milliseconds: a channel may have no tags for long.
        private static let maximumAge = 120_000

        /// Returns the seconds from the wall clock to the time of the tag, negative if the tag is before the clock; nil
        /// if the tag is not recent.
        ///
        /// Since the tag was read, its time has advanced by the boot clock, so that a change of the wall clock shows at
        /// once.
        func seconds(after now: ClockReading) -> Double? {
            let age = now.milliseconds(since: reading)
            guard age <= Self.maximumAge else { return nil }
            return live + Double(age) / 1_000 - Double(now.wall) / 1_000
        }
    }
}
