package import NielsenID3

/// One alert for all channels of a host that fail together.
package struct HostAlert: Sendable, Hashable, Codable {
    /// The host that the channels are loaded from.
    package let host: String
    /// When it was raised, in Unix seconds.
    package let since: Double
    /// The alerts of its channels that were open when it was raised.
    package let members: [ChannelAlert]

    /// The channels that fail, in order.
    package var channels: [String] { Set(members.map(\.channel)).sorted() }

    /// The check that most of them violate.
    package var check: CheckID {
        var counts: [CheckID: Int] = [:]
        for member in members { counts[member.check, default: 0] += 1 }
        let first = counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }
        return first?.key ?? .playlistHTTP
    }

    /// The worst severity of them.
    package var severity: CheckStatus { members.map(\.severity).max() ?? .fail }

    /// What was seen, as a sentence: how many channels, and what one of them shows.
    package var detail: String {
        let example = members.first { $0.check == check }?.detail ?? ""
        return "\(channels.count) channels of \(host) fail together: \(example)"
    }

    /// What tells it from every other alert, over restarts too.
    package var id: String {
        let milliseconds = Int64(exactly: (since * 1_000).rounded()) ?? 0
        return "\(host)/\(milliseconds)"
    }
}
