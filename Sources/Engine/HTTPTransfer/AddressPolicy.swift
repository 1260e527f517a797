/// Which addresses a request may connect to.
///
/// The policy looks at the address that a socket is about to connect to, after names are resolved and at each
/// redirect: a name that resolves to a private address, or does so the second time, does not get past it.
package enum AddressPolicy: Sendable, Hashable {
    /// Every address. Proxies that the environment names (`http_proxy`, `https_proxy`, `no_proxy`) are used.
    case any
    /// Only addresses of scope `global`. No proxy is used: it would connect on our behalf, unseen.
    case publicOnly

    /// Whether the policy lets a socket connect to an address.
    package func permits(_ address: SocketAddress) -> Bool {
        switch self {
        case .any: true
        case .publicOnly: AddressScope(of: address) == .global
        }
    }
}
