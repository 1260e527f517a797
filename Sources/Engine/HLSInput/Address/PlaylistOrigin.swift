import HTTPTransfer

/// The origin of a playlist, which determines what the playlist may reference.
enum PlaylistOrigin: Sendable, Hashable {
    /// A local file, or standard input.
    case thisMachine
    /// The network, with the scope of the server's address, or nil if the scope is unknown.
    case network(AddressScope?)

    /// Returns the addresses to which requests for the playlist's references may go.
    ///
    /// A playlist from the network may reference non-public addresses only if its own address is non-public. Otherwise
    /// any server could make this machine send requests to its own network. An unknown origin counts as public, which
    /// permits the least.
    func policyForReferences(allowsPrivateAddresses: Bool) -> AddressPolicy {
        if allowsPrivateAddresses { return .any }
        switch self {
        case .thisMachine: return .any
        case .network(nil), .network(.global): return .publicOnly
        case .network: return .any
        }
    }
}
