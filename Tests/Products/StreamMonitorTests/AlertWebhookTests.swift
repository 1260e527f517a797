import Foundation
import HTTPTransfer
import HostSystem
import Synchronization
import TestSupport
import Testing

@testable import StreamMonitor

/// The requests to a webhook and their retries, by a clock that the test advances.
@Suite(.timeLimit(.minutes(30))) struct AlertWebhookTests {
    /// A webhook with the responses that a test sets, and the sender of its alerts.
    private final class Bench: Sendable {
        let clock = ManualClock()
        let queue: WebhookQueue
        let server: LoopbackServer
        let notes = Mutex<[String]>([])
        private let client: HTTPClient

        /// - Parameter answers: The responses to the first request and to the later ones; the last one repeats.
        init(in folder: AlertFolder, answers: [[LoopbackServer.Step]]) throws {
            let rest = Mutex(answers)
            server = try LoopbackServer { _ in
                rest.withLock { rest in rest.count > 1 ? rest.removeFirst() : rest[0] }
            }
            queue = folder.queue()
            client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        }

        deinit { server.stop() }

        func add(_ keys: String...) {
            queue.append(
                keys.map { key in
                    AlertMessage(
                        key: key, time: clock.unixMilliseconds, published: clock.reading,
                        body: #"{"id":"\#(key)"}"#)
                })
            queue.release()
        }

        /// Sends while `body` runs.
        func send(
            key: String? = nil, within limits: HTTPRequest.TimeLimits = AlertWebhook.timeLimits,
            _ body: () async throws -> Void
        ) async throws {
            let webhook = AlertWebhook(
                url: server.base.replacing("http://", with: "http://user:pass-word@") + "/path?token=t0ken",
                key: key.map { Array($0.utf8) }, client: client, queue: queue, clock: clock,
                timeLimits: limits
            ) { [self] note in notes.withLock { $0.append(note) } }
            let running = Task { await webhook.run() }
            defer { running.cancel() }
            try await body()
            running.cancel()
            await running.value
        }

        /// Returns once the queue is empty.
        func waitUntilEmpty() async throws {
            let queue = queue
            try await wait(for: "an empty queue") { queue.waiting.isEmpty }
        }

        var keys: [String] { server.requests.map { $0.field("Idempotency-Key") ?? "" } }
        var allNotes: [String] { notes.withLock { $0 } }
        var name: String { "the alert webhook at 127.0.0.1:\(server.port)" }
    }

    private static let ok = [response("204 No Content")]

    @Test func alert_isPostedAsJSON_withASignatureMatchingOpenSSL() async throws {
        let folder = try AlertFolder()
        let bench = try Bench(in: folder, answers: [Self.ok])
        bench.add("a/raise")
        try await bench.send(key: "the key") { try await bench.waitUntilEmpty() }
        let request = try #require(bench.server.requests.first)
        #expect(request.line == "POST /path?token=t0ken HTTP/1.1")
        #expect(request.body == #"{"id":"a/raise"}"#)
        #expect(request.field("Content-Type") == "application/json")
        #expect(request.field("Idempotency-Key") == "a/raise")
        #expect(request.field("Authorization")?.hasPrefix("Basic ") == true)
        let time = try #require(request.field("X-DTVR-Timestamp"))
        #expect(time == "\(bench.clock.unixMilliseconds / 1_000)")
        let oracle = try await FinishedProcess.of(
            "/usr/bin/openssl", ["dgst", "-sha256", "-hmac", "the key", "-r"],
            input: Data("\(time).\(request.body)".utf8))
        let code = String(decoding: oracle.output, as: UTF8.self).prefix { $0 != " " }
        #expect(code.count == 64)
        #expect(request.field("X-DTVR-Signature") == "sha256=\(code)")
        #expect(bench.allNotes.isEmpty)
    }

    @Test func alert_withoutKey_isNotSigned() async throws {
        let folder = try AlertFolder()
        let bench = try Bench(in: folder, answers: [Self.ok])
        bench.add("a")
        try await bench.send { try await bench.waitUntilEmpty() }
        let request = try #require(bench.server.requests.first)
        #expect(request.field("X-DTVR-Signature") == nil && request.field("X-DTVR-Timestamp") != nil)
    }

    /// Each possible status of a response, and its result for the alert.
    @Test func receipt_ofEachStatus_isAcceptedRefusedOrFailed() throws {
        for status in 200...999 {
            let head = HTTPResponseHead(status: status, headers: HTTPHeaders(), url: "", remoteAddress: nil)
            let receipt = WebhookReceipt(HTTPResponse(head: head, body: []), at: 0)
            switch status {
            case 200..<300: try #require(receipt == .accepted)
            case 401, 403, 404, 407, 408, 410, 425, 429:
                try #require(receipt == .failed(reason: "it answered with status \(status)", retryAfter: nil))
            case 400..<500: try #require(receipt == .refused(status: status))
            default:
                try #require(receipt == .failed(reason: "it answered with status \(status)", retryAfter: nil))
            }
        }
    }

    @Test(arguments: ["400 Bad Request", "413 Content Too Large", "422 Unprocessable Content"])
    func refusedAlert_isDropped_andTheNextIsSent(status: String) async throws {
        let folder = try AlertFolder()
        let bench = try Bench(in: folder, answers: [[response(status)], [response(status)], Self.ok])
        bench.add("a", "b", "c")
        try await bench.send { try await bench.waitUntilEmpty() }
        #expect(bench.keys == ["a", "b", "c"])
        #expect(
            bench.allNotes == [
                "\(bench.name) refused an alert with status \(status.prefix(3)); the alert is dropped",
                "\(bench.name) works again",
            ])
    }

    @Test(arguments: [
        [response("503 Service Unavailable")], [response("429 Too Many Requests")],
        [response("408 Request Timeout")], [response("401 Unauthorized")], [response("404 Not Found")],
        [response("302 Found", headers: ["Location: /elsewhere"])],
        [.close], [.reset], [.send("nothing of HTTP\r\n\r\n")],
    ])
    func failedAlert_isRetriedUntilAccepted_beforeAnyOther(
        answer: [LoopbackServer.Step]
    ) async throws {
        let folder = try AlertFolder()
        let bench = try Bench(in: folder, answers: [answer, answer, answer, Self.ok])
        bench.add("a", "b")
        try await bench.send {
            for _ in 0..<3 {
                await bench.clock.waitForSleepers()
                bench.clock.advance(by: .seconds(300))
            }
            try await bench.waitUntilEmpty()
        }
        #expect(bench.keys == ["a", "a", "a", "a", "b"])
        #expect(Set(bench.server.requests.prefix(4).map(\.body)).count == 1)
        let waits = bench.clock.sleeps.map { $0 / .seconds(1) }
        #expect(zip(waits, [1.0, 2, 4]).allSatisfy { $0 >= $1 / 2 && $0 < $1 })
        #expect(bench.allNotes.count == 2)
        #expect(bench.allNotes.first?.hasPrefix("\(bench.name): ") == true)
        #expect(bench.allNotes.first?.hasSuffix("; alerts are queued and will be sent again") == true)
        #expect(bench.allNotes.last == "\(bench.name) works again")
        for secret in ["pass-word", "t0ken", "/path"] {
            #expect(!bench.allNotes.contains { $0.contains(secret) })
        }
    }

    /// A webhook that accepts the request and does not respond, or whose response does not end.
    ///
    /// Such a request is abandoned after half a minute, in this test after a second.
    @Test(
        arguments: [
            [.hang], [.send("HTTP/1.1 200 OK\r\n\r\n"), .drip(String(repeating: "x", count: 1_000))],
        ] as [[LoopbackServer.Step]])
    func unresponsiveWebhook_timesOut_andIsRetried(answer: [LoopbackServer.Step]) async throws {
        #expect(AlertWebhook.timeLimits.total == 30)
        let folder = try AlertFolder()
        let bench = try Bench(in: folder, answers: [answer, Self.ok])
        bench.add("a")
        var limits = AlertWebhook.timeLimits
        limits.total = 1
        limits.lowSpeedSeconds = 86_400
        try await bench.send(within: limits) {
            try await wait(for: "the end of the request") {
                !bench.allNotes.isEmpty || bench.queue.waiting.isEmpty
            }
            try #require(
                bench.allNotes.first?.hasSuffix("; alerts are queued and will be sent again") == true)
            await bench.clock.waitForSleepers()
            bench.clock.advance(by: .seconds(300))
            try await wait(for: "the alert to be sent again") { bench.keys.count >= 2 }
        }
        #expect(Set(bench.keys) == ["a"])
    }

    @Test func redirect_isNotFollowed() async throws {
        let folder = try AlertFolder()
        let other = try LoopbackServer { _ in Self.ok }
        defer { other.stop() }
        for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
            let bench = try Bench(
                in: folder, answers: [[response(status, headers: ["Location: \(other.base)/x"])], Self.ok])
            bench.add(status)
            try await bench.send {
                await bench.clock.waitForSleepers()
                bench.clock.advance(by: .seconds(300))
                try await bench.waitUntilEmpty()
            }
            #expect(bench.keys.count == 2)
        }
        #expect(other.requests.isEmpty)
    }

    @Test func retryDelay_growsToFiveMinutes_andRetryAfterIsLimitedToOneHour() async throws {
        let folder = try AlertFolder()
        let retry = { (value: String) in
            [response("503 Service Unavailable", headers: ["Retry-After: \(value)"])]
        }
        let plain = [response("503 Service Unavailable")]
        let bench = try Bench(
            in: folder,
            answers: Array(repeating: plain, count: 12) + [retry("1000"), retry("999999"), Self.ok])
        bench.add("a")
        try await bench.send {
            for _ in 0..<14 {
                await bench.clock.waitForSleepers()
                bench.clock.advance(by: .seconds(3_600))
            }
            try await bench.waitUntilEmpty()
        }
        let waits = bench.clock.sleeps.map { $0 / .seconds(1) }
        #expect(waits[..<12].allSatisfy { $0 < 300 } && waits[9..<12].allSatisfy { $0 >= 150 })
        #expect(waits[12...] == [1_000, 3_600])
    }

    @Test func alert_isRetriedForOneDay_thenDropped() async throws {
        let folder = try AlertFolder()
        let bench = try Bench(in: folder, answers: [[response("500 Error")]])
        bench.add("old")
        bench.clock.advance(by: .seconds(86_399))
        bench.add("new")
        try await bench.send {
            await bench.clock.waitForSleepers()
            bench.clock.advance(by: .seconds(1))
            let queue = bench.queue
            try await wait(for: "the old one to be dropped") { queue.waiting.map(\.key) == ["new"] }
            await bench.clock.waitForSleepers()
        }
        #expect(bench.keys == ["old", "new"])
        #expect(bench.allNotes.contains("\(bench.name): alerts older than a day are dropped"))
    }

    /// If the clock is corrected by two days, an alert that was published seconds ago is not two days old.
    @Test(arguments: [172_800_000, -172_800_000] as [Int64])
    func alert_publishedBeforeWallClockStep_isSent(step: Int64) async throws {
        let folder = try AlertFolder()
        let bench = try Bench(in: folder, answers: [Self.ok])
        bench.add("a")
        bench.clock.setWallClock(unixMilliseconds: bench.clock.unixMilliseconds + step)
        try await bench.send { try await bench.waitUntilEmpty() }
        #expect(bench.keys == ["a"])
        #expect(!bench.allNotes.contains { $0.contains("older than a day") })
    }

    /// Across a reboot, the wall clock counts only if it was trusted both times.
    @Test func age_ofAlertFromEarlierBoot_usesTheWallClockOnlyIfTrusted() {
        func age(_ told: ClockReading, isTrusted: Bool) -> Int64 {
            AlertMessage(key: "a", time: 1_000, published: told, body: "").age(
                at: ClockReading(wall: 90_001_000, boot: 7_000, bootID: "new", isTrusted: isTrusted))
        }
        for isTrusted in [true, false] {
            let told = ClockReading(wall: 1_000, boot: 50_000, bootID: "old", isTrusted: isTrusted)
            #expect(age(told, isTrusted: true) == (isTrusted ? 90_000_000 : 7_000))
            #expect(age(told, isTrusted: false) == 7_000)
        }
    }

    @Test func endlessResponse_isReadOnlyUpToTheLimit() async throws {
        let folder = try AlertFolder()
        let endless = LoopbackServer.Step.flood(count: 1_000, size: 1 << 20)
        let bench = try Bench(in: folder, answers: [[.send("HTTP/1.1 200 OK\r\n\r\n"), endless]])
        bench.add("a")
        try await bench.send { try await bench.waitUntilEmpty() }
        #expect(bench.server.floodedBlockCount < 100)
    }
}
