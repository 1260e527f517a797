import HTTPServing
import HTTPTransfer
import Synchronization
import TestSupport
import Testing

@testable import StreamSynthesis

/// A live origin over HTTP, with a clock that the test advances.
@Suite(.timeLimit(.minutes(30))) struct LiveServerTests {
    private let clock = ManualClock()
    private let client: HTTPClient

    init() throws { client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test/1.0")) }

    private func server(_ script: String = "") throws -> LiveServer {
        try LiveServer(try SyntheticOriginTests.station(script), clock: clock)
    }

    private func get(_ url: String, _ headers: [(String, String)] = []) async throws -> HTTPResponse {
        var request = HTTPRequest(url: url)
        for (name, value) in headers { request.headers.append(name, value) }
        request.timeLimits.lowSpeedSeconds = 600
        return try await client.send(request)
    }

    @Test func playlist_advancesWithTheClock() async throws {
        let server = try server()
        let url = server.urls[0]
        let first = try await get(url)
        #expect(first.status == 200 && first.headers["content-type"] == "application/vnd.apple.mpegurl")
        let playlist = LivePlaylist(String(decoding: first.body, as: UTF8.self))
        #expect(playlist.sequence == 1_000)
        // 38.4 s before the time of the clock.
        #expect(playlist.value("EXT-X-PROGRAM-DATE-TIME") == "2027-01-15T07:59:21.600Z")
        let tag = try #require(first.headers["etag"])
        #expect(try await get(url, [("If-None-Match", tag)]).status == 304)
        clock.advance(by: .milliseconds(6_400))
        let next = try await get(url, [("If-None-Match", tag)])
        #expect(LivePlaylist(String(decoding: next.body, as: UTF8.self)).sequence == 1_001)
        let segment = try await get(url.replacing("index.m3u8", with: "seg1006.ts"))
        #expect(segment.status == 200 && segment.body.count.isMultiple(of: 188))
        clock.advance(by: .seconds(3_600))
        #expect(try await get(url.replacing("index.m3u8", with: "seg1006.ts")).status == 404)
        server.stop()
    }

    @Test func slowDrip_deliversTheCompleteBody_atItsRate() async throws {
        let server = try server("at 0 channel 1: slow-drip 100 playlist")
        let clock = clock
        let begin = clock.sinceBoot
        let answer = Mutex<HTTPResponse?>(nil)
        async let received: Void = {
            let response = try await get(server.urls[0])
            answer.withLock { $0 = response }
        }()
        try await wait(for: "the playlist") {
            clock.advance(by: .milliseconds(500))
            return answer.withLock { $0 != nil }
        }
        try await received
        let response = try #require(answer.withLock { $0 })
        #expect(response.headers["content-length"] == "\(response.body.count)")
        #expect(LivePlaylist(String(decoding: response.body, as: UTF8.self)).names.count == 6)
        #expect(clock.sinceBoot - begin >= .milliseconds(response.body.count * 10))
        server.stop()
    }

    @Test func slowDrip_returnsTheBytesThatAreDue() {
        let drip = SlowDrip(Array(0..<200), bytesPerSecond: 100, clock: clock)
        let next = { drip.nextPiece(waitingAtMost: .milliseconds(1)) }
        #expect(drip.byteCount == 200)
        #expect(next() == [])
        clock.advance(by: .milliseconds(30))
        #expect(next() == [0, 1, 2] && next() == [])
        clock.advance(by: .seconds(1))
        #expect(next() == Array(3..<103))
        clock.advance(by: .seconds(1))
        #expect(next() == Array(103..<200))
        #expect(next() == nil)
    }

    @Test func redirect_isFollowedToThePlaylist() async throws {
        let server = try server("at 0 channel 1: redirect")
        let answer = try await get(server.urls[0])
        #expect(answer.status == 200 && answer.body.starts(with: "#EXTM3U".utf8))
        server.stop()
    }

    @Test func method_otherThanGETOrHEAD_isNotAllowed() async throws {
        let server = try server()
        let answer = try await client.send(HTTPRequest(.post(body: []), url: server.urls[0]))
        #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD")
        server.stop()
    }

    @Test func port_inUse_isAnError() throws {
        let server = try server()
        let port = try #require(UInt16(server.urls[0].split(separator: "/")[1].split(separator: ":")[1]))
        #expect(throws: SynthesisError.notServing(.inUse(address: "127.0.0.1", port: port))) {
            try LiveServer(try SyntheticOriginTests.station(), port: port)
        }
        server.stop()
    }
}
