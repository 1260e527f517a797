package import HLSPlaylist
package import NielsenID3

/// A resource that all channels of a monitor share.
package enum ChannelShare: Sendable, Hashable, CaseIterable {
    /// Segments to read.
    case segments
    /// Requests in progress.
    case transfers
    /// Renditions to follow.
    case renditions
    /// Memory for the segments that are waiting to be read.
    case memory
    /// The buffer.
    case buffer
    /// Events to report.
    case lines
    /// Alerts to report.
    case alerts

    /// The setting for the share of one channel.
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

    /// Describes the usage above `maximum` and its consequence.
    func detail(_ maximum: Int) -> String {
        switch self {
        case .segments: "its playlists add more than \(maximum) segments a minute: the oldest are not read"
        case .transfers:
            "it has more than \(maximum) requests at a time, and many are waiting: its servers are slow"
        case .renditions: "it has more than \(maximum) renditions: the rest are not followed"
        case .memory:
            "its playlists list more than \(maximum) MiB of segments to read: the oldest are not read"
        case .buffer:
            "it has more than \(maximum) equal shares of a full buffer: the oldest of its tags are evicted first"
        case .lines: "it has more than \(maximum) events a minute: the rest are counted but not reported"
        case .alerts: "it has more than \(maximum) alerts an hour: the rest are reported later"
        }
    }
}

extension HealthLimit {
    /// The maximum number of new segments of a channel to read per minute.
    package static let channelSegments = HealthLimit(
        "limit-channel-segments", 6_000, "segments",
        "channel.over-limit: maximum number of new segments read per minute, after the first load")

    /// The maximum number of requests of a channel at a time.
    package static let channelTransfers = HealthLimit(
        "limit-channel-transfers", 16, "requests",
        "channel.over-limit: maximum number of requests at a time; more with fewer than 32 channels")

    /// The maximum number of renditions of a channel to follow.
    package static let channelRenditions = HealthLimit(
        "limit-channel-renditions", 32, "renditions",
        "channel.over-limit: maximum number of renditions followed; more with fewer than 31 channels")

    /// The maximum memory for the listed segments of a channel until they are read, and for the tags of segments after
    /// a missing one.
    package static let channelMemory = HealthLimit(
        "limit-channel-memory", 32, "MiB",
        "channel.over-limit: maximum memory for listed segments until they are read, and for the tags of segments "
            + "after a missing one")

    /// The maximum share of a full buffer for the tags of a channel.
    package static let channelBuffer = HealthLimit(
        "limit-channel-buffer", 2, "shares",
        "channel.over-limit: equal shares of a full buffer before the oldest tags of the channel are evicted first"
    )

    /// The maximum number of events of a channel to report per minute.
    package static let channelLines = HealthLimit(
        "limit-channel-lines", 6_000, "events",
        "channel.over-limit: maximum number of tags and findings reported per minute, each an output line")

    /// The maximum number of alerts of a channel to report per hour.
    package static let channelAlerts = HealthLimit(
        "limit-channel-alerts", 60, "alerts",
        "channel.over-limit: maximum number of alerts reported per hour")
}

extension CheckID {
    /// `channel.over-limit`.
    package static let channelOverLimit = CheckID("channel.over-limit")
}

/// A limit that a channel exceeds.
package enum ExceededLimit: Sendable, Hashable {
    /// A limit of one of its playlists.
    case playlist(PlaylistLimit)
    /// The channel's share of a common resource, with its current maximum.
    case share(ChannelShare, maximum: Int)

    /// The limit without the current maximum of a share, which changes with the other channels.
    var kind: ExceededLimit {
        if case .share(let share, _) = self { .share(share, maximum: 0) } else { self }
    }

    /// The limit and the consequence of exceeding it, as a sentence without its period.
    fileprivate var detail: String {
        switch self {
        case .playlist(let limit):
            "the playlist has more than \(limit.maximum) \(limit.rawValue): the rest is ignored"
        case .share(let share, let maximum): share.detail(maximum)
        }
    }
}

/// `channel.over-limit`: the channel stays within the limits of a playlist and within its share.
struct ChannelOverLimit: HealthCheck {
    static let declaration = CheckDeclaration(
        .channelOverLimit, of: .channel, worst: .fail, limits: ChannelShare.allCases.map(\.limit),
        notRun: "No live playlist was loaded.",
        expectation: "The channel stays within its limits",
        title: "The channel exceeds a limit",
        meaning: """
            A playlist has more entries than are read, or the channel uses more than its share of the common resources:
            requests, renditions, segments, memory, the buffer, output lines, alerts. The excess is skipped for this
            channel; other channels are not affected.
            """,
        appearance: """
            The finding names the limit. If a playlist is too long, the segments, variants or renditions at its end are
            never read. If playlists add too many segments, the oldest are not read.
            """,
        cause: """
            A packager that never removes segments, or renames all of them in each load; a playlist generator that
            repeats entries; or an address under the control of an attacker.
            """,
        action: """
            Load the playlist by hand and count its entries. docs/playlist-limits.md lists the limits of playlists. To
            raise a share for one channel, set its limit by name in the channel file.
            """)

    /// Returns the violation for an exceeded limit.
    static func check(_ limit: ExceededLimit) -> CheckResult { .violation(.fail, limit.detail) }
}
