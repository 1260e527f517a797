import TestSupport
import Testing

@testable import CollectorService

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

    /// The maintenance waits for a lock, but for no statement, which may work for minutes.
    @Test(arguments: Place.allCases) func maintenance_hasATimeLimitForLocksOnly(place: Place) async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        for (setting, value) in [("lock_timeout", "0"), ("statement_timeout", "'1min'")] {
            _ = try await cluster.sql("ALTER \(place.rawValue) SET \(setting) = \(value)")
        }
        let schema = try cluster.schema(daysLater: 1)
        // Neither the roles nor the transactions of the work change the limits.
        _ = try schema.create()
        _ = try schema.migrate()
        _ = try schema.prune(keepingDays: 20, all: true)
        for (setting, value) in [("lock_timeout", "10s"), ("statement_timeout", "0")] {
            #expect(
                try schema.connection.run("SELECT current_setting('\(setting)')").values == [[value]],
                "\(setting)")
        }
    }

    /// Returns the error of a call that blocks.
    private static func failure(
        _ call: @escaping @Sendable () throws -> Void
    ) async throws -> LedgerError? {
        try await onOwnThread {
            do {
                try call()
                return nil
            } catch {
                return error as? LedgerError
            }
        }
    }

    /// Another program locks a table of the ledger, and does not end: all wait in parallel.
    @Test func lockOfAnotherProgram_failsTheBatchAndTheMaintenance_untilItIsReleased() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        // Connects before the lock, which a later connection could not tell from a silent server.
        let (ledger, pruning) = (try cluster.ledger(), try cluster.schema(daysLater: 40))
        let migration = try cluster.schema(daysLater: 1)
        let other = try cluster.lockTags()
        async let batch = Self.failure { _ = try ledger.store([TestRecord.tag(1)]) }
        async let pruned = Self.failure {
            _ = try pruning.prune(keepingDays: 20, all: true)
        }
        async let migrated = Self.failure { _ = try migration.migrate() }
        let failures = try await (batch, pruned, migrated)
        #expect(failures.0 == LedgerError.cancelled("canceling statement due to statement timeout"))
        #expect(failures.1 == LedgerError.cancelled("canceling statement due to lock timeout"))
        #expect(failures.2 == LedgerError.cancelled("canceling statement due to lock timeout"))
        // Just below the limit, a lock costs nothing but its time.
        async let late = onOwnThread { try migration.migrate().partitionCount }
        try await wait(for: "the migration to wait") {
            guard try other.run("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted").values == [["t"]]
            else {
                return false
            }
            // At once, on this thread: a task may wait longer than the migration does.
            try other.run("ROLLBACK")
            return true
        }
        #expect(try await late == 6)
        #expect(try ledger.store([TestRecord.tag(1)]).accepted == 1)
    }
}
