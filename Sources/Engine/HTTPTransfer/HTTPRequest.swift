/// A request to an `http` or `https` address, with the bounds that it is held to.
package struct HTTPRequest: Sendable {
    /// What is asked.
    package enum Method: Sendable, Hashable {
        /// GET; redirects are followed, at most `maximumRedirectCount`.
        case get
        /// POST of these bytes; a redirect is an answer like any other and is never followed.
        case post(body: [UInt8])
    }

    /// A byte range of RFC 9110, 14.1.2.
    package struct RequestedBytes: Sendable, Hashable {
        /// The first byte, from 0.
        package let offset: UInt64
        /// How many bytes, at least 1; nil for all that follow.
        package let length: UInt64?

        /// The range of `length` bytes from `offset`.
        package init(offset: UInt64, length: UInt64? = nil) {
            self.offset = offset
            self.length = length
        }
    }

    /// How much of the response's body is taken.
    package enum BodyLimit: Sendable, Hashable {
        /// At most so many bytes, counted decoded; a longer body is the error `bodyTooLarge`.
        case failing(after: Int)
        /// The first so many bytes; the rest is not read and `isTruncated` says so.
        case truncating(after: Int)

        var byteCount: Int {
            switch self {
            case .failing(let count), .truncating(let count): count
            }
        }
    }

    /// How long a request may take, in seconds.
    package struct TimeLimits: Sendable, Hashable {
        /// For the name, the connection and the TLS handshake.
        package var connect = 10
        /// For how long fewer than `lowSpeedBytesPerSecond` may come or go; waiting for an answer counts.
        package var lowSpeedSeconds = 20
        /// What counts as too slow.
        package var lowSpeedBytesPerSecond = 16
        /// For all of it; nil for no limit.
        package var total: Int?

        /// The limits that a caller with no wish of its own gets.
        package init() {}
    }

    /// What is asked.
    package var method: Method
    /// The address, absolute.
    package var url: String
    /// Header fields beside those that the client writes itself (`Host`, `User-Agent`, `Content-Length`, …).
    package var headers = HTTPHeaders()
    /// A token for `Authorization: Bearer`; not sent to another host by a redirect, and never part of an error.
    package var bearerToken: String?
    /// Header fields that are sent to the scheme, host and port of `url` only: a redirect to another one goes without them.
    ///
    /// They may be secrets, and are never part of an error.
    package var ownHostHeaders = HTTPHeaders()
    /// The part of the resource that is wanted; the status is 206 when the server gave that, 200 when all of it.
    package var range: RequestedBytes?
    /// Whether the server may compress the body; it arrives decoded, and its limit counts it so.
    package var acceptsCompression = false
    /// How much of the body is taken.
    package var bodyLimit: BodyLimit = .failing(after: 16 << 20)
    /// Which addresses may be connected to, at first and after each redirect.
    package var addressPolicy: AddressPolicy = .any
    /// Whose share of the client's connections it uses; nil for nobody's.
    package var owner: TransferOwner?
    /// How its connections are made.
    package var connection = ConnectionSettings()
    /// How long it may take.
    package var timeLimits = TimeLimits()
    /// How many redirects of a GET are followed.
    package var maximumRedirectCount = 5

    /// A request with the usual bounds.
    package init(_ method: Method = .get, url: String) {
        self.method = method
        self.url = url
    }
}
