import HLSInput
import HTTPTransfer
import Synchronization
import TagStore
import TestSupport
import Testing

@testable import StreamMonitor

/// The events of one runner of a channel.
@Suite(.timeLimit(.minutes(30))) struct ChannelRunnerTests {
    /// When its successor starts with the open alerts, a runner may still be about to report a segment.
    @Test(arguments: [false, true])
    func retiredRunner_reportsNothing(isRetired: Bool) async throws {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: folder.path + "/store", settings: StoreSettings())
        let fetcher = try ResourceFetcher(
            client: HTTPClient(settings: HTTPClientSettings(userAgent: "test")), jobs: 1)
        let services = MonitorServices(fetcher: fetcher, buffer: buffer) { _ in }
        let told = Mutex(0)
        let runner = ChannelRunner(
            ChannelSettings(id: "a", url: "http://127.0.0.1:9/"), services: services,
            alerts: AlertStore(path: folder.path + "/alerts.json")
        ) { _ in told.withLock { $0 += 1 } }
        if isRetired { runner.pipeline.retire() }
        runner.pipeline.pause()
        #expect(told.withLock { $0 } == (isRetired ? 0 : 1))
        await buffer.close()
    }
}
