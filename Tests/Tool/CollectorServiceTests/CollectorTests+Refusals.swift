import CollectorService
import Foundation
import HTTPServing
import HTTPTransfer
import TestSupport
import Testing

extension CollectorTests {
    @Test func requests_withoutAValidBatch_areRefusedWithTheirStatusAndCode() async throws {
        let collector = try collector {
            $0.maximumBodyByteCount = 10_000
            $0.maximumDecodedByteCount = 20_000
            $0.maximumTagCount = 50
        }
        let good = TestBatch.body(1...2)
        let zstd = try TestBatch.zstd(TestBatch.body(1...40))
        let bomb = [UInt8](repeating: 0x20, count: 50_000_000)
        for (request, status, code) in [
            (TestBatch.request(collector, good, type: "text/plain"), 415, "unsupported_type"),
            (TestBatch.request(collector, good, encoding: "br"), 415, "unsupported_encoding"),
            (TestBatch.request(collector, good, encoding: "zstd, gzip"), 415, "unsupported_encoding"),
            (TestBatch.request(collector, good, encoding: "zstd"), 400, "bad_encoding"),
            (TestBatch.request(collector, good, encoding: "gzip"), 400, "bad_encoding"),
            (TestBatch.request(collector, Array(zstd.dropLast()), encoding: "zstd"), 400, "bad_encoding"),
            (TestBatch.request(collector, zstd + [1], encoding: "zstd"), 400, "bad_encoding"),
            (TestBatch.request(collector, [], encoding: "zstd"), 400, "bad_encoding"),
            (TestBatch.request(collector, [], encoding: "gzip"), 400, "bad_encoding"),
            (TestBatch.request(collector, try TestBatch.zstd(bomb), encoding: "zstd"), 413, "too_large"),
            (
                TestBatch.request(collector, try TestBatch.gzip(Array(bomb[..<1_000_000])), encoding: "gzip"),
                413, "too_large"
            ),
            (TestBatch.request(collector, [UInt8](repeating: 0x20, count: 10_001)), 413, "too_large"),
            (TestBatch.request(collector, TestBatch.body(1...51)), 413, "too_many_tags"),
            (TestBatch.request(collector, []), 400, "bad_header"),
            (TestBatch.request(collector, Array(TestBatch.header().utf8)), 400, "empty_batch"),
            (TestBatch.request(collector, Array((TestBatch.line(1) + "\n").utf8)), 400, "bad_header"),
        ] {
            let answer = try await client.send(request)
            #expect(answer.status == status && answer.text.contains("\"\(code)\""), "\(code): \(answer.text)")
            #expect(answer.text.hasPrefix(#"{"error":{"code":""#))
        }
        for (method, path, status) in [("GET", "", 404), ("GET", "other", 404)] {
            let answer = try await client.send(HTTPRequest(url: collector.url + path))
            #expect(answer.status == status, "\(method) \(path)")
        }
        #expect(collector.status.accepted == 0 && collector.status.batches == 0)
        #expect(try await client.send(TestBatch.request(collector, good)).status == 200)
    }

