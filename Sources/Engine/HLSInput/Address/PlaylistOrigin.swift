import HTTPTransfer

/// Where a playlist came from, as far as that decides what it may name.
enum PlaylistOrigin: Sendable, Hashable {
    /// A file, or standard input.
    case thisMachine
    /// The network: how far the address reaches that gave it, which is not always known.
    case network(AddressScope?)

    /// Where requests for what the playlist names may go.
    ///
    /// A playlist from the network may name addresses that are not public only where it is at such a one
    /// itself. Otherwise any server could make this machine ask its neighbours, or itself, on its behalf. An
    /// origin that is not known counts as public: that permits least.
    func policyForReferences(allowsPrivateAddresses: Bool) -> AddressPolicy {
        if allowsPrivateAddresses { return .any }
        switch self {
        case .thisMachine: return .any
        case .network(nil), .network(.global): return .publicOnly
        case .network: return .any
        }
    }
}
