/// A request to an `http` or `https` address, with the bounds that it is held to.
public struct HTTPRequest: Sendable {
    /// What is asked.
    public enum Method: Sendable, Hashable {
        /// GET; redirects are followed, at most `maximumRedirectCount`.
        case get
        /// POST of these bytes; a redirect is an answer like any other and is never followed.
        case post(body: [UInt8])
    }

    /// A byte range of RFC 9110, 14.1.2.
    public struct ByteRange: Sendable, Hashable {
        /// The first byte, from 0.
        public let offset: UInt64
        /// How many bytes, at least 1; nil for all that follow.
        public let length: UInt64?

        /// The range of `length` bytes from `offset`.
        public init(offset: UInt64, length: UInt64? = nil) {
            self.offset = offset
            self.length = length
        }
    }

    /// How much of the response's body is taken.
    public enum BodyLimit: Sendable, Hashable {
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
    public struct TimeLimits: Sendable, Hashable {
        /// For the name, the connection and the TLS handshake.
        public var connect = 10
        /// For how long fewer than `lowSpeedBytesPerSecond` may come or go; waiting for an answer counts.
        public var lowSpeedSeconds = 20
        /// What counts as too slow.
        public var lowSpeedBytesPerSecond = 16
        /// For all of it; nil for no limit.
        public var total: Int?

        /// The limits that a caller with no wish of its own gets.
        public init() {}
    }

    /// What is asked.
    public var method: Method
    /// The address, absolute.
    public var url: String
    /// Header fields beside those that the client writes itself (`Host`, `User-Agent`, `Content-Length`, …).
    public var headers = HTTPHeaders()
    /// A token for `Authorization: Bearer`; not sent to another host by a redirect, and never part of an error.
    public var bearerToken: String?
    /// The part of the resource that is wanted; the status is 206 when the server gave that, 200 when all of it.
    public var range: ByteRange?
    /// Whether the server may compress the body; it arrives decoded, and its limit counts it so.
    public var acceptsCompression = false
    /// How much of the body is taken.
    public var bodyLimit: BodyLimit = .failing(after: 16 << 20)
    /// Which addresses may be connected to, at first and after each redirect.
    public var addressPolicy: AddressPolicy = .any
    /// How long it may take.
    public var timeLimits = TimeLimits()
    /// How many redirects of a GET are followed.
    public var maximumRedirectCount = 5

    /// A request with the usual bounds.
    public init(_ method: Method = .get, url: String) {
        self.method = method
        self.url = url
    }
}
