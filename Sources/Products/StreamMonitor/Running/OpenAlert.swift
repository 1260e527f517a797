import NielsenID3
package import StreamHealth

/// An alert that was told and is not over: of a channel by itself, or of a host.
package enum OpenAlert: Sendable, Hashable {
    /// Of a channel that no alert of a host stands for.
    case channel(ChannelAlert)
    /// Of several channels of a host at once.
    case host(HostAlert)

    /// Whether it stands for several channels.
    var isOfHost: Bool { if case .host = self { true } else { false } }

    /// What tells it from every other alert.
    var id: String {
        switch self {
        case .channel(let alert): alert.id
        case .host(let alert): alert.id
        }
    }

    /// The check that is violated.
    var check: CheckID {
        switch self {
        case .channel(let alert): alert.check
        case .host(let alert): alert.check
        }
    }

    /// `warn` or `fail`.
    var severity: CheckStatus {
        switch self {
        case .channel(let alert): alert.severity
        case .host(let alert): alert.severity
        }
    }

    /// When it was raised, in Unix seconds.
    var since: Double {
        switch self {
        case .channel(let alert): alert.since
        case .host(let alert): alert.since
        }
    }

    /// What was seen and what was expected.
    var detail: String {
        switch self {
        case .channel(let alert): alert.detail
        case .host(let alert): alert.detail
        }
    }
}
