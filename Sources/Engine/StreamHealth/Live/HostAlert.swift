package import NielsenID3

/// One alert for all channels of a host that fail together.
package struct HostAlert: Sendable, Hashable, Codable {
    /// The host that serves the channels.
    package let host: String
    /// The time the alert was raised, in Unix seconds.
    package let since: Double
    /// The channel alerts of the host that were open when this alert was raised.
    package let members: [ChannelAlert]

    /// The failing channels, sorted by id.
    package var channels: [String] { Set(members.map(\.channel)).sorted() }

    /// The check that most members violate.
    package var check: CheckID {
        var counts: [CheckID: Int] = [:]
        for member in members { counts[member.check, default: 0] += 1 }
        let first = counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }
        return first?.key ?? .playlistHTTP
    }

    /// The worst severity among the members.
    package var severity: CheckStatus { members.map(\.severity).max() ?? .fail }

    /// A sentence with the number of failing channels and the detail of one member.
    package var detail: String {
        let example = members.first { $0.check == check }?.detail ?? ""
        return "\(channels.count) channels of \(host) fail together: \(example)"
    }

    /// An identifier that is unique among all alerts, across restarts.
    package var id: String {
        let milliseconds = Int64(exactly: (since * 1_000).rounded()) ?? 0
        return "\(host)/\(milliseconds)"
    }
}
