package import NielsenID3

/// A problem of one channel that needs an operator, raised once and cleared once.
package struct ChannelAlert: Sendable, Hashable {
    /// The channel id.
    package let channel: String
    /// The violated check.
    package let check: CheckID
    /// The time it was raised, in Unix seconds.
    package let since: Double
    /// The severity, `warn` or `fail`.
    package var severity: CheckStatus
    /// The observed and the expected behavior.
    package var detail: String

    /// Creates an alert.
    package init(channel: String, check: CheckID, since: Double, severity: CheckStatus, detail: String) {
        self.channel = channel
        self.check = check
        self.since = since
        self.severity = severity
        self.detail = detail
    }

    /// An identifier that is unique across restarts: the channel, the check, and the time it was raised, in
    /// milliseconds.
    package var id: String {
        let milliseconds = Int64(exactly: (since * 1_000).rounded()) ?? 0
        return "\(channel)/\(check.rawValue)/\(milliseconds)"
    }

    /// A change of an alert.
    package enum Action: String, Sendable, Hashable, Codable {
        /// The alert opens.
        case raise
        /// The alert closes.
        case clear
    }
}

/// The form in which an alert is stored across a restart.
extension ChannelAlert: Codable {
    private enum CodingKeys: String, CodingKey { case channel, check, since, severity, detail }

    /// Decodes an alert; an unknown severity of a later version counts as `fail`.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        channel = try values.decode(String.self, forKey: .channel)
        check = CheckID(try values.decode(String.self, forKey: .check))
        since = try values.decode(Double.self, forKey: .since)
        severity = CheckStatus(rawValue: try values.decode(String.self, forKey: .severity)) ?? .fail
        detail = try values.decode(String.self, forKey: .detail)
    }

    /// Encodes all properties.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(channel, forKey: .channel)
        try values.encode(check.rawValue, forKey: .check)
        try values.encode(since, forKey: .since)
        try values.encode(severity.rawValue, forKey: .severity)
        try values.encode(detail, forKey: .detail)
    }
}
