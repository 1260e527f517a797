/// What comes before the body of a response.
package struct HTTPResponseHead: Sendable, Hashable {
    /// The status code, 200 to 999.
    package let status: Int
    /// The header fields of the last response, after redirects.
    package let headers: HTTPHeaders
    /// The address that answered: the request's own, or where the last redirect led.
    package let url: String
    /// The address of the host that answered; nil where a proxy did, or it is not known.
    package let remoteAddress: SocketAddress?

    /// Where a redirect leads that libcurl was not to follow; nil for every other answer.
    var redirectURL: String?

    /// Whether the status says that the request was carried out (2xx).
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// A head, for a test or a stand-in.
    package init(status: Int, headers: HTTPHeaders, url: String, remoteAddress: SocketAddress?) {
        self.status = status
        self.headers = headers
        self.url = url
        self.remoteAddress = remoteAddress
    }
}

/// A response with its body.
package struct HTTPResponse: Sendable, Hashable {
    /// What came before the body.
    package let head: HTTPResponseHead
    /// The body, decoded, at most the request's `bodyLimit`.
    package var body: [UInt8]
    /// Whether there was more than the limit lets through.
    package let isTruncated: Bool

    /// The status code, 200 to 999.
    package var status: Int { head.status }
    /// The header fields.
    package var headers: HTTPHeaders { head.headers }
    /// The address that answered.
    package var url: String { head.url }

    /// A response, for a test or a stand-in.
    package init(head: HTTPResponseHead, body: [UInt8], isTruncated: Bool = false) {
        self.head = head
        self.body = body
        self.isTruncated = isTruncated
    }
}
