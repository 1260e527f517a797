/// Why a request has no response.
///
/// A status code is never an error: a 404 is a response. The text names the request's address without user
/// information and without its query, and never a token.
public struct HTTPTransferError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong, as far as a caller acts on it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The address, a header field or a setting cannot be used.
        case invalidRequest
        /// The host, or one that a redirect led to, has an address that the policy does not permit.
        case addressRefused
        /// The name of the host or proxy was not resolved.
        case nameNotResolved
        /// No connection could be made.
        case notConnected
        /// A time limit was reached.
        case timedOut
        /// The connection broke, or ended before the response did.
        case interrupted
        /// The TLS handshake failed: the certificate, its name, the protocol version.
        case tlsFailed
        /// More redirects than the request allows, or to a protocol that is not HTTP.
        case redirectRefused
        /// The body is longer than the request's limit.
        case bodyTooLarge
        /// The header is longer than 64 KiB.
        case headerTooLarge
        /// The response breaks the rules of HTTP, or of its content encoding.
        case malformedResponse
        /// The task, or the stream's owner, gave it up.
        case cancelled
        /// The client was closed.
        case closed
        /// The machine lacks memory or descriptors, or libcurl itself failed.
        case local
    }

    /// What went wrong.
    public let kind: Kind
    /// libcurl's code; 0 where libcurl had no part in it.
    public let curlCode: Int32
    /// The name of the code, such as `CURLE_COULDNT_CONNECT`; empty where it has none.
    public let curlName: String
    /// What was asked of whom, such as `GET https://example.org/a.ts`.
    public let target: String
    /// What libcurl or the client says about it; empty where it says nothing.
    public let detail: String

    /// Whether the same request may do better later, with nothing changed at this end.
    public var isRetriable: Bool {
        switch kind {
        case .nameNotResolved, .notConnected, .timedOut, .interrupted, .malformedResponse, .local: true
        case .invalidRequest, .addressRefused, .tlsFailed, .redirectRefused, .bodyTooLarge, .headerTooLarge,
            .cancelled, .closed:
            false
        }
    }

    /// One sentence for a person.
    public var description: String { "\(target): \(reason)" }

    /// The same without what was asked of whom.
    public var reason: String {
        let code = curlName.isEmpty ? "" : " (\(curlName))"
        return "\(sentence)\(detail.isEmpty ? "" : ": \(detail)")\(code)"
    }

    private var sentence: String {
        switch kind {
        case .invalidRequest: "the request cannot be sent"
        case .addressRefused: "the host's address is not permitted here"
        case .nameNotResolved: "the name was not resolved"
        case .notConnected: "no connection"
        case .timedOut: "no answer in time"
        case .interrupted: "the connection broke"
        case .tlsFailed: "TLS failed"
        case .redirectRefused: "the redirect was not followed"
        case .bodyTooLarge: "the body is larger than allowed"
        case .headerTooLarge: "the header is larger than allowed"
        case .malformedResponse: "the response is malformed"
        case .cancelled: "cancelled"
        case .closed: "the client is closed"
        case .local: "a failure on this machine"
        }
    }

    /// An error, for the client itself, a test or a stand-in.
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
