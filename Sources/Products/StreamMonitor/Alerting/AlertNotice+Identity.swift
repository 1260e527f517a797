import StreamHealth

extension AlertNotice {
    /// The id of the alert.
    var id: String {
        switch self {
        case .channel(_, let alert): alert.id
        case .host(_, let alert): alert.id
        }
    }

    /// Whether the alert was raised or cleared.
    var action: ChannelAlert.Action {
        switch self {
        case .channel(let action, _), .host(let action, _): action
        }
    }
}
