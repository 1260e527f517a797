import HTTPTransfer
import TestSupport
import Testing

/// The memory of a collector that receives many batches which are much larger decoded.
@Suite(.timeLimit(.minutes(30))) struct CollectorMemoryTests {
    /// The memory for all batches in progress that SECURITY.md states.
    private static let batchMebibyteCount = 512

    /// Each connection has a thread of its own, which allocates the batches that arrive on it.
    ///
    /// The batches have no header, so nothing but their decoding takes time.
    @Test func batches_onManyConnections_stayWithinTheMemoryForBatches() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let idle = try collector.peakMebibyteCount
        let url = collector.url
        let line = Array("{}\n".utf8) + [UInt8](repeating: 0x20, count: (32 << 20) - 3)
        let path = try folder.write("body", line)
        let packed = try await FinishedProcess.of("/usr/bin/gzip", ["-c", path])
        let body = Array(packed.output)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
                    var request = HTTPRequest(.post(body: body), url: url)
                    request.headers.append("Content-Type", "application/x-ndjson")
                    request.headers.append("Content-Encoding", "gzip")
                    var status = 503
                    while status == 503 { status = try await client.send(request).status }
                    #expect(status == 400)
                }
            }
            try await group.waitForAll()
        }
        let peak = try collector.peakMebibyteCount
        #expect(peak < idle + Self.batchMebibyteCount, "\(peak) MiB")
        await collector.stop()
    }
}
