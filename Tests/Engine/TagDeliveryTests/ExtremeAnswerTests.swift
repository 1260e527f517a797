import Foundation
import HTTPServing
import HTTPTransfer
import HostSystem
import Synchronization
import TagStore
import TestSupport
import Testing

@testable import TagDelivery

/// Extreme numbers in a collector's answers, passed through the sink and the schedule.
@Suite(.timeLimit(.minutes(30))) struct ExtremeAnswerTests {
    /// Bodies and header fields with `%` in place of a number.
    private static let answers: [(status: String, field: String, body: String)] = [
        ("200 OK", "X: 0", #"{"accepted":%}"#), ("200 OK", "X: 0", #"{"accepted":3,"duplicate":%}"#),
        ("200 OK", "X: 0", #"{"accepted":%,"duplicate":%,"rejected":[]}"#),
        ("200 OK", "Content-Length: %", #"{"accepted":3}"#), ("200 OK", "Age: %", #"{"accepted":3}"#),
        ("503 Busy", "Retry-After: %", ""), ("403 No", "Retry-After: Sun, 06 Nov % 08:49:37 GMT", ""),
        ("429 Later", "Date: Sun, 06 Nov % 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT", ""),
        ("% OK", "X: 0", #"{"accepted":3}"#),
    ]

    @Test func answer_withExtremeNumbers_losesNoTagsAndWaitsAtMostAnHour() async throws {
        let bench = try await DeliveryBench()
        let next = Mutex(("", "", ""))
        let server = try LoopbackServer { _ in
            let (status, field, body) = next.withLock { $0 }
            let head = ["HTTP/1.1 \(status)", field, "Content-Length: \(body.utf8.count)", "", ""]
            return [.send(head.joined(separator: "\r\n") + body), .close]
        }
        defer { server.stop() }
        try await bench.append(3)
        let batch = try await bench.batch()
        let sink = HTTPTagSink(
            url: server.base, client: bench.client, timeLimits: .init(), clock: bench.clock)
        var random = SystemRandomNumberGenerator()
        for (status, field, body) in Self.answers {
            for number in ExtremeNumbers.texts {
                let texts = [status, field, body].map { $0.replacing("%", with: number) }
                next.withLock { $0 = (texts[0], texts[1], texts[2]) }
                let outcome = await sink.deliver(batch)
                #expect(outcome.serverTime == nil, "not over TLS")
                var schedule = DeliverySchedule()
                let action = schedule.learn(
                    from: outcome.answer, count: 3, byteCount: batch.body.count, now: bench.clock.reading,
                    using: &random)
                #expect(schedule.remainingWait(now: bench.clock.reading) <= .seconds(3_600), "\(texts)")
                // A receipt must account for exactly three tags.
                if action == .forget(rejected: []) {
                    #expect(texts.contains { $0.contains(":3") || $0 == #"{"accepted":3,"duplicate":0}"# })
                }
            }
        }
        await bench.store.close()
    }

    /// A year beyond 9999 is not a valid date; the milliseconds of such a year may not fit in 64 bits.
    @Test(.enabled(if: TLSServer.isAvailable, "openssl is not installed"))
    func collectorDate_withExtremeYear_isValidOrIgnored() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(3)
        let batch = try await bench.batch()
        let name = bench.folder.path + "/server"
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=dtvr test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", name + ".key",
            "-out", name + ".pem",
        ]
        #expect(try await FinishedProcess.of("/usr/bin/openssl", arguments).status == 0)
        let date = Mutex("")
        var settings = HTTPServerSettings()
        settings.identity = .init(
            certificate: Array(try Data(contentsOf: URL(fileURLWithPath: name + ".pem"))),
            privateKey: Array(try Data(contentsOf: URL(fileURLWithPath: name + ".key"))))
        let server = try HTTPServer(settings) { _ in Receipt(date: date.withLock { $0 }) }
        var trusting = HTTPClientSettings(userAgent: "dtvr/0.0-test")
        trusting.authoritiesFile = name + ".pem"
        let sink = HTTPTagSink(
            url: "https://127.0.0.1:\(server.port)", client: try HTTPClient(settings: trusting),
            timeLimits: .init(), clock: bench.clock)
        for number in ["1994", "9999", "10000"] + ExtremeNumbers.texts {
            date.withLock { $0 = "Sun, 06 Nov \(number) 08:49:37 GMT" }
            let outcome = await sink.deliver(batch)
            #expect(outcome.answer == .received(rejected: []), "\(number)")
            if number == "1994" { #expect(outcome.serverTime == 784_111_777_000) }
            let time = outcome.serverTime ?? 0
            #expect((0...253_402_300_799_999).contains(time), "\(number): \(time)")
            await bench.store.confirmClock(serverTime: time)
        }
        server.stopListening(waitingAtMost: .zero)
        await bench.store.close()
    }

    /// A handler that acknowledges three tags with the given date.
    private final class Receipt: RequestHandler {
        let date: String
        init(date: String) { self.date = date }

        func receive(_ bytes: Span<UInt8>) -> RequestStep { .proceed }

        func finish() -> RequestStep {
            .answer(
                HTTPServerAnswer(
                    status: 200, fields: [.init(name: "Date", value: date)],
                    body: Array(#"{"accepted":3}"#.utf8)))
        }
    }
}
