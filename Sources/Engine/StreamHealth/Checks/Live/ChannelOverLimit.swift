package import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `channel.over-limit`.
    package static let channelOverLimit = CheckID("channel.over-limit")
}

/// A limit that a channel exceeds.
package enum ExceededLimit: Sendable, Hashable {
    /// A bound of one of its playlists.
    case playlist(PlaylistLimit)
    /// The channel's share of what all channels use together.
    case share(ChannelShare, maximum: Int)

    /// What the limit is and what happens, as a sentence without its period.
    fileprivate var detail: String {
        switch self {
        case .playlist(let limit):
            "the playlist has more than \(limit.maximum) \(limit.rawValue): the rest is ignored"
        case .share(let share, let maximum): share.detail(maximum: maximum)
        }
    }
}

/// What all channels of a monitor use together, and of which each has a share.
package enum ChannelShare: String, Sendable, Hashable, CaseIterable {
    /// The bytes of the buffer.
    case buffer
    /// Requests that are open at the same time.
    case connections
    /// Segments that one load of a playlist adds.
    case segments
    /// Lines of the log in a minute.
    case lines
    /// Alerts in an hour.
    case alerts

    fileprivate func detail(maximum: Int) -> String {
        switch self {
        case .buffer:
            "its tags fill more than its share of the buffer, \(maximum) bytes: its oldest tags are deleted"
        case .connections: "it has \(maximum) requests open, its share: further requests wait"
        case .segments: "a load of the playlist added more than \(maximum) segments: the oldest are not read"
        case .lines: "it caused more than \(maximum) lines in a minute: the rest is counted only"
        case .alerts: "it caused more than \(maximum) alerts in an hour: the rest is counted only"
        }
    }
}

/// `channel.over-limit`: the channel stays within the limits of a playlist and within its share.
enum ChannelOverLimit: LiveCheck {
    static let declaration = CheckDeclaration(
        .channelOverLimit, worst: .fail,
        notRun: "No live playlist was loaded.",
        expectation: "The channel stays within its limits",
        title: "The channel exceeds a limit",
        meaning: """
            A playlist has more entries than are read, or the channel uses more than its share of the connections, of the
            buffer, of the processor or of the log. What exceeds the limit is left out for this channel; other channels are
            not affected.
            """,
        appearance: """
            The finding names the limit. For a playlist that is truncated, segments, variants or renditions at its end are
            never read. For a share, requests of the channel wait, or its oldest tags are deleted first.
            """,
        cause: """
            A packager that never removes segments; a playlist generator that repeats entries; a channel whose
            `rendition` is `all` with dozens of renditions on slow hosts; an address that belongs to someone who attacks the
            monitor.
            """,
        action: """
            Load the playlist by hand and count its entries. Choose one rendition instead of `all`. If the channel
            legitimately needs more, raise the share that the finding names in the settings of the monitor.
            """)

    /// The violation that a limit is.
    static func check(_ limit: ExceededLimit) -> CheckResult { .violation(.fail, limit.detail) }
}
