import CDTVRCurl

extension HTTPRequest {
    /// The scope of the proxied request's numeric address, if the policy does not permit it.
    ///
    /// It is nil for a permitted address, for a name, which the proxy resolves, and without a proxy.
    var scopeRefusedToProxy: AddressScope? {
        guard connection.proxy != nil, addressPolicy != .any, var host = Self.host(of: url) else {
            return nil
        }
        // A fully qualified name may end with a dot.
        if host.hasSuffix(".") { host.removeLast() }
        if host == "localhost" || host.hasSuffix(".localhost") { return .loopback }
        guard let address = SocketAddress(host), !addressPolicy.permits(address) else { return nil }
        return AddressScope(of: address)
    }

    /// Returns the host of a URL in lower case, with IPv4 addresses normalized to dotted decimal by libcurl.
    private static func host(of url: String) -> String? {
        guard let name = CurlAddress(url)?[CURLUPART_HOST]?.lowercased() else { return nil }
        return name.hasPrefix("[") ? String(name.dropFirst().prefix { $0 != "]" }) : name
    }
}
