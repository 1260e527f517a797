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
        guard let parts = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(parts) }
        var text: UnsafeMutablePointer<CChar>?
        // libcurl copies the address, and gives a text of its own, which is freed here.
        guard unsafe curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK,
            unsafe curl_url_get(parts, CURLUPART_HOST, &text, 0) == CURLUE_OK, let host = unsafe text
        else { return nil }
        defer { unsafe curl_free(host) }
        let name = unsafe String(cString: host).lowercased()
        return name.hasPrefix("[") ? String(name.dropFirst().prefix { $0 != "]" }) : name
    }
}
