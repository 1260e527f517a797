import CDTVRCurl

/// The cookies of a presentation, which libcurl receives and sends by the rules of RFC 6265.
///
/// They are kept in memory only. Use a jar for the requests of one client, and for one presentation or live source.
@safe package final class CookieJar: @unchecked Sendable {
    // Sendable: after the initialization, only the transfer thread of the client uses the share.

    /// The maximum number of cookies and of their bytes; a jar that exceeds one of them is emptied.
    static let maximumCount = 128
    static let maximumByteCount = 128 << 10

    /// The handle of libcurl, or nil if memory is exhausted, so that cookies are not kept.
    let share: UnsafeMutableRawPointer?

    /// Creates an empty jar.
    package init() {
        unsafe share = dtvr_curl_share_init()
        if let share = unsafe share { _ = unsafe dtvr_curl_share_cookies(share) }
    }

    deinit {
        // Each easy handle retains its jar until the handle is freed.
        if let share = unsafe share { _ = unsafe dtvr_curl_share_cleanup(share) }
    }
}

extension EasyHandle {
    /// Uses the cookies of a jar, and adds the pairs of a `Cookie` field.
    mutating func setCookies(of jar: CookieJar, adding field: String?) throws(CurlFailure) {
        guard let share = unsafe jar.share else { return }
        cookies = jar
        // The jar outlives the handle.
        try gate(unsafe dtvr_curl_set_pointer(pointer, CURLOPT_SHARE, share))
        // An empty name reads no file, and turns the engine on; libcurl 7.87 and later do not use a share without it.
        try set(CURLOPT_COOKIEFILE, "")
        try set(CURLOPT_COOKIE, field)
    }

    /// Empties the jar of the handle if it exceeds its limits.
    func limitCookies() throws(CurlFailure) {
        guard cookies != nil else { return }
        var count: Int = 0
        // The function frees the list that libcurl returns.
        let byteCount = unsafe dtvr_curl_cookie_bytes(pointer, &count)
        if count > CookieJar.maximumCount || byteCount > CookieJar.maximumByteCount {
            try set(CURLOPT_COOKIELIST, "ALL")
        }
    }
}
