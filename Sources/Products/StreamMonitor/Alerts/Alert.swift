import ID3v2
public import NielsenID3
public import StreamHealth

/// A problem that needs an operator, raised once and cleared once.
///
/// A rule raises it; grouping by host, the store and the outputs follow.
public struct Alert: Sendable, Hashable, Identifiable {
    /// The affected channel, or the host whose channels fail together.
    public let scope: Scope
    /// The problem, without its place.
    package internal(set) var episode: Episode

    /// The violated check.
    public var check: CheckID { episode.check }
    /// The severity, `warn` or `fail`.
    public var severity: CheckStatus { episode.severity }
    /// The time it was raised, in Unix milliseconds; 0 if a damaged file states an impossible time.
    public var since: Int64 { episode.since.unixMilliseconds }
    /// The observed and the expected behavior.
    public var detail: String {
        get { episode.detail }
        set { episode.detail = newValue }
    }
    /// The problems that follow from this one and have no alerts of their own.
    public var consequences: [Finding.Consequence] { episode.consequences }

    /// The part of the monitor that an alert is about.
    public enum Scope: Sendable, Hashable {
        /// A channel, by its id.
        case channel(String)
        /// A host, with the ids of its failing channels in order.
        case host(String, channels: [String])
        /// The monitor itself.
        case monitor
    }

    /// Creates an alert that was raised at a time in Unix seconds.
    package init(scope: Scope, check: CheckID, since: Double, severity: CheckStatus, detail: String) {
        let since = WallTime(unixSeconds: since)
        self.init(Episode(check: check, severity: severity, since: since, detail: detail), of: scope)
    }

    /// Creates the alert of an episode.
    package init(_ episode: Episode, of scope: Scope) {
        self.episode = episode
        self.scope = scope
    }

    /// Returns the alert as cleared after a last violation at a time in Unix seconds.
    package func ended(at end: Double) -> Alert {
        var alert = self
        alert.episode.last = WallTime(unixSeconds: end)
        alert.episode.isCleared = true
        return alert
    }

    /// For an alert that was cleared, the time of its last violation in Unix seconds; otherwise nil.
    var end: Double? { episode.isCleared ? episode.last?.unixSeconds : nil }

    /// For an alert that was cleared, the time from the first violation to the last, in seconds; otherwise nil.
    public var duration: Double? { end.map { max(0, $0 - episode.onset.unixSeconds) } }

    /// An identifier that is unique across restarts: the scope, the check of a channel, and the time the alert was
    /// raised, in milliseconds.
    public var id: String {
        switch scope {
        case .channel(let channel): "\(channel)/\(check.rawValue)/\(since)"
        case .host(let host, _): "\(host)/\(since)"
        case .monitor: "monitor/\(check.rawValue)/\(since)"
        }
    }

    /// Whether segments of the channel are not read, so that its other alerts may follow from it.
    var stopsReading: Bool { check.declaration?.alerting.stopsReading ?? false }

    /// The channel of an alert about a single channel, otherwise nil.
    package var channel: String? { if case .channel(let channel) = scope { channel } else { nil } }

    /// The ids of all affected channels.
    package var channels: [String] {
        switch scope {
        case .channel(let channel): [channel]
        case .host(_, let channels): channels
        case .monitor: []
        }
    }

    /// The name of the channel or host, for texts.
    public var subject: String {
        switch scope {
        case .channel(let channel): channel
        case .host(let host, _): host
        case .monitor: "the monitor"
        }
    }
}

/// A change of an alert.
public enum AlertChange: Sendable, Hashable {
    /// The alert was raised.
    case raised(Alert)
    /// The alert was cleared.
    case cleared(Alert)

    /// Creates the change of an alert from its episode.
    init(_ episode: Episode, of scope: Alert.Scope) {
        let alert = Alert(episode, of: scope)
        self = episode.isCleared ? .cleared(alert) : .raised(alert)
    }

    /// The alert.
    public var alert: Alert {
        switch self {
        case .raised(let alert), .cleared(let alert): alert
        }
    }

    /// The value of `action` in JSON.
    package var action: String {
        switch self {
        case .raised: "raise"
        case .cleared: "clear"
        }
    }

    /// The change as a word in texts.
    package var word: String {
        switch self {
        case .raised: "raised"
        case .cleared: "cleared"
        }
    }
}

/// The form in which an alert is stored across a restart.
extension Alert: Codable {
    private enum CodingKeys: String, CodingKey {
        case channel, host, channels, monitor
    }

    /// Decodes an alert; an unknown severity of a later version counts as `fail`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        if let host = try values.decodeIfPresent(String.self, forKey: .host) {
            scope = .host(host, channels: try values.decode([String].self, forKey: .channels))
        } else if try values.decodeIfPresent(Bool.self, forKey: .monitor) == true {
            scope = .monitor
        } else {
            scope = .channel(try values.decode(String.self, forKey: .channel))
        }
        episode = try Episode(from: decoder)
    }

    /// Encodes the properties of an open alert, without its consequences.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch scope {
        case .channel(let channel): try values.encode(channel, forKey: .channel)
        case .host(let host, let channels):
            try values.encode(host, forKey: .host)
            try values.encode(channels, forKey: .channels)
        case .monitor: try values.encode(true, forKey: .monitor)
        }
        try episode.encode(to: encoder)
    }
}
