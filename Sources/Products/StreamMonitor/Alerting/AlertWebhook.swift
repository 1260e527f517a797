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
    ///   - key: The key of the signature; nil to send no signature.
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
                let delay = Self.delay(failureCount: failureCount, retryAfter: retryAfter)
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

    private func send(_ alert: WaitingAlert) async -> WebhookReceipt {
        let time = clock.unixMilliseconds / 1_000
        let body = Array(alert.body.utf8)
        var request = template
        request.method = .post(body: body)
        request.headers.append("Idempotency-Key", alert.key)
        request.headers.append("X-DTVR-Timestamp", String(time))
        if let key {
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
