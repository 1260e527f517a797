import CDTVRCurl

/// An address in its parts, as libcurl reads it.
@safe struct CurlAddress: ~Copyable {
    private let parts: OpaquePointer

    /// Nil where libcurl cannot read the address.
    init?(_ url: String) {
        guard let parts = unsafe curl_url() else { return nil }
        // libcurl copies the address.
        guard unsafe curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK else {
            unsafe curl_url_cleanup(parts)
            return nil
        }
        unsafe self.parts = parts
    }

    deinit { unsafe curl_url_cleanup(parts) }

    /// Goes to what a reference means here (RFC 3986, 5), of whatever scheme; false where it cannot be read.
    func follow(_ reference: String) -> Bool {
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
        return unsafe curl_url_set(parts, CURLUPART_URL, reference, flags) == CURLUE_OK
    }

    /// A part of it, or all; nil where it has none.
    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(parts, part, &text, 0) == CURLUE_OK, let text = unsafe text else {
            return nil
        }
        // libcurl gives a text of its own.
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
