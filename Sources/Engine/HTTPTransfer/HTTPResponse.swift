/// The head of a response.
package struct HTTPResponseHead: Sendable, Hashable {
    /// The status code, 200 to 999.
    package let status: Int
    /// The header fields of the last response, after redirects.
    package let headers: HTTPHeaders
    /// The URL of the response, after redirects.
    package let url: String
    /// The address of the host that answered; nil if a proxy answered, or if it is unknown.
    package let remoteAddress: SocketAddress?

    /// The target of a redirect response that libcurl did not follow; nil for other responses.
    var redirectURL: String?

    /// Whether the status means success (2xx).
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// Whether the body was compressed (`Content-Encoding`), and arrives decoded.
    package var isEncoded: Bool { HTTPHeaders.areDecoded(codings: headers["content-encoding"] ?? "") }

    /// Creates a head, for tests and substitutes.
    package init(status: Int, headers: HTTPHeaders, url: String, remoteAddress: SocketAddress?) {
        self.status = status
        self.headers = headers
        self.url = url
        self.remoteAddress = remoteAddress
    }
}

/// A response with its body.
package struct HTTPResponse: Sendable, Hashable {
    /// The head of the response.
    package let head: HTTPResponseHead
    /// The decoded body, at most the request's `bodyLimit`.
    package var body: [UInt8]
    /// Whether the body was truncated at its limit.
    package let isTruncated: Bool

    /// The status code, 200 to 999.
    package var status: Int { head.status }
    /// The header fields.
    package var headers: HTTPHeaders { head.headers }
    /// The URL of the response, after redirects.
    package var url: String { head.url }

    /// Creates a response, for tests and substitutes.
    package init(head: HTTPResponseHead, body: [UInt8], isTruncated: Bool = false) {
        self.head = head
        self.body = body
        self.isTruncated = isTruncated
    }
}
