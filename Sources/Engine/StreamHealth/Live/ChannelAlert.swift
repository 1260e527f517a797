package import NielsenID3

/// What an operator is called for: raised once, and cleared once.
package struct ChannelAlert: Sendable, Hashable {
    /// The channel.
    package let channel: String
    /// The check that is violated.
    package let check: CheckID
    /// When it was raised, in Unix seconds.
    package let since: Double
    /// `warn` or `fail`.
    package var severity: CheckStatus
    /// What was seen and what was expected.
    package var detail: String

    /// An alert.
    package init(channel: String, check: CheckID, since: Double, severity: CheckStatus, detail: String) {
        self.channel = channel
        self.check = check
        self.since = since
        self.severity = severity
        self.detail = detail
    }

    /// What tells it from every other alert, over restarts too: channel, check, and when it was raised to the
    /// millisecond.
    package var id: String {
        let milliseconds = Int64(exactly: (since * 1_000).rounded()) ?? 0
        return "\(channel)/\(check.rawValue)/\(milliseconds)"
    }

    /// What happens to an alert.
    package enum Action: String, Sendable, Hashable, Codable {
        /// It is open from now on.
        case raise
        /// It is closed.
        case clear
    }
}

/// As it is kept over a restart.
extension ChannelAlert: Codable {
    private enum CodingKeys: String, CodingKey { case channel, check, since, severity, detail }

    /// Reads what `encode` wrote; a severity of a later version counts as `fail`.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        channel = try values.decode(String.self, forKey: .channel)
        check = CheckID(try values.decode(String.self, forKey: .check))
        since = try values.decode(Double.self, forKey: .since)
        severity = CheckStatus(rawValue: try values.decode(String.self, forKey: .severity)) ?? .fail
        detail = try values.decode(String.self, forKey: .detail)
    }

    /// Writes all of it.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(channel, forKey: .channel)
        try values.encode(check.rawValue, forKey: .check)
        try values.encode(since, forKey: .since)
        try values.encode(severity.rawValue, forKey: .severity)
        try values.encode(detail, forKey: .detail)
    }
}
