/// What all channels of a monitor use together, and of which each has a share.
package enum ChannelShare: Sendable, Hashable, CaseIterable {
    /// Segments that are read.
    case segments
    /// Requests that run.
    case transfers
    /// Renditions that are followed.
    case renditions
    /// Memory of segments that are to be read.
    case memory
    /// The buffer.
    case buffer
    /// Events that are told.
    case lines
    /// Alerts that are told.
    case alerts

    /// The setting that says how much it is.
    package var limit: HealthLimit {
        switch self {
        case .segments: .channelSegments
        case .transfers: .channelTransfers
        case .renditions: .channelRenditions
        case .memory: .channelMemory
        case .buffer: .channelBuffer
        case .lines: .channelLines
        case .alerts: .channelAlerts
        }
    }

    /// What a channel that uses more than `maximum` does, and what follows from it.
    func detail(_ maximum: Int) -> String {
        switch self {
        case .segments: "its playlists add more than \(maximum) segments a minute: the oldest are not read"
        case .transfers: "it has more than \(maximum) requests at a time, and many wait: its servers are slow"
        case .renditions: "it has more than \(maximum) renditions: the rest is not followed"
        case .memory:
            "its playlists list more than \(maximum) MiB of segments to read: the oldest are not read"
        case .buffer:
            "it has more than \(maximum) equal shares of a full buffer: the oldest of its tags are evicted first"
        case .lines: "there are more than \(maximum) events of it a minute: the rest is counted and not told"
        case .alerts: "there are more than \(maximum) alerts of it an hour: the rest is told later"
        }
    }
}

extension HealthLimit {
    /// How many new segments of a channel are read a minute.
    package static let channelSegments = HealthLimit(
        "limit-channel-segments", 6_000, "segments",
        "channel.over-limit: how many new segments a minute are read, after the first load")

    /// How many requests of a channel run at a time.
    package static let channelTransfers = HealthLimit(
        "limit-channel-transfers", 16, "requests",
        "channel.over-limit: how many requests run at a time; more while there are fewer than 32 channels")

    /// How many renditions of a channel are followed.
    package static let channelRenditions = HealthLimit(
        "limit-channel-renditions", 32, "renditions",
        "channel.over-limit: how many renditions are followed; more while there are fewer than 31 channels")

    /// How much memory the segments that a channel lists may take until they are read.
    package static let channelMemory = HealthLimit(
        "limit-channel-memory", 32, "MiB",
        "channel.over-limit: how much memory the segments that it lists may take until they are read")

    /// How much of the buffer the tags of a channel may take while it is full.
    package static let channelBuffer = HealthLimit(
        "limit-channel-buffer", 2, "shares",
        "channel.over-limit: how many equal shares of a full buffer it may have before its own oldest tags go first"
    )

    /// How many events of a channel are told.
    package static let channelLines = HealthLimit(
        "limit-channel-lines", 6_000, "events",
        "channel.over-limit: how many tags and findings a minute are told, each a line of the output")

    /// How many alerts of a channel are told.
    package static let channelAlerts = HealthLimit(
        "limit-channel-alerts", 60, "alerts", "channel.over-limit: how many alerts an hour are told")
}
