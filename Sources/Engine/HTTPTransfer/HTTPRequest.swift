package import HostSystem

/// A request to an `http` or `https` URL, with its limits.
package struct HTTPRequest: Sendable {
    /// The method of a request.
    package enum Method: Sendable, Hashable {
        /// GET, following at most `maximumRedirectCount` redirects.
        case get
        /// POST with a body; a redirect is returned as the response and not followed.
        case post(body: [UInt8])
    }

    /// A byte range (RFC 9110, 14.1.2).
    package struct RequestedBytes: Sendable, Hashable {
        /// The first byte, from 0.
        package let offset: UInt64
        /// The number of bytes, at least 1; nil selects all bytes to the end.
        package let length: UInt64?

        /// Creates the range of `length` bytes from `offset`.
        package init(offset: UInt64, length: UInt64? = nil) {
            self.offset = offset
            self.length = length
        }
    }

    /// The limit of the response body.
    package enum BodyLimit: Sendable, Hashable {
        /// A limit on the decoded size; a longer body causes the error `bodyTooLarge`.
        case failing(after: Int)
        /// The size to truncate the body at; `isTruncated` reports whether there was more.
        case truncating(after: Int)

        /// The number of bytes.
        package var byteCount: Int {
            switch self {
            case .failing(let count), .truncating(let count): count
            }
        }
    }

    /// The time limits of a request, in seconds.
    package struct TimeLimits: Sendable, Hashable {
        /// The limit for name resolution, connection and TLS handshake together.
        package var connect = 10
        /// The limit for a rate below `lowSpeedBytesPerSecond`; waiting for a response counts too.
        package var lowSpeedSeconds = 20
        /// The minimum rate, in bytes per second; 0 for none.
        package var lowSpeedBytesPerSecond = 16
        /// The limit for the whole request; nil for none.
        package var total: Int?

        /// Creates the default limits.
        package init() {}
    }

    /// The method and the body.
    package var method: Method
    /// The absolute URL.
    package var url: String
    /// Additional header fields; the client itself sends `Host`, `User-Agent`, `Content-Length` and similar ones.
    package var headers = HTTPHeaders()
    /// A token for `Authorization: Bearer`; never sent to another host after a redirect, and never part of an error.
    package var bearerToken: String?
    /// Header fields for the scheme, host and port of `url` only; a redirect elsewhere drops them.
    ///
    /// They may be secrets, and are never part of an error.
    package var ownHostHeaders = HTTPHeaders()
    /// The requested byte range; the response has status 206, or 200 if the server sends the whole resource.
    package var range: RequestedBytes?
    /// Whether the server may compress the body; the body arrives decoded, and the limit applies to the decoded size.
    package var acceptsCompression = false
    /// Whether the server is asked for an uncompressed body; one that is compressed anyway arrives decoded.
    package var prefersIdentity = false
    /// The cookies that are sent and that the response changes; nil for none.
    package var cookies: CookieJar?
    /// The limit of the response body.
    package var bodyLimit: BodyLimit = .failing(after: 16 << 20)
    /// The number of bytes of a streamed body that are collected before its reader is resumed, at least 1.
    ///
    /// The rest is delivered at the end of the body. With more than 1, the head arrives with the first chunk.
    package var chunkByteCount = 1
    /// The permitted addresses, at first and after each redirect.
    package var addressPolicy: AddressPolicy = .any
    /// The owner whose connection share the request uses; nil for none.
    package var owner: TransferOwner?
    /// The connection settings.
    package var connection = ConnectionSettings()
    /// The time limits.
    package var timeLimits = TimeLimits()
    /// The maximum number of redirects that a GET follows.
    package var maximumRedirectCount = 5

    /// Creates a request with default limits.
    package init(_ method: Method = .get, url: String) {
        self.method = method
        self.url = url
    }
}

/// The connection settings of a request that override those of its client.
package struct ConnectionSettings: Sendable, Hashable {
    /// A PEM file of trusted certificate authorities; nil selects those of the client.
    package var authoritiesFile: String?
    /// A PEM file with a client certificate and its private key; nil for none.
    ///
    /// Like `HTTPRequest.ownHostHeaders`, it is used only for the scheme, host and port of the request's URL.
    package var clientCertificateFile: String?
    /// The `http` URL of a proxy; nil selects the proxies from the environment.
    ///
    /// Errors never contain its user name and password. The proxy resolves host names, so the proxy must refuse names
    /// with private addresses. Numeric addresses are checked here against the request's policy.
    package var proxy: String?
    /// The path of the server's Unix domain socket, at most 107 bytes; nil selects the host of the URL.
    package var socketPath: String?
    /// The users whose processes may be the server at `socketPath`.
    package var socketUsers = TrustedUsers.own

    /// Creates settings that override nothing.
    package init() {}
}
