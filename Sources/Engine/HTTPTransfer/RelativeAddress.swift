import CDTVRCurl

extension HTTPRequest {
    /// The address that a reference means in the answer from another address (RFC 3986, 5), as libcurl reads it; nil where it
    /// cannot be read.
    static func address(of reference: String, seenFrom base: String) -> String? {
        guard let parts = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(parts) }
        // Of any scheme: that it is refused is said of the address.
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
        var text: UnsafeMutablePointer<CChar>?
        // libcurl copies the addresses, and gives a text of its own, which is freed here.
        guard unsafe curl_url_set(parts, CURLUPART_URL, base, 0) == CURLUE_OK,
            unsafe curl_url_set(parts, CURLUPART_URL, reference, flags) == CURLUE_OK,
            unsafe curl_url_get(parts, CURLUPART_URL, &text, 0) == CURLUE_OK, let address = unsafe text
        else { return nil }
        defer { unsafe curl_free(address) }
        return unsafe String(cString: address)
    }
}
