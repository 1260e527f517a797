import CDTVRCurl

/// A URL parsed by libcurl.
@safe struct CurlAddress: ~Copyable {
    private let parts: OpaquePointer

    /// Parses a URL, and returns nil if libcurl rejects it.
    init?(_ url: String) {
        guard let parts = unsafe curl_url() else { return nil }
        // libcurl copies the string.
        guard unsafe curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK else {
            unsafe curl_url_cleanup(parts)
            return nil
        }
        unsafe self.parts = parts
    }

    deinit { unsafe curl_url_cleanup(parts) }

    /// Resolves a reference of any scheme against the URL (RFC 3986, 5), and returns false if it is invalid.
    func follow(_ reference: String) -> Bool {
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
        return unsafe curl_url_set(parts, CURLUPART_URL, reference, flags) == CURLUE_OK
    }

    /// The text of a component or of the whole URL; nil if the component is missing.
    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(parts, part, &text, 0) == CURLUE_OK, let text = unsafe text else {
            return nil
        }
        // The caller owns the string that libcurl returns.
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
