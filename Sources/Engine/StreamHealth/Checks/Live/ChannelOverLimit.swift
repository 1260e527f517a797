package import HLSPlaylist
package import NielsenID3

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
enum ChannelOverLimit: LiveCheck {
    static let declaration = CheckDeclaration(
        .channelOverLimit, worst: .fail, limits: ChannelShare.allCases.map(\.limit),
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
