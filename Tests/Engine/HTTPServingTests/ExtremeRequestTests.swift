import HTTPServing
import HTTPTransfer
import TestSupport
import Testing

/// Extreme numbers in requests: the server answers or closes the connection, and continues to work.
@Suite(.timeLimit(.minutes(30))) struct ExtremeRequestTests {
    private static let requests = [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %\r\n\r\nbody",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: %\r\n\r\nbody",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n%\r\nbody\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /?after=% HTTP/1.1\r\nHost: a\r\nRange: bytes=%-%\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a:%\r\nKeep-Alive: timeout=%, max=%\r\nExpect: %\r\n\r\n",
        "GET / HTTP/%\r\nHost: a\r\n\r\n",
    ]

    private final class Site: RequestHandler {
        private var body: BoundedBody

        init(_ request: HTTPServerRequest) {
            body = BoundedBody(maximumByteCount: 1_000, expecting: request.contentLength)
        }

        func receive(_ bytes: Span<UInt8>) -> RequestStep {
            body.append(bytes)
            return body.state == .endless ? .drop : .proceed
        }

        func finish() -> RequestStep {
            .answer(HTTPServerAnswer(status: body.state == .complete ? 200 : 413, body: body.bytes))
        }
    }

    @Test func request_withAnExtremeNumber_isAnsweredOrClosed() async throws {
        let server = try HTTPServer(HTTPServerSettings()) { Site($0) }
        for request in Self.requests {
            for number in ExtremeNumbers.texts {
                let client = try RawClient(server.port, sending: request.replacing("%", with: number))
                let answer = try await client.finish()
                #expect(
                    answer.isEmpty || answer.starts(with: Array("HTTP/1.1 ".utf8)), "\(request) \(number)")
            }
        }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        let answer = try await client.send(HTTPRequest(url: "http://127.0.0.1:\(server.port)/"))
        #expect(answer.status == 200)
        server.stopListening(waitingAtMost: .zero)
    }
}
