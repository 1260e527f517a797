import TestSupport
import Testing

@testable import PostgresLedger

/// Databases that are set up otherwise than a new one: for speed, or in use by other programs.
@Suite(
    .serialized, .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"),
    .timeLimit(.minutes(30)))
struct LedgerEnvironmentTests {
    /// The places where an administrator sets a default of the sessions.
    enum Place: String, CaseIterable, Sendable {
        case database = "DATABASE dtvr"
        case role = "ROLE admin"
    }

    private static func setting(_ name: String, in cluster: PostgresCluster) throws -> String? {
        let connection = try PostgresConnection(LedgerAddress(cluster.uri()))
        return try connection.run("SELECT current_setting('\(name)')").values[0][0]
    }

    /// A receipt means that the batch is durable, although the default of the sessions is faster.
    @Test(arguments: Place.allCases, [("off", "on"), ("on", "on"), ("local", "local")])
    func sessions_withoutSynchronousCommit_waitForTheDisk(
        place: Place, values: (given: String, used: String)
    ) async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        _ = try await cluster.sql("ALTER \(place.rawValue) SET synchronous_commit = \(values.given)")
        #expect(try Self.setting("synchronous_commit", in: cluster) == values.used)
        #expect(try cluster.ledger().store([TestRecord.tag(1)]).accepted == 1)
    }

    /// The server itself ends a statement, also one that waits for a lock.
    @Test func sessions_haveATimeLimitForStatements() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        _ = try await cluster.sql("ALTER DATABASE dtvr SET statement_timeout = 0")
        #expect(try Self.setting("statement_timeout", in: cluster) == "15s")
        #expect(try Self.setting("idle_in_transaction_session_timeout", in: cluster) == "1min")
    }
}
