import CDTVRCurl

extension HTTPRequest {
    /// Resolves a reference against a base URL with libcurl, and returns nil if it is invalid.
    static func address(of reference: String, seenFrom base: String) -> String? {
        // Any scheme is accepted here, so that the refusal can name the resolved URL.
        guard let address = CurlAddress(base), address.follow(reference) else { return nil }
        return address[CURLUPART_URL]
    }
}
