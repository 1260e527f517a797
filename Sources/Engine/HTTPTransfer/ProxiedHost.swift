import CDTVRCurl

extension HTTPRequest {
    /// The scope of the address that a proxy would be asked to connect to, where the policy does not permit it; nil where it
    /// does, where there is no proxy, and for a name, which the proxy looks up.
    var scopeRefusedToProxy: AddressScope? {
        guard connection.proxy != nil, addressPolicy != .any, var host = Self.host(of: url) else {
            return nil
        }
        // A name may end with the dot of the root.
        if host.hasSuffix(".") { host.removeLast() }
        if host == "localhost" || host.hasSuffix(".localhost") { return .loopback }
        guard let address = SocketAddress(host), !addressPolicy.permits(address) else { return nil }
        return AddressScope(of: address)
    }

    /// The host of an address as libcurl reads it, in lower case: a number for an IPv4 address is written as four there.
    private static func host(of url: String) -> String? {
        guard let name = CurlAddress(url)?[CURLUPART_HOST]?.lowercased() else { return nil }
        return name.hasPrefix("[") ? String(name.dropFirst().prefix { $0 != "]" }) : name
    }
}
