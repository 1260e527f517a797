import TestSupport
import Testing

@testable import CollectorService

/// The limits of a sender whose records the database refuses, and of one with many batches.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerLimitTests {
    /// Creates a ledger that refuses the tags with the sequence 100.
    private func cluster() async throws -> PostgresCluster {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        _ = try await cluster.sql("ALTER TABLE dtvr.tags ADD CHECK (sequence < 100)")
        return cluster
    }

    private func bad(_ number: Int) -> String { TestRecord.tag(number, #","sequence":100"#) }

    @Test func batch_withMoreThanAHundredRefusedRows_failsAsAWhole() async throws {
        let cluster = try await cluster()
        let ledger = try cluster.ledger()
        let good = (1...20).map { TestRecord.tag($0) }
        let receipt = try ledger.store(good + (1_000..<1_100).map(bad))
        #expect(receipt.accepted == 20 && receipt.refused.count == 100)
        let others = (21...40).map { TestRecord.tag($0) }
        #expect(throws: LedgerError.manyRefused) { try ledger.store(others + (1_000..<1_101).map(bad)) }
        // The next batches of all senders and the checks are not affected.
        _ = try ledger.check()
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "20")
        #expect(try ledger.store(others) == LedgerReceipt(accepted: 20))
    }

    /// The sender repeats half of a batch that fails, as for a batch that is too large.
    @Test func sender_withOnlyRefusedRows_endsWithAReceiptForEach() async throws {
        let cluster = try await cluster()
        let ledger = try cluster.ledger()
        var rest = Array(0..<1_000)
        var count = rest.count
        var refused: [UInt128] = []
        var failureCount = 0
        while !rest.isEmpty {
            do throws(LedgerError) {
                refused += try ledger.store(rest.prefix(count).map(bad)).refused.map(\.id)
                rest.removeFirst(min(count, rest.count))
            } catch {
                #expect(error == .manyRefused)
                count /= 2
                failureCount += 1
            }
        }
        #expect(refused == (0..<1_000).map { UInt128($0) } && failureCount == 4)
    }

    @Test func search_thatTakesTooLong_fails_unlessTheRowIsAlone() async throws {
        let cluster = try await cluster()
        let ledger = try cluster.ledger(searchLimit: .zero)
        #expect(throws: LedgerError.manyRefused) { try ledger.store([TestRecord.tag(1), bad(2)]) }
        #expect(try ledger.store([bad(2)]).refused.map(\.id) == [2])
        #expect(try ledger.store([TestRecord.tag(1)]).accepted == 1)
    }

    /// Twenty batches of a sender wait for a lock; all connections but one are theirs.
    @Test func sender_withManyBatches_leavesAConnectionForOthers() async throws {
        let cluster = try await cluster()
        let ledger = try cluster.ledger(
            answerLimit: PostgresCluster.lockTime, connectionLimit: PostgresCluster.lockTime,
            statementLimit: PostgresCluster.lockTime,
            connectSeconds: 1_200)
        // The first batch of a sender adds its name, and the others would wait for that.
        #expect(try ledger.store([TestRecord.tag(0)], sender: "many").accepted == 1)
        _ = try await cluster.sql("CREATE TABLE public.ended ()")
        async let locked = cluster.sql(
            """
            BEGIN; LOCK TABLE dtvr.tags IN EXCLUSIVE MODE;
            DO $$ BEGIN
                WHILE NOT EXISTS (SELECT FROM public.ended) LOOP PERFORM pg_sleep(0.01); END LOOP;
            END $$
            """)
        try await wait(for: "the lock") {
            try await cluster.sql(
                "SELECT granted FROM pg_locks WHERE mode = 'ExclusiveLock' AND relation = 'dtvr.tags'::regclass"
            ) == "t"
        }
        async let stored = withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...20 {
                group.addTask {
                    try await onOwnThread {
                        try ledger.store([TestRecord.tag(number)], sender: "many").accepted
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        try await wait(for: "the blocked batches") {
            try await cluster.sql(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'dtvr.tags'::regclass")
                == "\(Ledger.connectionLimit - 1)"
        }
        _ = try ledger.check()
        let session = #"{"id":"\#(TestRecord.id(900))","kind":"session","received":"2026-11-20T12:00:00Z"}"#
        #expect(try ledger.store([session], sender: "few").accepted == 1)
        _ = try await cluster.sql("INSERT INTO public.ended DEFAULT VALUES")
        _ = try await locked
        #expect(try await stored == 20)
    }

    /// All connections wait for a lock: a batch gets none in time, and neither does a check.
    @Test func batch_thatWaitsTooLongForAConnection_isBusy() async throws {
        let cluster = try await cluster()
        #expect(Ledger.Limits().connection == .seconds(10))
        let ledger = try cluster.ledger(
            answerLimit: PostgresCluster.lockTime, connectionLimit: .seconds(5),
            statementLimit: PostgresCluster.lockTime,
            connectSeconds: 1_200)
        // Each has one connection, so that all are granted in whatever order they are asked for. The limit leaves the
        // time for that.
        let senders = (1...Ledger.connectionLimit).map { "sender \($0)" }
        for sender in senders { _ = try ledger.store([TestRecord.tag(0)], sender: sender) }
        let other = try cluster.lockTags()
        async let stored = withThrowingTaskGroup(of: Int.self) { group in
            for (number, sender) in zip(1..., senders) {
                group.addTask {
                    try await onOwnThread {
                        try ledger.store([TestRecord.tag(number)], sender: sender).accepted
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        try await wait(for: "the blocked batches") {
            try await cluster.sql("SELECT count(*) FROM pg_locks WHERE NOT granted")
                == "\(Ledger.connectionLimit)"
        }
        #expect(throws: LedgerError.busy) { try ledger.store([TestRecord.tag(90)], sender: "another") }
        #expect(throws: LedgerError.busy) { try ledger.check() }
        try other.run("ROLLBACK")
        #expect(try await stored == Ledger.connectionLimit)
    }
}
