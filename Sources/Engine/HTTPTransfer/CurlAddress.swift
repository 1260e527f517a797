import CDTVRCurl

/// A URL parsed by libcurl.
@safe struct CurlAddress: ~Copyable {
    private let parts: OpaquePointer

    /// Parses a URL, and returns nil if libcurl rejects it.
    init?(_ url: String) {
        guard let parts = unsafe dtvr_curl_url() else { return nil }
        // libcurl copies the string.
        guard unsafe dtvr_curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK else {
            unsafe dtvr_curl_url_cleanup(parts)
            return nil
        }
        unsafe self.parts = parts
    }

    deinit { unsafe dtvr_curl_url_cleanup(parts) }

    /// Resolves a reference of any scheme against the URL (RFC 3986, 5), and returns false if it is invalid.
    func follow(_ reference: String) -> Bool {
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
        return unsafe dtvr_curl_url_set(parts, CURLUPART_URL, reference, flags) == CURLUE_OK
    }

    /// The text of a component or of the whole URL; nil if the component is missing.
    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe dtvr_curl_url_get(parts, part, &text, 0) == CURLUE_OK, let text = unsafe text else {
            return nil
        }
        // The caller owns the string that libcurl returns.
        defer { unsafe dtvr_curl_free(text) }
        return unsafe String(cString: text)
    }
}

extension HTTPRequest {
    /// Resolves a reference against a base URL with libcurl, and returns nil if it is invalid.
    static func address(of reference: String, seenFrom base: String) -> String? {
        // Any scheme is accepted here, so that the refusal can name the resolved URL.
        guard let address = CurlAddress(base), address.follow(reference) else { return nil }
        return address[CURLUPART_URL]
    }
}

extension HTTPRequest {
    /// The scope of the request's numeric address, if the policy does not permit it.
    ///
    /// It is nil for a permitted address, and for a name, which is resolved later.
    var refusedScope: AddressScope? {
        guard addressPolicy != .any, var host = Self.host(of: url) else { return nil }
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
