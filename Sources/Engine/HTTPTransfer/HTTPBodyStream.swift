/// The body of a response in chunks, as it arrives.
///
/// Only one task may read it. Releasing the stream before its end cancels the transfer.
package final class HTTPBodyStream: Sendable {
    /// The head of the response.
    package let head: HTTPResponseHead
    private let exchange: Exchange
    /// A reference that keeps the client, and with it the transfer, alive.
    private let client: HTTPClient
    private var loop: TransferLoop { client.loop }

    init(head: HTTPResponseHead, exchange: Exchange, client: HTTPClient) {
        self.head = head
        self.exchange = exchange
        self.client = client
    }

    deinit { cancel() }

    /// Returns the bytes that arrived since the last call, at least one, or nil at the end of the body.
    ///
    /// It throws if the body is incomplete, but returns all received bytes first.
    package func next() async throws(HTTPTransferError) -> [UInt8]? {
        let found = try await loop.cancelling(exchange.identifier) { () throws(HTTPTransferError) in
            try await exchange.nextChunk()
        }
        guard let found else { return nil }
        if found.wasPaused { loop.post(.resume(exchange.identifier)) }
        return found.bytes
    }

    /// Cancels the transfer; `next` then throws `cancelled` after the bytes already received.
    package func cancel() { loop.post(.cancel(exchange.identifier)) }
}
