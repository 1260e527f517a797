import HTTPTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct HTTPBodyStreamTests {
    private func client(buffer: Int = 64 << 10) throws -> HTTPClient {
        var settings = HTTPClientSettings(userAgent: "dtvr/0.0-test")
        settings.streamBufferByteCount = buffer
        return try HTTPClient(settings: settings)
    }

    private func request(_ server: LoopbackServer) -> HTTPRequest {
        var request = HTTPRequest(url: server.base)
        request.bodyLimit = .failing(after: 1 << 30)
        return request
    }

    @Test func body_sentInPieces_arrivesUnchanged() async throws {
        let pieces = (0..<50).map { index in String(repeating: "\(index % 10)", count: 1_000 + index) }
        let whole = pieces.joined()
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(whole.utf8.count)\r\n\r\n")]
                + pieces.map { .send($0) }
        }
        defer { server.stop() }
        let stream = try await client().stream(request(server))
        #expect(stream.head.status == 200)
        var body: [UInt8] = []
        while let chunk = try await stream.next() {
            #expect(!chunk.isEmpty)
            body += chunk
        }
        #expect(body == Array(whole.utf8))
        #expect(try await stream.next() == nil)
    }

    @Test(arguments: [1_000, 10_000, 25_000, 50_000, 50_001])
    func body_collectedInChunks_arrivesUnchanged_inFewParts(size: Int) async throws {
        let pieces = (0..<50).map { index in String(repeating: "\(index % 10)", count: 1_000) }
        let whole = pieces.joined()
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(whole.utf8.count)\r\n\r\n")]
                + pieces.map { .send($0) }
        }
        defer { server.stop() }
        var request = request(server)
        request.chunkByteCount = size
        let stream = try await client(buffer: 64 << 10).stream(request)
        #expect(stream.head.status == 200)
        var chunks: [[UInt8]] = []
        while let chunk = try await stream.next() { chunks.append(chunk) }
        #expect(chunks.dropLast().allSatisfy { $0.count >= size })
        #expect(chunks.flatMap { $0 } == Array(whole.utf8))
    }

    /// The reader is resumed when the buffer is full, even if a chunk does not fit.
    @Test func chunk_largerThanTheBuffer_doesNotBlockTheBody() async throws {
        let count = 64
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(count << 16)\r\n\r\n"),
                .flood(count: count, size: 65_536),
            ]
        }
        defer { server.stop() }
        var request = request(server)
        request.chunkByteCount = 1 << 20
        let stream = try await client(buffer: 32 << 10).stream(request)
        var total = 0
        while let chunk = try await stream.next() { total += chunk.count }
        #expect(total == count << 16)
    }

    @Test(arguments: [("abc", 2), ("abc", 4), ("", 4)])
    func interruptedBody_collectedInChunks_yieldsTheReceivedBytesAndThenTheError(
        sent: String, size: Int
    ) async throws {
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n\(sent)"), .close]
        }
        defer { server.stop() }
        var request = request(server)
        request.chunkByteCount = size
        var body: [UInt8] = []
        let error = await #expect(throws: HTTPTransferError.self) {
            let stream = try await client().stream(request)
            while let chunk = try await stream.next() { body += chunk }
        }
        #expect(error?.kind == .interrupted)
        #expect(body == Array(sent.utf8))
    }

    /// Meanwhile, three requests with a minimum rate time out, one after the other.
    @Test func stream_withoutMinimumRate_mayBeSilent() async throws {
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\na"), .hang]
        }
        defer { server.stop() }
        let client = try client()
        var request = request(server)
        request.timeLimits.lowSpeedSeconds = 1
        let bounded = request
        request.timeLimits.lowSpeedBytesPerSecond = 0
        let stream = try await client.stream(request)
        #expect(try await stream.next() == Array("a".utf8))
        for _ in 0..<3 { #expect(await failure(of: bounded, with: client)?.kind == .timedOut) }
        stream.cancel()
        let error = await #expect(throws: HTTPTransferError.self) { try await stream.next() }
        #expect(error?.kind == .cancelled)
    }

    /// The sender of 64 MiB must wait while the stream is not read, regardless of the socket buffers.
    @Test func unreadBody_blocksTheSender() async throws {
        let count = 1_024
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(count << 16)\r\n\r\n"),
                .flood(count: count, size: 65_536),
            ]
        }
        defer { server.stop() }
        let stream = try await client().stream(request(server))
        let first = try #require(try await stream.next())
        #expect(first.count <= 192 << 10)
        for await _ in server.stalls { break }
        #expect(server.floodedBlockCount < count)
        var total = first.count
        while let chunk = try await stream.next() {
            #expect(chunk.count <= 192 << 10)
            total += chunk.count
        }
        #expect(total == count << 16)
    }

    @Test func interruptedBody_yieldsTheReceivedBytesAndThenTheError() async throws {
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), .reset]
        }
        defer { server.stop() }
        var body: [UInt8] = []
        do {
            let stream = try await client().stream(request(server))
            while let chunk = try await stream.next() { body += chunk }
            Issue.record("the body has no end")
        } catch let error as HTTPTransferError {
            #expect(error.kind == .interrupted)
        }
        // A reset may overtake bytes that were not read yet.
        #expect(body == Array("abc".utf8) || body.isEmpty)
    }

    @Test func body_overItsLimit_failsAfterAtMostTheLimit() async throws {
        let server = try LoopbackServer { _ in [response("200 OK", String(repeating: "x", count: 1 << 20))] }
        defer { server.stop() }
        var request = request(server)
        request.bodyLimit = .failing(after: 500_000)
        let stream = try await client().stream(request)
        var total = 0
        do throws(HTTPTransferError) {
            while let chunk = try await stream.next() { total += chunk.count }
            Issue.record("no error")
        } catch {
            #expect(error.kind == .bodyTooLarge)
        }
        #expect(total <= 500_000)
    }

    /// The limit also applies to data that is decompressed while the stream waits for its reader.
    @Test func compressedBody_overItsLimitWhileBuffered_fails() async throws {
        let server = try LoopbackServer { _ in
            let fields = "Content-Encoding: gzip\r\nContent-Length: \(gzippedZeros.count)"
            return [.send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n"), .sendBytes(gzippedZeros)]
        }
        defer { server.stop() }
        var request = request(server)
        request.acceptsCompression = true
        request.bodyLimit = .failing(after: 99_999)
        let stream = try await client(buffer: 1 << 10).stream(request)
        var total = 0
        do throws(HTTPTransferError) {
            while let chunk = try await stream.next() { total += chunk.count }
            Issue.record("no error")
        } catch {
            #expect(error.kind == .bodyTooLarge)
        }
        #expect(total <= 99_999)
    }

    @Test func emptyBody_endsImmediately() async throws {
        let server = try LoopbackServer { _ in [response("404 Not Found")] }
        defer { server.stop() }
        let stream = try await client().stream(request(server))
        #expect(stream.head.status == 404)
        #expect(try await stream.next() == nil)
    }

    @Test func stream_released_closesItsConnection() async throws {
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"),
                .flood(count: 1 << 20, size: 65_536),
            ]
        }
        defer { server.stop() }
        let client = try client()
        var stream: HTTPBodyStream? = try await client.stream(request(server))
        _ = try await stream?.next()
        stream = nil
        // The flood ends only because its socket is closed; the client remains usable.
        let second = try LoopbackServer { _ in [response("200 OK", "x")] }
        defer { second.stop() }
        #expect(try await client.send(HTTPRequest(url: second.base)).body == [0x78])
        let seen = server.floodedBlockCount
        #expect(seen < 1 << 20)
    }
}
