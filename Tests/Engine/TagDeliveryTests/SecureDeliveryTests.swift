import CollectorService
import Foundation
import HTTPTransfer
import TagDelivery
import TagStore
import TestSupport
import Testing

/// Delivery over TLS, with certificates that openssl generates for the test.
@Suite(
    .timeLimit(.minutes(30)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed")
)
struct SecureDeliveryTests {
    private static let openssl = "/usr/bin/openssl"

    private func makeCertificate(_ bench: DeliveryBench, name: String, address: String) async throws {
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=dtvr test", "-addext", "subjectAltName=IP:\(address)",
            "-keyout", bench.folder.path + "/\(name).key", "-out", bench.folder.path + "/\(name).pem",
        ]
        #expect(try await FinishedProcess.of(Self.openssl, arguments).status == 0)
    }

    private func client(_ bench: DeliveryBench, trusting name: String?) throws -> HTTPClient {
        var settings = HTTPClientSettings(userAgent: "dtvr/0.0-test")
        settings.authoritiesFile = name.map { bench.folder.path + "/\($0).pem" }
        return try HTTPClient(settings: settings)
    }

    private func collector(_ bench: DeliveryBench, _ name: String) throws -> Collector {
        try bench.collector("") {
            $0.certificateFile = bench.folder.path + "/\(name).pem"
            $0.privateKeyFile = bench.folder.path + "/\(name).key"
        }
    }

    @Test func certificate_trusted_delivers() async throws {
        let bench = try await DeliveryBench()
        try await makeCertificate(bench, name: "good", address: "127.0.0.1")
        try await bench.append(1_200)
        let collector = try collector(bench, "good")
        #expect(collector.url.hasPrefix("https://"))
        let uploader = bench.uploader(to: collector.url, client: try client(bench, trusting: "good"))
        #expect(try await uploader.drain().end == .drained)
        #expect(collector.status.accepted == 1_200 && bench.store.totals().delivered == 1_200)
        await bench.store.close()
    }

    /// Only an authenticated collector may confirm the clock.
    ///
    /// Without TLS, an intermediary could send any date.
    @Test(arguments: [true, false])
    func collectorDate_isTrustedOnlyOverTLS(isSecure: Bool) async throws {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let clock = ManualClock(unixMilliseconds: now, isSynchronized: false, jumps: true)
        let bench = try await DeliveryBench(clock: clock)
        try await makeCertificate(bench, name: "good", address: "127.0.0.1")
        try await bench.append(5)
        let collector = isSecure ? try collector(bench, "good") : try bench.collector("")
        #expect(try await !bench.store.status().isClockTrusted)
        // On a busy machine, minutes may have passed on the collector's clock.
        clock.setWallClock(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let uploader = bench.uploader(to: collector.url, client: try client(bench, trusting: "good"))
        #expect(try await uploader.drain().end == .drained)
        #expect(try await bench.store.status().isClockTrusted == isSecure)
        // The wall clock determines the age of tags from before the reboot only if it was trusted then.
        try await bench.append(3)
        clock.reboot(bootID: "boot-2")
        clock.setWallClock(unixMilliseconds: now + 11 * 86_400_000)
        await bench.store.close()
        let store = try await TagBuffer.open(directory: bench.folder.path + "/store", clock: clock)
        await store.confirmClock(serverTime: clock.unixMilliseconds)
        try await store.expire()
        #expect(store.losses().expired == (isSecure ? 3 : 0))
        await store.close()
    }

    /// Unknown to the system, from another issuer, or for another address: each certificate causes a hold, and nothing
    /// is sent.
    @Test func certificate_untrusted_holds() async throws {
        let bench = try await DeliveryBench()
        try await makeCertificate(bench, name: "good", address: "127.0.0.1")
        try await makeCertificate(bench, name: "elsewhere", address: "192.0.2.1")
        try await bench.append(5)
        for (served, trusted) in [("good", nil), ("good", "elsewhere"), ("elsewhere", "elsewhere")]
            as [(String, String?)]
        {
            let collector = try collector(bench, served)
            let uploader = bench.uploader(to: collector.url, client: try client(bench, trusting: trusted))
            guard case .gaveUp(let reason) = try await uploader.drain(timeLimit: .zero).end else {
                Issue.record("\(served) was trusted by \(trusted ?? "the system")")
                continue
            }
            #expect(reason.contains("TLS"))
            guard case .holding = uploader.progress.activity else {
                Issue.record("\(uploader.progress.activity)")
                continue
            }
            #expect(collector.status.accepted == 0 && bench.store.totals().inStore == 5)
            collector.stop()
        }
        await bench.store.close()
    }
}
