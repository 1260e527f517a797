import CollectorService
import HTTPTransfer
import TagDelivery
import TagStore
import TestSupport
import Testing

/// A gateway, or a collector that refuses everything, must not empty the buffer.
@Suite(.timeLimit(.minutes(30)), .serialized) struct GatewayTests {
    /// Answers that our collector never sends; each gateway sends one of them to every request.
    static let gateways: [(status: String, body: String)] = [
        ("413 Payload Too Large", "<html>413</html>"),
        ("413 Payload Too Large", #"{"error":{"code":"too_large","message":"no"}}"#),
        ("400 Bad Request", #"{"error":{"code":"BadRequest","message":"Bad Request"}}"#),
        ("400 Bad Request", #"{"error":{"message":"Bad Request"}}"#),
        ("400 Bad Request", #"{"error":{}}"#),
        ("422 Unprocessable Content", #"{"error":{"code":"422","message":"no"}}"#),
        ("422 Unprocessable Content", #"{"message":"no"}"#),
    ]

    @Test(arguments: gateways)
    func gateway_thatRefusesEverything_causesNoLossAndFewRequests(status: String, body: String) async throws {
        let bench = try await DeliveryBench()
        try await bench.append(4_000)
        let server = try LoopbackServer { _ in [response(status, body)] }
        defer { server.stop() }
        let uploader = bench.uploader(to: server.base)
        guard case .gaveUp(let reason) = try await uploader.drain(timeLimit: .seconds(5)).end else {
            Issue.record("\(status) did not hold it up")
            return
        }
        #expect(reason.contains(status.prefix(3)))
        #expect(server.requests.count <= 10)
        let totals = bench.store.totals()
        #expect(totals.inStore == 4_000 && totals.losses.total == 0 && totals.isBalanced)
        guard case .holding = uploader.progress.activity else {
            Issue.record("\(uploader.progress.activity)")
            return
        }
        // Without the gateway, all tags are delivered.
        let collector = try bench.collector("")
        #expect(try await bench.uploader(to: collector.url).drain().end == .drained)
        #expect(Set(try bench.folder.collectedIDs()).count == 4_000)
        await bench.store.close()
    }

    @Test(arguments: [
        ("400 Bad Request", #"{"error":{"code":"bad_tag","message":"no"}}"#),
        ("422 Unprocessable Content", #"{"error":{"code":"bad_tag","message":"no"}}"#),
    ])
    func collector_refusingEveryTag_isHeldAfterTenAndProbedWithOne(
        status: String, body: String
    ) async throws {
        let bench = try await DeliveryBench()
        try await bench.append(4_000)
        let server = try LoopbackServer { _ in [response(status, body)] }
        defer { server.stop() }
        let uploader = bench.uploader(to: server.base)
        guard case .gaveUp(let reason) = try await uploader.drain(timeLimit: .seconds(5)).end else {
            Issue.record("it was not stopped")
            return
        }
        #expect(reason.contains("10 tags"), "\(reason)")
        #expect(bench.store.totals().losses.dead == 10 && bench.store.totals().inStore == 3_990)
        let requestCount = server.requests.count
        #expect(requestCount <= 100)
        // An immediate attempt costs one request and no tag.
        guard case .gaveUp = try await uploader.drain(timeLimit: .seconds(5)).end else {
            Issue.record("it was not stopped")
            return
        }
        #expect(server.requests.count == requestCount + 1)
        #expect(bench.store.totals().losses.dead == 10)
        // One tag every 15 minutes.
        guard case .gaveUp = try await uploader.drain(timeLimit: .seconds(3_000)).end else {
            Issue.record("it was not stopped")
            return
        }
        #expect((11...14).contains(bench.store.totals().losses.dead))
        #expect(bench.clock.sleeps.allSatisfy { $0 >= .seconds(800) && $0 <= .seconds(900) })
        await bench.store.close()
    }

    /// Each receipt rejects every tag of its batch, and only the first receipt is trusted.
    @Test func collector_rejectingEveryTagInReceipts_isHeldAfterFirstReceipt() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(4_000)
        let ids = try await bench.store.tags(maximumCount: 500).map(\.id.text)
        let rejections = ids.map { #"{"id":"\#($0)","code":"bad_tag"}"# }.joined(separator: ",")
        let server = try LoopbackServer { _ in
            [response("200 OK", #"{"accepted":0,"duplicate":0,"rejected":[\#(rejections)]}"#)]
        }
        defer { server.stop() }
        guard case .gaveUp = try await bench.uploader(to: server.base).drain(timeLimit: .seconds(5)).end
        else {
            Issue.record("it was not stopped")
            return
        }
        #expect(bench.store.totals().losses.dead == 500 && bench.store.totals().inStore == 3_500)
        #expect(server.requests.count == 1)
        await bench.store.close()
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "garbage without an end", "\0\0\0\0\0\0\0\0",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"accepted\":",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Encoding: gzip\r\n\r\nno gzip!!",
    ])
    func garbageAnswer_isRetriedAfterBackOff(text: String) async throws {
        let bench = try await DeliveryBench()
        try await bench.append(10)
        let server = try LoopbackServer { _ in [.send(text), .close] }
        defer { server.stop() }
        let uploader = bench.uploader(to: server.base)
        guard case .gaveUp(let reason) = try await uploader.drain(timeLimit: .zero).end else {
            Issue.record("it was believed")
            return
        }
        #expect(!reason.contains("redirect"), "\(reason)")
        guard case .backingOff(let until, _) = uploader.progress.activity else {
            Issue.record("\(uploader.progress.activity)")
            return
        }
        #expect(until - bench.clock.unixMilliseconds <= 2_000)
        #expect(bench.store.totals().inStore == 10)
        await bench.store.close()
    }

    /// The total time limit also ends an answer that arrives byte by byte.
    @Test func tricklingAnswer_endsAtTotalTimeLimit() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(10)
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n"), .flood(count: 1_000, size: 1),
                .hang,
            ]
        }
        defer { server.stop() }
        let limits = HTTPTagSink.timeLimits
        #expect((30...300).contains(limits.total ?? 0))
        var short = limits
        short.total = 1
        let sink = HTTPTagSink(url: server.base, client: bench.client, timeLimits: short, clock: bench.clock)
        guard case .retry(let reason, _) = await sink.deliver(try await bench.batch()).answer else {
            Issue.record("it did not end")
            return
        }
        #expect(reason.contains("timed out"), "\(reason)")
        await bench.store.close()
    }

    /// The key is the same for the same tags, regardless of the answers, and equals the batch id in the header.
    @Test func idempotencyKey_equalsBatchIDInEveryAttempt() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(3)
        let tags = try await bench.store.tags(maximumCount: 3)
        let (step, receipt) = (Counter(), #"{"accepted":3,"duplicate":0,"rejected":[]}"#)
        let server = try LoopbackServer { _ in
            switch step.next() {
            case 1, 2: [response("415 Unsupported Media Type", "")]
            case 3: [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .reset]
            case 4: [response("503 Service Unavailable", "")]
            default: [response("200 OK", receipt)]
            }
        }
        defer { server.stop() }
        let uploader = bench.uploader(to: server.base)
        #expect(try await uploader.drain(timeLimit: .seconds(1 << 40)).end == .drained)
        #expect(server.requests.count == 5)
        let keys = server.requests.map { request in
            request.header.split(separator: "\r\n").first { $0.hasPrefix("Idempotency-Key: ") }?.dropFirst(17)
        }
        let key = try #require(keys.first ?? nil)
        #expect(key.count == 64 && Set(keys).count == 1)
        let last = try #require(server.requests.last?.body)
        #expect(last.hasPrefix("{\"store\":") && last.contains("\"batch\":\"\(key)\""))
        for tag in tags { #expect(last.contains(tag.id.text)) }
        let attempts = server.requests.map { request in
            request.header.split(separator: "\r\n").first { $0.hasPrefix("X-DTVR-Attempt: ") }?.dropFirst(16)
        }
        #expect(attempts == ["1", "1", "1", "2", "3"])
        let sizes = server.requests.compactMap { request in
            request.header.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
                .flatMap { Int($0.dropFirst(16)) }
        }
        #expect(sizes.count == 5 && uploader.progress.sentByteCount == sizes.reduce(0, +))
        await bench.store.close()
    }

    @Test(arguments: [
        "Retry-After: 86400", "Retry-After: 99999999999999999999999999", "Retry-After: 31536000000",
        "Retry-After: Fri, 31 Dec 2199 23:59:59 GMT",
    ])
    func retryAfter_thatIsLong_isCappedAtAnHour(field: String) async throws {
        let bench = try await DeliveryBench()
        try await bench.append(3)
        let step = Counter()
        let server = try LoopbackServer { _ in
            step.next() == 1
                ? [response("503 Service Unavailable", headers: [field], "")]

                : [response("200 OK", #"{"accepted":3,"duplicate":0,"rejected":[]}"#)]
        }
        defer { server.stop() }
        let uploader = bench.uploader(to: server.base)
        #expect(try await uploader.drain(timeLimit: .seconds(1 << 40)).end == .drained)
        #expect(bench.clock.sleeps == [.seconds(3_600)])
        await bench.store.close()
    }

    /// The codes that our collector sends for invalid requests are recognized as those of a collector.
    @Test func errorCodes_ofCollector_areAllKnown() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(3)
        let collector = try bench.collector("") { $0.maximumBodyByteCount = 10_000 }
        let batch = try await bench.batch()
        let lines = batch.body.split(separator: 0x0A)
        let (type, key) = (("Content-Type", "application/x-ndjson"), ("Idempotency-Key", "another"))
        let requests: [(fields: [(String, String)], body: [UInt8])] = [
            ([("Content-Type", "text/plain")], batch.body), ([type, ("Content-Encoding", "br")], batch.body),
            ([type, ("Content-Encoding", "zstd")], batch.body), ([type, key], batch.body),
            ([type], Array(lines[1])), ([type], []), ([type], Array(lines[0]) + [0x0A]),
            ([type], Array(lines[0]) + [0x0A] + Array("{}".utf8)),
            ([type], [UInt8](repeating: 0x20, count: 20_000)),
        ]
        var codes: Set<String> = []
        for (fields, body) in requests {
            var request = HTTPRequest(.post(body: body), url: collector.url)
            for (name, value) in fields { request.headers.append(name, value) }
            let response = try await bench.client.send(request)
            guard case .error(let code, _) = CollectorReply(response.body.span) else {
                Issue.record("\(response.head.status) \(String(decoding: response.body, as: UTF8.self))")
                continue
            }
            codes.insert(code)
        }
        #expect(codes.count >= 6 && codes.isSubset(of: CollectorReply.codes), "\(codes)")
        await bench.store.close()
    }
}
