public import HTTPTransfer
package import HostSystem
import Synchronization
import TagRecord

/// A collector that accepts batches as POST requests.
public final class HTTPTagSink: TagSink {
    private let client: HTTPClient
    private let template: HTTPRequest
    private let bearerToken: Mutex<String?>
    private let compressor = Mutex(BatchCompressor())
    private let clock: any HostClock

    /// The time limits of one attempt.
    ///
    /// They are long enough for half a megabyte over a very slow line, and they end a response that only trickles in.
    package static let timeLimits: HTTPRequest.TimeLimits = {
        var limits = HTTPRequest.TimeLimits()
        limits.total = 120
        return limits
    }()

    /// Creates a sink for the collector at an address.
    ///
    /// - Parameters:
    ///   - url: The `http` or `https` address to post batches to.
    ///   - bearerToken: The token to send with each batch. It never appears in an answer or an error.
    public convenience init(url: String, client: HTTPClient, bearerToken: String? = nil) {
        self.init(url: url, client: client, bearerToken: bearerToken, timeLimits: Self.timeLimits)
    }

    /// Creates a sink with specific time limits and a specific clock.
    ///
    /// - Parameter timeLimits: The time limits of one attempt.
    package init(
        url: String, client: HTTPClient, bearerToken: String? = nil,
        timeLimits: HTTPRequest.TimeLimits, clock: any HostClock = .system
    ) {
        self.client = client
        self.clock = clock
        var template = HTTPRequest(.post(body: []), url: url)
        template.timeLimits = timeLimits
        // A receipt that rejects 500 tags takes 50 kB; a login page can have any size.
        template.bodyLimit = .truncating(after: 1 << 20)
        self.template = template
        self.bearerToken = Mutex(bearerToken)
    }

    /// Replaces the token that is sent with each batch from the next one on.
    package func setBearerToken(_ token: String?) { bearerToken.withLock { $0 = token } }

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
        request.bearerToken = bearerToken.withLock { $0 }
        request.method = .post(body: body)
        request.headers.append("Content-Type", "application/x-ndjson")
        if encoding != .identity { request.headers.append("Content-Encoding", encoding.name) }
        request.headers.append("Idempotency-Key", batch.id)
        request.headers.append("X-DTVR-Attempt", String(batch.attempt))
        do throws(HTTPTransferError) {
            let response = try await client.send(request)
            let answer = SinkAnswer(response, to: batch.tagIDs, now: clock.unixMilliseconds)
            var serverTime: Int64?
            // Trust the time only of a server that authenticated by TLS and behaves like a collector.
            if case .received = answer, template.url.lowercased().hasPrefix("https:") {
                serverTime = response.headers.date.map { $0 * 1_000 }
            }
            var outcome = SinkOutcome(answer, serverTime: serverTime, sentByteCount: body.count)
            outcome.wantsPeriods = response.headers.asks(forKind: ChannelPeriod.kind)
            if answer.trouble != nil { outcome.failure = DeliveryFailure(status: response.status) }
            return outcome
        } catch {
            var outcome = SinkOutcome(SinkAnswer(error), sentByteCount: body.count)
            outcome.failure = DeliveryFailure(error)
            return outcome
        }
    }
}

extension HTTPHeaders {
    /// The field of a receipt that lists the kinds of records that a collector asks for.
    private static let kindsField = "X-DTVR-Kinds"

    /// Returns whether a collector asks for a kind of record that is not sent otherwise.
    func asks(forKind kind: String) -> Bool {
        let kinds = (self[Self.kindsField] ?? "").split(separator: ",")
        return kinds.contains { $0.filter { $0 != " " } == kind }
    }
}
