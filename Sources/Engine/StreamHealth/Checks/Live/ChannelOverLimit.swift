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
    /// The channel's share of what all channels use together, and how much that is at this moment.
    case share(ChannelShare, maximum: Int)

    /// What the limit is and what happens, as a sentence without its period.
    fileprivate var detail: String {
        switch self {
        case .playlist(let limit):
            "the playlist has more than \(limit.maximum) \(limit.rawValue): the rest is ignored"
        case .share(let share, let maximum): share.detail(maximum)
        }
    }
}

/// `channel.over-limit`: the channel stays within the limits of a playlist and within its share.
enum ChannelOverLimit: LiveCheck {
    static let declaration = CheckDeclaration(
        .channelOverLimit, worst: .fail, limits: ChannelShare.allCases.map(\.limit),
        notRun: "No live playlist was loaded.",
        expectation: "The channel stays within its limits",
        title: "The channel exceeds a limit",
        meaning: """
            A playlist has more entries than are read, or the channel uses more than its share of what all channels use
            together: requests, renditions, segments, memory, the buffer, lines of the output, alerts. What exceeds the
            limit is left out for this channel; other channels are not affected.
            """,
        appearance: """
            The finding names the limit. Of a playlist that is truncated, segments, variants or renditions at its end are never
            read. Of playlists that add too many segments, the oldest are not read.
            """,
        cause: """
            A packager that never removes segments, or gives all of them new names in each load; a playlist generator that
            repeats entries; an address that belongs to somebody who attacks the monitor.
            """,
        action: """
            Load the playlist by hand and count its entries. docs/playlist-limits.md lists the limits of playlists; a share is
            raised for the channel alone in the channel file, under the name of its limit.
            """)

    /// The violation that a limit is.
    static func check(_ limit: ExceededLimit) -> CheckResult { .violation(.fail, limit.detail) }
}
