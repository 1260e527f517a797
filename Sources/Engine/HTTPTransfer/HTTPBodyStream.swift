import Synchronization

/// The body of a response in chunks, as it arrives.
///
/// Only one task may read it. Releasing the stream before its end cancels the transfer.
package final class HTTPBodyStream: Sendable {
    /// The head of the response.
    package let head: HTTPResponseHead
    /// The transfer, with a reference that keeps its client alive; nil for a body that has arrived.
    private let transfer: (exchange: Exchange, client: HTTPClient)?
    /// The body that has arrived, until it is read.
    private let body: Mutex<[UInt8]?>

    init(head: HTTPResponseHead, exchange: Exchange, client: HTTPClient) {
        self.head = head
        transfer = (exchange, client)
        body = Mutex(nil)
    }

    /// Creates the stream of a response that has arrived, for substitutes of the client.
    package init(of response: HTTPResponse) {
        head = response.head
        transfer = nil
        body = Mutex(response.body.isEmpty ? nil : response.body)
    }

    deinit {
        // Most streams are read to their end.
        if transfer?.exchange.isFinished == false { cancel() }
    }

    /// Returns the bytes that arrived since the last call, at least one, or nil at the end of the body.
    ///
    /// It throws if the body is incomplete, but returns all received bytes first.
    package func next() async throws(HTTPTransferError) -> [UInt8]? {
        guard let (exchange, client) = transfer else { return body.withLock { $0.take() } }
        let found = try await client.loop.cancelling(exchange.identifier) { () throws(HTTPTransferError) in
            try await exchange.nextChunk()
        }
        guard let found else { return nil }
        if found.wasPaused { client.loop.post(.resume(exchange.identifier)) }
        return found.bytes
    }

    /// Cancels the transfer; `next` then throws `cancelled` after the bytes already received.
    package func cancel() {
        if let (exchange, client) = transfer { client.loop.post(.cancel(exchange.identifier)) }
    }
}
