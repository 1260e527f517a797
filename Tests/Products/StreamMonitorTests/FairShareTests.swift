import Foundation
import HLSInput
import HTTPTransfer
import StreamHealth
import Synchronization
import TagStore
import TestSupport
import Testing

@testable import StreamMonitor

/// Channels with silent servers or many renditions, beside one that works.
@Suite(.timeLimit(.minutes(30))) struct FairShareTests {
    /// Returns a multivariant playlist of many renditions.
    private static func multivariant(_ count: Int) -> String {
        "#EXTM3U\n"
            + (0..<count).map { "#EXT-X-STREAM-INF:BANDWIDTH=\(1_000 + $0)\nr\($0).m3u8\n" }.joined()
    }

    private static func answer(_ body: [UInt8]) -> [LoopbackServer.Step] {
        [.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"), .sendBytes(body)]
    }

    /// The number of tags from a channel with the demo's content, and the limits that each channel exceeded.
    private struct Outcome {
        var healthyTagCount = 0
        var exceeded: [String: Set<String>] = [:]
    }

    /// Follows channels of one server until the healthy one has ended and `isDone` returns true.
    private func follow(
        silent count: Int, renditions: Int, policy: HealthPolicy = HealthPolicy(),
        until isDone: @escaping @Sendable (Outcome) -> Bool
    ) async throws -> Outcome {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { request in
            let path = request.target.split(separator: "/").map(String.init)
            if path.first == "healthy" {
                let file = path.dropFirst().joined(separator: "/")
                guard let data = FileManager.default.contents(atPath: "\(Project.demo)/\(file)") else {
                    return [.send("HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n")]
                }
                return Self.answer(Array(data))
            }
            return path.last == "index.m3u8"
                ? Self.answer(Array(Self.multivariant(renditions).utf8)) : [.hang]
        }
        defer { server.stop() }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        defer { client.close() }
        let fetcher = try ResourceFetcher(client: client, jobs: 2)
        let buffer = try await TagBuffer.open(directory: folder.path + "/store", settings: StoreSettings())
        let outcome = Mutex(Outcome())
        let monitor = LiveMonitor(
            MonitorServices(fetcher: fetcher, buffer: buffer) { _ in },
            alerts: AlertPipeline(AlertStore(path: folder.path + "/alerts.json"))
        ) { event in
            outcome.withLock { outcome in
                switch (event.channel, event.kind) {
                case ("healthy"?, .tag): outcome.healthyTagCount += 1
                case (let channel?, .finding(.channelOverLimit, let finding)):
                    outcome.exceeded[channel, default: []].insert(finding.detail)
                default: break
                }
            }
        }
        var silent = (0..<count).map { index in
            ChannelSettings(id: "silent\(index)", url: "\(server.base)/silent\(index)/index.m3u8")
        }
        for index in silent.indices {
            silent[index].policy = policy
            silent[index].rendition = .chosen(.all)
        }
        // The silent channels have requests in progress before the healthy one sends its first.
        monitor.follow(silent)
        let running = Task { await monitor.run() }
        try await wait(for: "silent requests") { server.requests.count >= 2 * count }
        let healthy = ChannelSettings(id: "healthy", url: "\(server.base)/healthy/audio/index.m3u8")
        monitor.follow(silent + [healthy])
        try await wait(for: "the end of the healthy channel") {
            monitor.snapshots.contains { $0.id == "healthy" && $0.state == .ended }
                && isDone(outcome.withLock { $0 })
        }
        running.cancel()
        await running.value
        await buffer.close()
        return outcome.withLock { $0 }
    }

    /// Together the silent channels have more requests in progress than are allowed for one host.
    @Test(.timeLimit(.minutes(30)), arguments: [(2, 40), (12, 8)])
    func channelsOfUnresponsiveServers_delayNoOtherChannelOfTheHost(count: Int, share: Int) async throws {
        var policy = HealthPolicy()
        policy[.channelRenditions] = 100
        policy[.channelTransfers] = Double(share)
        let outcome = try await follow(silent: count, renditions: 100, policy: policy) { outcome in
            (0..<count).allSatisfy { outcome.exceeded["silent\($0)"] != nil }
        }
        #expect(outcome.healthyTagCount > 0)
        #expect(outcome.exceeded["healthy"] == nil)
        for (channel, details) in outcome.exceeded {
            #expect(
                details.contains(
                    "it has more than \(share) requests at a time, and many are waiting: its servers are slow"
                ),
                "\(channel): \(details)")
        }
    }

    /// An explicit limit also applies to the only channel of a monitor.
    @Test(.timeLimit(.minutes(30)), arguments: [1, 3])
    func renditionsBeyondTheLimit_areReported_andNotFollowed(limit: Int) async throws {
        var policy = HealthPolicy()
        policy[.channelRenditions] = Double(limit)
        let outcome = try await follow(silent: 1, renditions: 10, policy: policy) {
            $0.exceeded["silent0"] != nil
        }
        #expect(
            outcome.exceeded == [
                "silent0": ["it has more than \(limit) renditions: the rest are not followed"]
            ])
    }

    /// Each playlist takes 4 s of processor time in the second run, so its loads start 16 s apart.
    @Test func playlist_thatTakesMuchProcessorTime_isLoadedLessOften() async throws {
        var counts: [Int] = []
        for step in [Duration.zero, .seconds(2)] {
            let station = try MonitoredStation(channels: 1)
            station.clock.advanceWithEachReading(processorTime: step)
            _ = try await station.monitor(station.channels(1...1), for: 160)
            counts.append(station.targets.count { $0.hasSuffix(".m3u8") })
        }
        #expect(counts[0] >= 25 && (10...12).contains(counts[1]), "\(counts) loads")
    }
}
