import ByteReading
package import HTTPTransfer
package import HostSystem

/// Posts alerts to a webhook one by one and retries each until it is accepted or a day old.
package final class AlertWebhook: Sendable {
    /// The maximum age of an alert, in milliseconds.
    private static let longestAge: Int64 = 86_400_000
    /// The first and the longest retry delay, in seconds; up to half of each is subtracted at random.
    private static let firstDelay = 1.0
    private static let longestDelay = 300.0
    /// The longest delay for a receiver that forgets alerts, in seconds.
    private static let longestRepeatDelay = 60.0
    /// The longest Retry-After that is honored, in seconds.
    private static let longestRetryAfter = 3_600.0
    /// The maximum number of response bytes to read; the body is ignored.
    private static let maximumAnswerByteCount = 64 << 10
    /// The time limits of one request, from the host lookup to the end of the response.
    package static let timeLimits: HTTPRequest.TimeLimits = {
        var limits = HTTPRequest.TimeLimits()
        limits.total = 30
        return limits
    }()

    private let client: HTTPClient
    private let template: HTTPRequest
    private let key: [UInt8]?
    private let queue: WebhookQueue
    private let clock: any HostClock
    private let problem: ProblemLatch
    private let name: String

    /// Creates a webhook at an address.
    ///
    /// - Parameters:
    ///   - url: The address to post alerts to. Messages to `note` contain only its host.
    ///   - key: The key of the signature, or for PagerDuty the routing key; nil to send none.
    ///   - queue: The queue of alerts.
    ///   - timeLimits: The time limits of one request.
    ///   - note: Called once for each problem, and once when it is over.
    package init(
        url: String, key: [UInt8]?, client: HTTPClient, queue: WebhookQueue, clock: any HostClock = .system,
        timeLimits: HTTPRequest.TimeLimits = AlertWebhook.timeLimits,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.client = client
        self.key = key
        self.queue = queue
        self.clock = clock
        // The path contains a secret at many services.
        let address = HTTPRequest.withoutSecrets(url)
        let host = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
        name = "the alert webhook at \(host.prefix { $0 != "/" && $0 != "?" })"
        problem = ProblemLatch(end: "\(name) works again", note: note)
        var template = HTTPRequest(.post(body: []), url: url)
        template.headers.append("Content-Type", "application/json")
        template.bodyLimit = .truncating(after: Self.maximumAnswerByteCount)
        template.timeLimits = timeLimits
        self.template = template
    }

    /// Sends queued alerts, and those that are queued later, until the task is cancelled.
    package func run() async {
        var failureCount = 0
        while let alert = await queue.next() {
            if alert.age(at: clock.reading) >= Self.longestAge {
                problem.set("\(name): alerts older than a day are dropped")
                queue.remove(alert)
                continue
            }
            switch await send(alert) {
            case .accepted:
                failureCount = 0
                problem.set(nil)
                queue.remove(alert)
            case .refused(let status):
                failureCount = 0
                problem.set("\(name) refused an alert with status \(status); the alert is dropped")
                queue.remove(alert)
            case .failed(let reason, let retryAfter):
                if Task.isCancelled { return }
                problem.set("\(name): \(reason); alerts are queued and will be sent again")
                // The next minute repeats the open alerts of then.
                if alert.isRepeat { queue.remove(alert) }
                var delay = Self.delay(failureCount: failureCount, retryAfter: retryAfter)
                // The receiver forgets them meanwhile.
                if queue.format.repeatsOpenAlerts { delay = min(delay, Self.longestRepeatDelay) }
                failureCount += 1
                do throws(CancellationError) {
                    try await clock.sleep(for: .seconds(delay))
                } catch {
                    return
                }
            }
        }
    }

    private static func delay(failureCount: Int, retryAfter: Double?) -> Double {
        // 2⁹ s exceeds the longest delay; `failureCount` itself keeps growing.
        let delay = min(longestDelay, firstDelay * Double(1 << min(failureCount, 9)))
        let asked = min(max(0, retryAfter ?? 0), longestRetryAfter)
        return max(asked, delay * .random(in: 0.5..<1))
    }

    private func send(_ alert: AlertMessage) async -> WebhookReceipt {
        let time = clock.unixMilliseconds / 1_000
        let body = queue.format.payload(alert.body, key: key)
        var request = template
        request.method = .post(body: body)
        request.headers.append("Idempotency-Key", alert.key)
        request.headers.append("X-DTVR-Timestamp", String(time))
        if let key, !queue.format.hasKeyInBody {
            let code = MessageAuthentication.sha256(of: Array("\(time).".utf8) + body, key: key)
            request.headers.append("X-DTVR-Signature", "sha256=\(Hexadecimal.text(code))")
        }
        do throws(HTTPTransferError) {
            return WebhookReceipt(try await client.send(request), at: time)
        } catch {
            return WebhookReceipt(error)
        }
    }
}

/// The meaning of a webhook's response for the alert.
enum WebhookReceipt: Sendable, Hashable {
    /// The receiver has accepted the alert (2xx).
    case accepted
    /// The receiver rejects this alert permanently (4xx, except temporary errors and errors about the address).
    case refused(status: Int)
    /// The attempt failed and is retried; `retryAfter` is the delay in seconds that the receiver asks for.
    case failed(reason: String, retryAfter: Double?)

    /// Classifies a response that arrived at a time in Unix seconds.
    init(_ response: HTTPResponse, at time: Int64) {
        switch response.status {
        case 200..<300: self = .accepted
        // An operator can still fix an expired token or a receiver that is being replaced.
        case 401, 403, 404, 407, 410: self = Self.failure(response, time)
        case 408, 425, 429: self = Self.failure(response, time)
        case 400..<500: self = .refused(status: response.status)
        // Includes redirects, which a POST does not follow.
        default: self = Self.failure(response, time)
        }
    }

    /// Classifies a request without a response.
    init(_ error: HTTPTransferError) { self = .failed(reason: error.reason, retryAfter: nil) }

    private static func failure(_ response: HTTPResponse, _ time: Int64) -> WebhookReceipt {
        let seconds: Double? =
            switch response.headers.retryAfter {
            case .seconds(let seconds): Double(seconds)
            case .date(let date): Double(date) - Double(time)
            case nil: nil
            }
        return .failed(reason: "it answered with status \(response.status)", retryAfter: seconds)
    }
}
