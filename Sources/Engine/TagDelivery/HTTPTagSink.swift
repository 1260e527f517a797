public import HTTPTransfer
package import HostSystem
import Synchronization

/// A collector that takes batches as POST requests.
public final class HTTPTagSink: TagSink {
    private let client: HTTPClient
    private let template: HTTPRequest
    private let compressor = Mutex(BatchCompressor())
    private let clock: any HostClock

    /// How long one try may take: a batch of half a megabyte comes through the thinnest of lines in that time, and an
    /// answer that trickles holds nobody up for longer.
    package static let timeLimits: HTTPRequest.TimeLimits = {
        var limits = HTTPRequest.TimeLimits()
        limits.total = 120
        return limits
    }()

    /// A collector at an address.
    ///
    /// - Parameters:
    ///   - url: where batches are posted to; `http` or `https`.
    ///   - bearerToken: sent with each; part of no answer and no error.
    public convenience init(url: String, client: HTTPClient, bearerToken: String? = nil) {
        self.init(url: url, client: client, bearerToken: bearerToken, timeLimits: Self.timeLimits)
    }

    /// A collector with time limits and a clock of its own.
    ///
    /// - Parameter timeLimits: how long one try may take.
    package init(
        url: String, client: HTTPClient, bearerToken: String? = nil,
        timeLimits: HTTPRequest.TimeLimits, clock: any HostClock = .system
    ) {
        self.client = client
        self.clock = clock
        var template = HTTPRequest(.post(body: []), url: url)
        template.bearerToken = bearerToken
        template.timeLimits = timeLimits
        // A receipt that rejects each of 500 tags has 50 kB; a login page may have anything.
        template.bodyLimit = .truncating(after: 1 << 20)
        self.template = template
    }

    /// The address.
    public var identity: String { template.url }

    /// Sends a batch as one POST.
    public func deliver(_ batch: TagBatch) async -> SinkOutcome {
        var encoding = batch.encoding
        var body = compressor.withLock { $0.compress(batch.body, as: encoding) } ?? []
        if body.isEmpty {
            encoding = .identity
            body = batch.body
        }
        var request = template
        request.method = .post(body: body)
        request.headers.append("Content-Type", "application/x-ndjson")
        if encoding != .identity { request.headers.append("Content-Encoding", encoding.name) }
        request.headers.append("Idempotency-Key", batch.id)
        request.headers.append("X-DTVR-Attempt", String(batch.attempt))
        do throws(HTTPTransferError) {
            let response = try await client.send(request)
            let answer = SinkAnswer(response, to: batch.tagIDs, now: clock.unixMilliseconds)
            var serverTime: Int64?
            // Only a server that showed its certificate, and is the collector, is believed.
            if case .received = answer, template.url.lowercased().hasPrefix("https:") {
                serverTime = response.headers.date.map { $0 * 1_000 }
            }
            return SinkOutcome(answer, serverTime: serverTime, sentByteCount: body.count)
        } catch {
            return SinkOutcome(SinkAnswer(error), sentByteCount: body.count)
        }
    }
}
