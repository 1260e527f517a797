import HTTPTransfer
import HostSystem
import TestSupport
import Testing

@testable import CollectorService

/// The senders of a collector with a ledger: one takes as much as it can, and the others get the rest.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct CollectorLedgerTests {
    private let cluster: PostgresCluster
    private let client: HTTPClient

    init() async throws {
        cluster = try await PostgresCluster()
        client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let address = try LedgerAddress(cluster.uri())
        _ = try LedgerSchema(address, unixMilliseconds: SystemClock().unixMilliseconds).create()
    }

    private func collector(_ change: (inout CollectorSettings) -> Void = { _ in }) throws -> Collector {
        var settings = CollectorSettings(ledger: try LedgerAddress(cluster.uri()))
        settings.tokens = try CollectorTokens(parsing: "abc one\ndef two\n")
        change(&settings)
        return try Collector(settings: settings)
    }

    /// Sends a batch until the collector does not ask for a repetition.
    private func send(
        _ numbers: some Sequence<Int>, to collector: Collector, token: String
    ) async throws -> HTTPResponse {
        while true {
            let answer = try await client.send(
                TestBatch.request(collector, TestBatch.body(numbers), token: token))
            if answer.status != 503 { return answer }
        }
    }

    private func readiness(of collector: Collector) async throws -> Int {
        try await client.send(HTTPRequest(url: collector.url + "readyz")).status
    }

    /// The check of the first sender's tags lasts until a row tells it to end, so its batches keep their connections.
    @Test func sender_withOnlyRefusedTags_delaysNoOtherSender() async throws {
        _ = try await cluster.sql(
            """
            CREATE TABLE public.ended ();
            CREATE FUNCTION public.refuses() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
                PERFORM pg_advisory_xact_lock_shared(1);
                WHILE NOT EXISTS (SELECT FROM public.ended) LOOP PERFORM pg_sleep(0.01); END LOOP;
                RETURN false;
            END $$;
            ALTER TABLE dtvr.tags ADD CHECK (owner !~ '/1...$' OR public.refuses());
            """)
        let collector = try collector()
        for (number, token) in [(1, "abc"), (2, "def")] {
            #expect(try await send([number], to: collector, token: token).status == 200)
        }
        async let refused = withThrowingTaskGroup(of: String.self) { group in
            for first in stride(from: 1_000, to: 1_100, by: 10) {
                group.addTask { try await send(first..<first + 10, to: collector, token: "abc").text }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await wait(for: "batches on all connections of a sender") {
            try await cluster.sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")
                == "\(Ledger.connectionLimit - 1)"
        }
        #expect(
            try await send(3...5, to: collector, token: "def").text
                == #"{"accepted":3,"duplicate":0,"rejected":[]}"#)
        #expect(try await cluster.sql("SELECT count(*) FROM public.ended") == "0")
        _ = try await cluster.sql("INSERT INTO public.ended DEFAULT VALUES")
        for receipt in try await refused {
            #expect(receipt.hasPrefix(#"{"accepted":0,"duplicate":0,"rejected":[{"#), "\(receipt)")
            #expect(receipt.matches(of: /"code":"constraint"/).count == 10)
        }
        #expect(collector.status.accepted == 5 && collector.status.rejected == 100)
    }

    /// The first sender states the size of a body that it does not send.
    @Test func budget_inUse_affectsOnlyItsSender() async throws {
        let collector = try collector {
            $0.memoryByteCount = 16 << 20
            // The body stays incomplete during the whole test, however busy the machine is.
            ($0.idleSeconds, $0.bodySeconds) = (3_600, 3_600)
        }
        let peer = try RawClient(
            collector.port,
            sending: "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer abc\r\n"
                + "Content-Type: application/x-ndjson\r\nContent-Length: \(7 << 19)\r\n\r\n")
        try await wait(for: "the head") { collector.batchCount == 1 }
        #expect(collector.memoryUsage.current == 7 << 19)
        let request = TestBatch.request(collector, TestBatch.body(1...2), token: "abc")
        let refused = try await client.send(request)
        #expect(refused.status == 503 && refused.text.contains(#""code":"busy""#), "\(refused.text)")
        #expect(refused.headers["Retry-After"] == "5")
        #expect(try await readiness(of: collector) == 200)
        let other = TestBatch.request(collector, TestBatch.body(3...4), token: "def")
        #expect(try await client.send(other).status == 200)
        // An answered request ends soon.
        try await wait(for: "the end of the other request") { collector.batchCount == 1 }
        _ = try await peer.finish()
        try await wait(for: "the end of the request") { collector.batchCount == 0 }
        #expect(try await client.send(request).status == 200)
    }
}
