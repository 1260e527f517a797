import TestSupport
import Testing

@testable import HTTPTransfer

@Suite(.timeLimit(.minutes(30))) struct HangingRequestTests {
    /// Requests beside many that are never answered, and the end of all of them.
    @Test func requestsBesideManyThatHang_areAnswered_andTheirCancellationIsReported() async throws {
        let server = try LoopbackServer { request in
            request.line.contains("/hang") ? [.hang] : [response("200 OK", request.line)]
        }
        defer { server.stop() }
        let client = try testClient()
        let base = server.base
        let hanging = (0..<200).map { index in
            Task {
                var request = HTTPRequest(url: "\(base)/hang\(index)")
                request.owner = TransferOwner(share: 1)
                request.timeLimits.connect = 3_600
                request.timeLimits.lowSpeedSeconds = 3_600
                return await failure(of: request, with: client)?.kind
            }
        }
        try await wait(for: "the requests that hang") { server.requests.count >= hanging.count }
        for index in 0..<20 {
            var request = HTTPRequest(url: "\(base)/\(index)")
            request.owner = TransferOwner(share: 1)
            let answer = try await client.send(request)
            #expect(String(decoding: answer.body, as: UTF8.self) == "GET /\(index) HTTP/1.1")
        }
        for task in hanging.prefix(100) { task.cancel() }
        for task in hanging.prefix(100) { #expect(await task.value == .cancelled) }
        client.close()
        for task in hanging.suffix(100) { #expect(await task.value == .closed) }
    }
}
