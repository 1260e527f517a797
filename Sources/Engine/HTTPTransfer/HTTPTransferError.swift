/// The reason why a request has no response.
///
/// A status code is never an error: a 404 is a response. The description contains the URL without its user information
/// and query, and never contains a token.
public struct HTTPTransferError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The category of the error, which determines the caller's reaction.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The URL, a header field or a setting is invalid.
        case invalidRequest
        /// The policy does not permit the address of the host or of a redirect's target.
        case addressRefused
        /// The name of the host or proxy could not be resolved.
        case nameNotResolved
        /// No connection could be established.
        case notConnected
        /// A time limit was exceeded.
        case timedOut
        /// The connection broke or ended before the end of the response.
        case interrupted
        /// The TLS handshake failed because of the certificate, its name or the protocol version.
        case tlsFailed
        /// There were too many redirects, or one to a protocol other than HTTP.
        case redirectRefused
        /// The body exceeds the request's limit.
        case bodyTooLarge
        /// The header exceeds 64 KiB.
        case headerTooLarge
        /// The response violates HTTP or its content encoding.
        case malformedResponse
        /// The task or the stream was cancelled.
        case cancelled
        /// The client was closed.
        case closed
        /// The machine lacks memory or descriptors, or libcurl itself failed.
        case local
    }

    /// The category of the error.
    public let kind: Kind
    /// The result code of libcurl; 0 if the error is not from libcurl.
    public let curlCode: Int32
    /// The name of the code, such as `CURLE_COULDNT_CONNECT`; empty without a code.
    public let curlName: String
    /// The method and URL, such as `GET https://example.org/a.ts`.
    public let target: String
    /// The details from libcurl or the client; may be empty.
    public let detail: String

    /// Whether the same request may succeed later without local changes.
    public var isRetriable: Bool {
        switch kind {
        case .nameNotResolved, .notConnected, .timedOut, .interrupted, .malformedResponse, .local: true
        case .invalidRequest, .addressRefused, .tlsFailed, .redirectRefused, .bodyTooLarge, .headerTooLarge,
            .cancelled, .closed:
            false
        }
    }

    /// A one-sentence description with the method and URL.
    public var description: String { "\(target): \(reason)" }

    /// The description without the method and URL.
    public var reason: String {
        let code = curlName.isEmpty ? "" : " (\(curlName))"
        return "\(sentence)\(detail.isEmpty ? "" : ": \(detail)")\(code)"
    }

    private var sentence: String {
        switch kind {
        case .invalidRequest: "the request cannot be sent"
        case .addressRefused: "the address of the host is not permitted"
        case .nameNotResolved: "the host name could not be resolved"
        case .notConnected: "no connection"
        case .timedOut: "timed out"
        case .interrupted: "the connection was interrupted"
        case .tlsFailed: "TLS failed"
        case .redirectRefused: "the redirect was not followed"
        case .bodyTooLarge: "the body is larger than allowed"
        case .headerTooLarge: "the header is larger than allowed"
        case .malformedResponse: "the response is malformed"
        case .cancelled: "cancelled"
        case .closed: "the client is closed"
        case .local: "a local failure"
        }
    }

    /// Creates an error, for the client, tests and substitutes.
    package init(
        _ kind: Kind, target: String, detail: String = "", curlCode: Int32 = 0, curlName: String = ""
    ) {
        self.kind = kind
        self.target = target
        self.detail = detail
        self.curlCode = curlCode
        self.curlName = curlName
    }
}
