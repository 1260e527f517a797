import CollectorService
import HTTPTransfer
import HostSystem
import TagDelivery
import TagStore
import TestSupport
import Testing

/// A buffer that is sent to a collector whose database refuses a part of the tags.
///
/// A batch with more than a hundred of them is answered with 413, and the uploader halves it.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)),
    .serialized)
struct LedgerRefusalTests {
    /// The last digits of refused tags, and how many tags there are.
    ///
    /// After ten answers without a delivered tag, one tag is sent every 15 minutes, so more than 900 would expire.
    static let cases: [(refused: String, count: Int)] = [
        ("7", 20_000), ("147", 10_000), ("012345678", 3_000), ("0123456789", 500),
    ]

    @Test(arguments: cases)
    func tags_areDeliveredOrDeadLetters_exactlyOnce(refused: String, count: Int) async throws {
        let cluster = try await PostgresCluster()
        let address = try LedgerAddress(cluster.uri())
        _ = try LedgerSchema(address, unixMilliseconds: SystemClock().unixMilliseconds).create()
        _ = try await cluster.sql("ALTER TABLE dtvr.tags ADD CHECK (owner !~ '[\(refused)]$')")
        let bench = try await DeliveryBench()
        try await bench.append(count)
        let collector = try Collector(settings: CollectorSettings(ledger: address))
        let dead = count / 10 * refused.count
        let outcome = try await bench.uploader(to: collector.url).drain(timeLimit: .seconds(1 << 40))
        #expect(
            outcome
                == DrainOutcome(
                    end: .drained, deliveredCount: count - dead, deadCount: dead, waitingCount: 0))
        let totals = bench.store.totals()
        #expect(totals.isBalanced && totals.inStore == 0 && totals.losses.total == Int64(dead))
        #expect(totals.losses.dead == Int64(dead))
        let letters = try await bench.store.deadLetters(maximumCount: 10_000)
        #expect(letters.allSatisfy { $0.code == "constraint" })
        let stored = try await cluster.sql("SELECT owner FROM dtvr.tags")
        let owners =
            letters.map { String(decoding: $0.tag.body, as: UTF8.self) }
            + stored.split(separator: "\n").map(String.init)
        #expect(owners.sorted() == (0..<count).map { "tag\($0)" }.sorted())
        await bench.store.close()
    }
}
