import ID3v2
import TestSupport
import Testing

@testable import HLSInput

/// Cookies, content codings and unusual addresses, as players handle them.
@Suite(.timeLimit(.minutes(30))) struct HTTPBehaviorTests {
    private static func site(_ stream: SyntheticStream) -> [String: ServedResource] {
        Dictionary(uniqueKeysWithValues: stream.files.map { ("/" + $0, ServedResource($1)) })
    }

    // MARK: Cookies

    /// Starts a server whose first playlist sets cookies, and which refuses other requests without them.
    private static func cookieServer(
        _ stream: SyntheticStream, key: [String] = [], setters: [String: [String]]
    ) throws -> LoopbackServer {
        var site = site(stream)
        site["/index.m3u8"] = ServedResource(stream.playlist(header: key))
        site["/main.m3u8"] = ServedResource("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nindex.m3u8\n")
        site["/old.m3u8"] = .redirect(to: "/main.m3u8")
        for (path, cookies) in setters {
            site[path]?.headers += cookies.map { "Set-Cookie: \($0)" }
        }
        let resources = site
        let names = setters.values.joined().map { String($0.prefix { $0 != "=" }) }
        return try LoopbackServer { request in
            let sent = request.field("Cookie") ?? ""
            let isOpen = ["/main.m3u8", "/old.m3u8"].contains(request.target)
            guard isOpen || names.allSatisfy({ sent.contains($0 + "=") }) else {
                return [response("403 Forbidden")]
            }
            return resources[request.target]?.answer(to: request) ?? [response("404 Not Found")]
        }
    }

    @Test(arguments: [
        ("/main.m3u8", ["/main.m3u8": ["a=1; Path=/"]]),
        ("/old.m3u8", ["/old.m3u8": ["a=1; Path=/"]]),
        ("/old.m3u8", ["/old.m3u8": ["a=1; Path=/"], "/main.m3u8": ["b=2; HttpOnly", "c=exp=1~acl=/*"]]),
    ])
    func cookiesOfAPlaylistOrRedirect_areSentForTheRest(
        path: String, setters: [String: [String]]
    ) async throws {
        let stream = try SyntheticStream.transport.get()
        let server = try Self.cookieServer(stream, setters: setters)
        defer { server.stop() }
        let reading = try await InputReading(server.base + path)
        #expect(reading.owners == stream.owners)
    }

    @Test func cookie_ofAnotherPathOrSecureOrExpired_isNotSent() async throws {
        let stream = try SyntheticStream.transport.get()
        var site = Self.site(stream)
        site["/index.m3u8"]?.headers = [
            "Set-Cookie: path=1; Path=/elsewhere", "Set-Cookie: host=1; Domain=example.com",
            "Set-Cookie: old=1; Max-Age=0", "Set-Cookie: gone=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "Set-Cookie: __Secure-a=1", "Set-Cookie: good=1",
        ]
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        _ = try await InputReading(server.base + "/index.m3u8")
        #expect(server.requests.dropFirst().allSatisfy { $0.field("Cookie") == "good=1" })
        #expect(server.requests.count > 1)
    }

    /// The segments are on the same machine under another name.
    @Test func cookieOfOneHost_isNotSentToAnother() async throws {
        let stream = try SyntheticStream.transport.get()
        let segments = try LoopbackServer(serving: Self.site(stream))
        defer { segments.stop() }
        let other = segments.base.replacing("127.0.0.1", with: "localhost")
        var site = Self.site(stream)
        let playlist = stream.playlist().split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("#") || $0.isEmpty ? String($0) : "\(other)/\($0)" }
        site["/index.m3u8"] = ServedResource(playlist.joined(separator: "\n")).with {
            $0.headers = ["Set-Cookie: a=1; Path=/"]
        }
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(segments.requests.allSatisfy { $0.field("Cookie") == nil })
    }

    /// A password in the address and the cookies are both sent.
    @Test func cookies_areSentBesideAPassword() async throws {
        let stream = try SyntheticStream.transport.get()
        let server = try Self.cookieServer(stream, setters: ["/main.m3u8": ["a=1; Path=/"]])
        defer { server.stop() }
        let address = server.base.replacing("http://", with: "http://user:pass@")
        let reading = try await InputReading(address + "/main.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(server.requests.allSatisfy { $0.field("Authorization") == "Basic dXNlcjpwYXNz" })
    }

    @Test func cookiesOfOneInput_areNotSentForAnother() async throws {
        let stream = try SyntheticStream.transport.get()
        var site = Self.site(stream)
        site["/index.m3u8"]?.headers = ["Set-Cookie: a=1"]
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        let count = try await InputReading(server.base + "/index.m3u8").readings.count + 1
        _ = try await InputReading(server.base + "/index.m3u8")
        #expect(server.requests.count == 2 * count)
        #expect(server.requests[count].field("Cookie") == nil)
    }

    @Test func cookiesOfALiveChannel_areSentBesideThoseOfTheUser() async throws {
        let site = try LiveSite()
        site.list([0], headers: ["Set-Cookie: a=1"])
        var reader = try await LiveReader(site.base + "/index.m3u8", headers: [("Cookie", "user=2")])
        _ = await reader.load()
        #expect(reader.owners == site.stream.owners(inSegments: [0]))
        let sent = site.headers.map { header in
            header.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("cookie:") }.map(String.init)
        }
        #expect(sent.first == ["Cookie: user=2"])
        #expect(sent.last == ["Cookie: a=1; user=2"])
        // Another channel has cookies of its own.
        var other = try await LiveReader(site.base + "/index.m3u8")
        _ = await other.load()
        #expect(site.headers[sent.count].contains("Cookie") == false)
    }

    /// A server that sets new names without end fills a jar that is then emptied.
    @Test func endlessCookies_areLimited() async throws {
        let stream = try SyntheticStream.transport.get()
        let count = 40
        var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:4"]
        for index in 0..<count { lines += ["#EXTINF:4,", "s\(index).ts"] }
        let playlist = (lines + ["#EXT-X-ENDLIST"]).joined(separator: "\n")
        let server = try LoopbackServer { request in
            if request.target == "/index.m3u8" { return ServedResource(playlist).answer(to: request) }
            let name = request.target.dropFirst()
            let cookies = (0..<40).map { "Set-Cookie: \(name)-\($0)=\(String(repeating: "x", count: 20))" }
            return ServedResource(stream[0]).with { $0.headers = cookies }.answer(to: request)
        }
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.failures.isEmpty)
        let counts = server.requests.map { ($0.field("Cookie") ?? "").split(separator: ";").count }
        #expect(counts.max() ?? 0 > 40)
        #expect(counts.max() ?? 0 <= 128)
    }

    // MARK: Content codings

    /// Servers send `deflate` with and without the header of zlib (RFC 9110, 8.4.1.2).
    @Test(
        arguments: [
            (["gzip"], gzip), (["x-gzip"], gzip), (["GZIP"], gzip), (["gzip", "gzip"], gzip),
            (["deflate"], zlib),
            (["deflate"], deflate), (["Deflate"], deflate),
        ] as [([String], @Sendable ([UInt8]) -> [UInt8])])
    func compressedSegment_isDecoded(
        codings: [String], encode: @Sendable ([UInt8]) -> [UInt8]
    ) async throws {
        let stream = try SyntheticStream.fragmented.get()
        var site = Self.site(stream)
        for (path, resource) in site where !path.hasSuffix(".m3u8") {
            let body = codings.reduce(resource.body) { bytes, _ in encode(bytes) }
            site[path] = ServedResource(body).with {
                $0.headers = ["Content-Encoding: \(codings.joined(separator: ", "))"]
            }
        }
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.isEmpty)
        for request in server.requests where !request.target.hasSuffix(".m3u8") {
            #expect(request.field("Accept-Encoding") == "identity")
        }
    }

    /// The excess of each response arrives when the connection already has its next request (RFC 9112, 6.3).
    @Test(arguments: [true, false])
    func responsesLongerThanTheirLength_costNoTag(isFragmented: Bool) async throws {
        let stream = try (isFragmented ? SyntheticStream.fragmented : SyntheticStream.transport).get()
        let site = Self.site(stream)
        let server = try LoopbackServer { request in
            (request.isFirst ? [] : [.send("excess")])
                + (site[request.target]?.answer(to: request) ?? [response("404 Not Found")])
        }
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.isEmpty)
        #expect(server.requests.count > site.count)
    }

    /// Some storage services return the coding of an upload.
    @Test(arguments: ["aws-chunked", "utf-8", "identity", "none", ""])
    func contentEncoding_thatIsNoCompression_isIgnored(coding: String) async throws {
        let stream = try SyntheticStream.transport.get()
        var site = Self.site(stream)
        for path in site.keys { site[path]?.headers = ["Content-Encoding: \(coding)"] }
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.isEmpty)
    }

    @Test func compressedSegment_aboveTheLimit_failsAlone() async throws {
        let stream = try SyntheticStream.transport.get()
        var site = Self.site(stream)
        let name = "/" + stream.segmentNames[1]
        site[name] = ServedResource(gzip([UInt8](repeating: 0x47, count: 60_000))).with {
            $0.headers = ["Content-Encoding: gzip"]
        }
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        var limits = InputLimits()
        limits.maximumSegmentByteCount = UInt64(
            stream.segmentNames.indices.map { stream[$0].count }.max() ?? 0)
        try #require(limits.maximumSegmentByteCount < 60_000)
        let reading = try await InputReading(server.base + "/index.m3u8", limits: limits)
        #expect(reading.failures.map(\.index) == [1])
    }

    /// The offsets of a playlist count decoded bytes.
    @Test func byteRange_ofACompressedResource_isTakenFromTheWholeOrRefused() async throws {
        let stream = try SyntheticStream.transport.get()
        let all = [0, 1].flatMap { stream[$0] }
        try #require(all.count < 65_536)
        let playlist = stream.playlist(
            segments: [0, 1],
            before: { ["#EXT-X-BYTERANGE:\(stream[$0].count)" + ($0 == 0 ? "@0" : "")] },
            uri: { _ in "all.ts" })
        for servesRanges in [false, true] {
            let server = try LoopbackServer(serving: [
                "/index.m3u8": ServedResource(playlist),
                "/all.ts": ServedResource(gzip(all)).with {
                    $0.headers = ["Content-Encoding: gzip"]
                    $0.servesRanges = servesRanges
                },
            ])
            defer { server.stop() }
            let reading = try await InputReading(server.base + "/index.m3u8")
            #expect(reading.owners == (servesRanges ? [] : stream.owners(inSegments: [0, 1])))
            #expect(reading.failures.allSatisfy { $0.error.reason.contains("compressed") })
        }
    }

    @Test(arguments: ["index.m3u8", "segment"])
    func gzipWithoutItsHeader_isNamed(resource: String) async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let name = resource == "segment" ? stream.segmentNames[0] : resource
        try folder.write(name, gzip(stream.files[name] ?? []))
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.failures.map(\.index) == [0])
        #expect(reading.failures.first?.error.reason.contains("gzip") == true)
    }

    // MARK: Addresses

    @Test func invalidCharactersOfAnAddress_arePercentEncoded() async throws {
        let stream = try SyntheticStream.transport.get()
        let names = ["a b/ 0.ts", "a%20b/1.ts", "\u{E9}.ts", "{2}.ts?q=a b", "[4].ts"]
        let targets = ["/a%20b/%200.ts", "/a%20b/1.ts", "/%C3%A9.ts", "/%7B2%7D.ts?q=a%20b", "/[4].ts"]
        var site = ["/index.m3u8": ServedResource(stream.playlist(uri: { names[$0] }))]
        for (index, target) in targets.enumerated() { site[target] = ServedResource(stream[index]) }
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(Array(server.requests.map(\.target).suffix(5)) == targets)
    }

    @Test(arguments: [
        "data:;base64,MDEyMzQ1Njc4OTo7PD0+Pw==",
        "data:application/octet-stream;base64,MDEyMzQ1Njc4OTo7PD0-Pw",
        "DATA:text/plain;charset=utf-8,0123456789:;%3C=%3e?", "data:,%30123456789:;%3C=%3E?",
    ])
    func keyInADataURI_isRead(uri: String) async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for (index, name) in stream.segmentNames.enumerated() {
            let vector = [UInt8](repeating: 0, count: 15) + [7]
            try folder.write(name, EncryptionTests.encrypt(stream[index], vector: vector))
        }
        let line = "#EXT-X-KEY:METHOD=AES-128,URI=\"\(uri)\",IV=0x7"
        let reading = try await InputReading(folder.write("index.m3u8", stream.playlist(header: [line])))
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.isEmpty)
    }

    @Test(arguments: ["data:;base64,MDEyMzQ1Njc4OTo7PD0!Pw", "data:text/plain", "data:,%3"])
    func malformedDataURI_isNamed_withoutItsContent(uri: String) async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let line = "#EXT-X-KEY:METHOD=AES-128,URI=\"\(uri)\",IV=0x7"
        let reading = try await InputReading(folder.write("p.m3u8", stream.playlist(header: [line])))
        #expect(reading.failures.count == 5)
        for failure in reading.failures {
            #expect(failure.error.message.hasPrefix("data:…: "))
            #expect(!failure.error.message.contains("MDEy"))
        }
    }

    @Test func initializationSectionInADataURI_isRead() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files where name != "init.mp4" { try folder.write(name, bytes) }
        let digits = Array("0123456789ABCDEF")
        let text = (stream.files["init.mp4"] ?? []).map { "%\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
        let line = "#EXT-X-MAP:URI=\"data:video/mp4,\(text.joined())\""
        let reading = try await InputReading(folder.write("p.m3u8", stream.playlist(header: [line])))
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.isEmpty)
        for reading in reading.readings {
            guard case .read(_, let facts) = reading.outcome else { continue }
            #expect(facts.earliestMediaTime != nil)
        }
    }
}
