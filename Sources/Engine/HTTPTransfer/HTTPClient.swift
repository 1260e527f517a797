/// A client that runs many HTTP requests concurrently on one separate thread.
///
/// Requests share a pool of open connections. TLS certificates are always verified. Cancelling the task that waits for
/// a response cancels the transfer. The thread ends when the client is closed or released; requests in progress then
/// fail with the error `closed`.
public final class HTTPClient: Sendable {
    let loop: TransferLoop
    private let settings: HTTPClientSettings

    /// Creates a client; throws `local` if libcurl or the thread cannot start.
    public init(settings: HTTPClientSettings) throws(HTTPTransferError) {
        self.settings = settings
        loop = try TransferLoop(settings: settings)
    }

    deinit { loop.close() }

    /// Ends all requests and the thread; the client is unusable afterwards.
    public func close() { loop.close() }

    /// Sends a request and collects the body, up to the request's limit.
    ///
    /// Every status code is a response; an error means that there was no response.
    package func send(_ request: HTTPRequest) async throws(HTTPTransferError) -> HTTPResponse {
        try await following(request) { (request) throws(HTTPTransferError) in
            let exchange = try start(request, bufferLimit: nil)
            let response = try await cancelling(exchange) { () throws(HTTPTransferError) in
                try await exchange.response()
            }
            return (response, response.head)
        }
    }

    /// Sends a request and returns its body as a stream of chunks.
    ///
    /// It returns as soon as the body starts. The client buffers at most `streamBufferByteCount` and one chunk of
    /// unread data, and then pauses the transfer.
    package func stream(_ request: HTTPRequest) async throws(HTTPTransferError) -> HTTPBodyStream {
        try await following(request) { (request) throws(HTTPTransferError) in
            let exchange = try start(request, bufferLimit: max(1, settings.streamBufferByteCount))
            let head = try await cancelling(exchange) { () throws(HTTPTransferError) in
                try await exchange.head()
            }
            return (HTTPBodyStream(head: head, exchange: exchange, client: self), head)
        }
    }

    private func start(_ request: HTTPRequest, bufferLimit: Int?) throws(HTTPTransferError) -> Exchange {
        try request.check(checksAddress: request.connection.proxy != nil)
        let exchange = Exchange(request: request, identifier: loop.nextIdentifier(), bufferLimit: bufferLimit)
        loop.post(.start(exchange))
        return exchange
    }

    private func cancelling<Value: Sendable>(
        _ exchange: Exchange,
        _ body: () async throws(HTTPTransferError) -> Value
    ) async throws(HTTPTransferError) -> Value {
        try await loop.cancelling(exchange.identifier, body)
    }
}

extension TransferLoop {
    /// Runs `body`, and cancels the transfer if the task is cancelled; `body` then gets the error `cancelled`.
    func cancelling<Value: Sendable>(
        _ identifier: UInt64,
        _ body: () async throws(HTTPTransferError) -> Value
    ) async throws(HTTPTransferError) -> Value {
        let result: Result<Value, HTTPTransferError> = await withTaskCancellationHandler {
            do throws(HTTPTransferError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            post(.cancel(identifier))
        }
        return try result.get()
    }
}

/// The settings that all requests of a client share.
public struct HTTPClientSettings: Sendable, Hashable {
    /// The `User-Agent`, such as `dtvr/1.0`.
    public var userAgent: String
    /// A PEM file of trusted certificate authorities; nil selects those of the system.
    public var authoritiesFile: String?
    /// The maximum number of concurrent requests, which usually have a connection each; further requests wait.
    ///
    /// As many idle connections stay open, but at most 128; a monitor keeps them for each sixteenth of its channels.
    public var maximumConnectionCount = 512
    /// The maximum number of concurrent requests to one host.
    public var maximumConnectionCountPerHost = 64
    /// The number of unread bytes at which a stream pauses its sender.
    package var streamBufferByteCount = 256 << 10

    /// Creates default settings with a `User-Agent`.
    public init(userAgent: String) {
        self.userAgent = userAgent
    }
}
