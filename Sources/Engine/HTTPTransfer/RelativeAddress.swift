import CDTVRCurl

extension HTTPRequest {
    /// The address that a reference means in the answer from another address, as libcurl reads it; nil where it cannot be read.
    static func address(of reference: String, seenFrom base: String) -> String? {
        // Of any scheme: that it is refused is said of the address.
        guard let address = CurlAddress(base), address.follow(reference) else { return nil }
        return address[CURLUPART_URL]
    }
}
