/// The body of a response, in chunks, as it arrives.
///
/// One task reads it. A stream that is let go before its end cancels the transfer.
package final class HTTPBodyStream: Sendable {
    /// What came before the body.
    package let head: HTTPResponseHead
    private let exchange: Exchange
    /// Kept, because a client that is let go ends its transfers.
    private let client: HTTPClient
    private var loop: TransferLoop { client.loop }

    init(head: HTTPResponseHead, exchange: Exchange, client: HTTPClient) {
        self.head = head
        self.exchange = exchange
        self.client = client
    }

    deinit { cancel() }

    /// What has come since the last time, at least one byte; nil at the body's end.
    ///
    /// Throws where the body breaks off; what came before that was handed over first.
    package func next() async throws(HTTPTransferError) -> [UInt8]? {
        let found = try await loop.cancelling(exchange.identifier) { () throws(HTTPTransferError) in
            try await exchange.nextChunk()
        }
        guard let found else { return nil }
        if found.wasPaused { loop.post(.resume(exchange.identifier)) }
        return found.bytes
    }

    /// Whether the body was longer than the limit that truncates it; known at its end.
    package var isTruncated: Bool { exchange.isTruncated }

    /// Ends the transfer; `next` then throws `cancelled`, after what had already come.
    package func cancel() { loop.post(.cancel(exchange.identifier)) }
}