    /// A page of another site could otherwise send tags and read the totals (DNS rebinding).
    @Test(arguments: [
        ("127.0.0.1:8271", true), ("localhost", true), ("LOCALHOST:1", true), ("[::1]:8271", true),
        ("[::ffff:127.0.0.1]", true), ("127.8.9.1", true), ("example.com", false),
        ("127.0.0.1.example.com", false), ("localhost.example.com:8271", false), ("192.0.2.1", false),
        ("[2001:db8::1]:1", false), (":8271", false),
    ])
    func request_toAnotherHost_isRefusedWithoutTokens(host: String, isAccepted: Bool) async throws {
        let open = try collector()
        let other = try TemporaryFolder()
        var settings = CollectorSettings(folder: other.path)
        settings.tokens = try CollectorTokens(parsing: "a-token-of-tests-0123")
        let closed = try Collector(settings: settings)
        for path in ["", "status"] {
            var request =
                path.isEmpty
                ? TestBatch.request(open, TestBatch.body(1...2)) : HTTPRequest(url: open.url + path)
            request.headers.append("Host", host)
            let answer = try await client.send(request)
            #expect(answer.status == (isAccepted ? 200 : 421), "\(path): \(answer.text)")
        }
        #expect(open.status.accepted == (isAccepted ? 2 : 0))
        var request = HTTPRequest(url: closed.url + "status")
        request.headers.append("Host", host)
        request.headers.append("Authorization", "Bearer a-token-of-tests-0123")
        #expect(try await client.send(request).status == 200)
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"id\":1}", "{\"id\":\"0\"}", "{\"id\":\"00112233445566778899aabbccddeefg\"}",
        "nonsense",
        "{\"id\":\"00112233445566778899aabbccddeeff\",}",
        "{\"id\":\"00112233445566778899aabbccddeeff\",\"id\":\"00112233445566778899aabbccddeeff\"}",
        "{\"id\":\"00112233445566778899aabbccddeeff\"} {}",
        "{\"id\":\"00112233445566778899aabbccddeeff\",\"a\":\"\u{1}\"}",
    ])
    func batch_withAnInvalidLine_isRefusedWithTheLineNumber(line: String) async throws {
        let collector = try collector()
        for place in 0..<3 {
            var lines = [TestBatch.line(1), TestBatch.line(2)]
            lines.insert(line, at: place)
            let body = ([TestBatch.header()] + lines).joined(separator: "\n") + "\n"
            let answer = try await client.send(TestBatch.request(collector, Array(body.utf8)))
            // An empty line at the end is ignored.
            let isFine = line.isEmpty && place == 2
            #expect(answer.status == (isFine ? 200 : 400), "\(answer.text)")
            if !isFine { #expect(answer.text.contains("line \(place + 2)")) }
        }
    }

    @Test(arguments: ["store", "version", "batch", "first_seq", "last_seq", "losses"])
    func header_withoutARequiredKey_isRefused(key: String) async throws {
        let collector = try collector()
        let header = TestBatch.header().replacingOccurrences(of: "\"\(key)\"", with: "\"x\"")
        let body = header + "\n" + TestBatch.line(1) + "\n"
        let answer = try await client.send(TestBatch.request(collector, Array(body.utf8)))
        #expect(answer.status == 400 && answer.text.contains("bad_header"))
    }

    @Test func idempotencyKey_thatDiffersFromTheBatchID_isRefused() async throws {
        let collector = try collector()
        for (key, status) in [("0123456789abcdef", 200), ("0123456789abcdee", 400)] {
            var request = TestBatch.request(collector, TestBatch.body(1...2))
            request.headers.append("Idempotency-Key", key)
            #expect(try await client.send(request).status == status)
        }
    }

    @Test func token_whenConfigured_isRequired() async throws {
        let tokens = try CollectorTokens(parsing: "right-token")
        let collector = try collector { $0.tokens = tokens }
        for (token, status) in [
            ("right-token", 200), (nil, 401), ("wrong-token", 401), ("right-toke", 401),
            ("right-tokenx", 401),
            ("right-tokenright-token", 401),
        ] as [(String?, Int)] {
            let answer = try await client.send(
                TestBatch.request(collector, TestBatch.body(1...2), token: token))
            #expect(answer.status == status)
            var request = HTTPRequest(url: collector.url + "status")
            request.bearerToken = token
            #expect(try await client.send(request).status == status)
        }
    }

    /// A symbolic link in the folder could name any file, which would be truncated to its last complete line.
    @Test(arguments: ["lock", "tags-2026-01-02.ndjson", "batches-2026-01-02.ndjson"])
    func symbolicLink_inTheFolder_isNotFollowed(name: String) throws {
        let other = try TemporaryFolder()
        let target = other.path + "/target"
        try "a line\nand the rest".write(toFile: target, atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/" + name, withDestinationPath: target)
        #expect(throws: CollectorError.self) { try collector() }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "a line\nand the rest")
    }

    @Test func tokenFile_thatIsInvalid_isRefusedWithItsDefect() throws {
        for (text, defect) in [
            ("", .empty), (" \n\n", .empty), ("abc\nd\u{e9}f", .invalidToken(line: 2)),
            ("abc one two", .invalidName(line: 1)), ("abc a/b", .invalidName(line: 1)),
            ("abc \(String(repeating: "n", count: 65))", .invalidName(line: 1)),
            ("abc one\n\nabc two", .duplicate(line: 3)),
        ] as [(String, CollectorTokens.Defect)] {
            #expect(throws: defect, "\(text)") { try CollectorTokens(parsing: text) }
            #expect(!defect.description.contains("abc"))
        }
    }

    @Test func eachTokenOfAFile_isAccepted_untilItIsReplaced() async throws {
        let tokens = try CollectorTokens(parsing: "abc one\r\n\r\n  abcd\ttwo  \nxyz\n")
        let collector = try collector { $0.tokens = tokens }
        func statuses() async throws -> [Int] {
            var statuses: [Int] = []
            for token in ["abc", "abcd", "xyz", "ab", "one"] {
                let request = TestBatch.request(collector, TestBatch.body(1...2), token: token)
                statuses.append(try await client.send(request).status)
            }
            return statuses
        }
        #expect(try await statuses() == [200, 200, 200, 401, 401])
        collector.replaceTokens(try CollectorTokens(parsing: "abcd"))
        #expect(try await statuses() == [401, 200, 401, 401, 401])
    }
}
