import ByteReading
package import HTTPTransfer
package import HostSystem

/// Sends alerts to an address that the operator named, one after the other, until each is accepted or a day old.
package final class AlertWebhook: Sendable {
    /// How long an alert is tried.
    private static let longestAge: Int64 = 86_400_000
    /// The wait after a first failure and the longest, in seconds; half of each is random.
    private static let firstDelay = 1.0
    private static let longestDelay = 300.0
    /// For how many seconds a Retry-After is believed.
    private static let longestRetryAfter = 3_600.0
    /// What is taken of an answer, whose body says nothing.
    private static let maximumAnswerByteCount = 64 << 10
    /// The time that one request may take, from the lookup of the host to the end of the answer.
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
    private let problem: StandingProblem
    private let name: String

    /// A webhook at an address.
    ///
    /// - Parameters:
    ///   - url: where alerts are posted to; never part of what is noted, but for its host.
    ///   - key: what the signature is made with; nil for none.
    ///   - queue: the alerts.
    ///   - timeLimits: the time that one request may take.
    ///   - note: told what is wrong, once.
    package init(
        url: String, key: [UInt8]?, client: HTTPClient, queue: WebhookQueue, clock: any HostClock = .system,
        timeLimits: HTTPRequest.TimeLimits = AlertWebhook.timeLimits,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.client = client
        self.key = key
        self.queue = queue
        self.clock = clock
        // What stands in the path is a secret at many services.
        let address = HTTPRequest.withoutSecrets(url)
        let host = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
        name = "the alert webhook at \(host.prefix { $0 != "/" && $0 != "?" })"
        problem = StandingProblem(end: "\(name) works again", note: note)
        var template = HTTPRequest(.post(body: []), url: url)
        template.headers.append("Content-Type", "application/json")
        template.bodyLimit = .truncating(after: Self.maximumAnswerByteCount)
        template.timeLimits = timeLimits
        self.template = template
    }

    /// Sends what waits, and what comes, until the task is cancelled.
    package func run() async {
        var failureCount = 0
        while let alert = await queue.next() {
            if alert.age(at: clock.reading) >= Self.longestAge {
                problem.set("\(name): alerts that are a day old are dropped")
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
                problem.set("\(name) refuses an alert, which is dropped: it answered \(status)")
                queue.remove(alert)
            case .failed(let reason, let retryAfter):
                if Task.isCancelled { return }
                problem.set("\(name): \(reason); alerts wait and are sent again")
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
        // 2⁹ s is past the longest; the count itself goes on.
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
