import StreamHealth

extension AlertNotice {
    /// The id of the alert that it is about.
    var id: String {
        switch self {
        case .channel(_, let alert): alert.id
        case .host(_, let alert): alert.id
        }
    }

    /// What happened to that.
    var action: ChannelAlert.Action {
        switch self {
        case .channel(let action, _), .host(let action, _): action
        }
    }
}
