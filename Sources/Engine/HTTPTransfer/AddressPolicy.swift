/// The addresses that a request may connect to.
///
/// The policy applies to the resolved address, just before the socket connects, and again after each redirect. A name
/// that resolves to a private address, even only on a later lookup, is therefore refused.
package enum AddressPolicy: Sendable, Hashable {
    /// All addresses; proxies from the environment (`http_proxy`, `https_proxy`, `no_proxy`) are used.
    case any
    /// Addresses of scope `global` only, without a proxy, because a proxy's connections cannot be checked.
    case publicOnly

    /// Returns whether a socket may connect to an address.
    package func permits(_ address: SocketAddress) -> Bool {
        switch self {
        case .any: true
        case .publicOnly: AddressScope(of: address) == .global
        }
    }
}
