/// A client for many HTTP requests at once, on one thread of its own.
///
/// Connections are kept open and shared by the requests of one client. TLS is always verified. Cancelling the
/// task that waits for a response cancels the transfer. The thread ends when the client is closed or let go;
/// what is under way then ends with the error `closed`.
public final class HTTPClient: Sendable {
    let loop: TransferLoop
    private let settings: HTTPClientSettings

    /// A client with those settings; the error is `local` where libcurl or the thread cannot be had.
    public init(settings: HTTPClientSettings) throws(HTTPTransferError) {
        self.settings = settings
        loop = try TransferLoop(settings: settings)
    }

    deinit { loop.close() }

    /// Ends what is under way, and the thread; the client is of no use afterwards.
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

    /// Sends a request and hands the body over in chunks, as it arrives.
    ///
    /// Returns as soon as the body begins. The client holds at most `streamBufferByteCount` and one chunk of
    /// what has not been taken; then the sender is made to wait.
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
        if let defect = request.defect {
            throw HTTPTransferError(.invalidRequest, target: request.target, detail: defect)
        }
        if let scope = request.scopeRefusedToProxy {
            throw HTTPTransferError(
                .addressRefused, target: request.target, detail: "its scope is \(scope.rawValue)")
        }
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
    /// Waits in `body`; a cancelled task cancels the transfer, and `body` then meets the error `cancelled`.
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
