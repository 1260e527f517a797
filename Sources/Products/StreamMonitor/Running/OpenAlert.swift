import NielsenID3
package import StreamHealth

/// A published alert that is still active, of one channel or of a host.
package enum OpenAlert: Sendable, Hashable {
    /// An alert of a channel that is not part of a host alert.
    case channel(ChannelAlert)
    /// An alert of several channels of one host.
    case host(HostAlert)

    /// Whether it covers several channels.
    var isOfHost: Bool { if case .host = self { true } else { false } }

    /// The unique id of the alert.
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

    /// The severity, either `warn` or `fail`.
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

    /// The observed and the expected value.
    var detail: String {
        switch self {
        case .channel(let alert): alert.detail
        case .host(let alert): alert.detail
        }
    }
}
