import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CollectorService

/// Faults of the database: each causes an error with its cause, and no record is lost or stored twice.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerFaultTests {
    private func cause(_ body: () throws -> Void) -> LedgerError.Cause? {
        do {
            try body()
            return nil
        } catch {
            return (error as? LedgerError)?.cause
        }
    }

    @Test func database_afterAnOutage_isUsedAgain() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let clock = ManualClock(unixMilliseconds: 1_795_176_000_000)
        let ledger = try cluster.ledger(clock: clock)
        #expect(try ledger.store([TestRecord.tag(1)]).accepted == 1)
        // A restart closes the idle connection unnoticed.
        await cluster.stop()
        try await cluster.start()
        #expect(
            try ledger.store([TestRecord.tag(1), TestRecord.tag(2)])
                == LedgerReceipt(accepted: 1, duplicate: 1))
        await cluster.stop()
        #expect(cause { _ = try ledger.store([TestRecord.tag(3)]) } == .unreachable)
        #expect(cause { _ = try ledger.check() } == .unreachable)
        try await cluster.start()
        // For a second, every call fails with the same error; then the next call connects.
        #expect(cause { _ = try ledger.store([TestRecord.tag(3)]) } == .unreachable)
        clock.advance(by: .seconds(1))
        _ = try ledger.check()
        #expect(try ledger.store([TestRecord.tag(3)]).accepted == 1)
        #expect(try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags") == "3|3")
    }

    @Test func login_thatIsRefused_isNotMistakenForAnOutage_andNeverShowsThePassword() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        try await cluster.makeUser("secret", in: "dtvr_insert")
        let folder = try TemporaryFolder()
        for (password, cause) in [("wr0ng", LedgerError.Cause.authentication), ("right", nil)] {
            let file = try folder.write("passwords", "*:*:*:secret:\(password)\n".utf8)
            #expect(unsafe chmod(file, 0o600) == 0)
            let address = try LedgerAddress(cluster.uri(user: "secret") + "&passfile=\(file)")
            do throws(LedgerError) {
                _ = try Ledger(address).store([TestRecord.tag(1)])
                #expect(cause == nil)
            } catch {
                #expect(error.cause == cause && !"\(error)".contains(password), "\(error)")
            }
        }
    }

    @Test func schemaOrPrivilege_thatIsMissing_hasItsOwnCause() async throws {
        let cluster = try await PostgresCluster()
        let ledger = try cluster.ledger()
        #expect(cause { _ = try ledger.store([TestRecord.tag(1)]) } == .schema)
        #expect(cause { _ = try ledger.check() } == .schema)
        try cluster.createSchema()
        #expect(try ledger.store([TestRecord.tag(1)]).accepted == 1)
        try await cluster.makeUser("reader", in: "dtvr_read")
        #expect(cause { _ = try cluster.ledger(user: "reader").store([TestRecord.tag(2)]) } == .permission)
        #expect(cause { _ = try cluster.ledger(user: "reader").check() } == .permission)
        try await cluster.makeUser("frozen", in: "dtvr_insert")
        _ = try await cluster.sql("ALTER ROLE frozen SET default_transaction_read_only = on")
        #expect(cause { _ = try cluster.ledger(user: "frozen").check() } == .readOnly)
        _ = try await cluster.sql("DROP SCHEMA dtvr CASCADE")
        #expect(cause { _ = try ledger.store([TestRecord.tag(2)]) } == .schema)
    }

    /// Returns SQL that locks a table until a batch waits for it, and calls a function on the batch's connection.
    private static func interruption(_ function: String) -> String {
        """
        BEGIN; LOCK TABLE dtvr.receipts IN EXCLUSIVE MODE;
        DO $$ BEGIN
            WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'dtvr.receipts'::regclass) LOOP
                PERFORM pg_sleep(0.01);
            END LOOP;
            PERFORM \(function)(pid) FROM pg_locks WHERE NOT granted AND relation = 'dtvr.receipts'::regclass;
        END $$
        """
    }

    @Test func statement_thatIsCancelled_storesNothing() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let clock = ManualClock()
        let ledger = try cluster.ledger(clock: clock)
        async let locked = cluster.sql(Self.interruption("pg_cancel_backend"))
        // Batches may be faster than the lock; one of them is blocked by it.
        let (count, found) = try await onOwnThread {
            var count = 0
            while true {
                do throws(LedgerError) {
                    _ = try ledger.store([TestRecord.tag(count + 1)])
                } catch {
                    return (count, error.cause)
                }
                count += 1
            }
        }
        _ = try await locked
        #expect(found == .cancelled)
        // A check does not show whether a statement would be cancelled again.
        clock.advance(by: .seconds(29))
        #expect(cause { _ = try ledger.check() } == .cancelled)
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "\(count)")
        #expect(try ledger.store([TestRecord.tag(count + 1)]).accepted == 1)
        _ = try ledger.check()
    }

    /// A paused server acknowledges all bytes, accepts connections, and answers nothing.
    @Test(arguments: [1, 200])
    func server_thatDoesNotAnswer_failsEveryCall_untilItDoes(recordCount: Int) async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let clock = ManualClock(unixMilliseconds: 1_795_176_000_000)
        let ledger = try cluster.ledger(clock: clock, answerLimit: .milliseconds(200))
        let long = String(repeating: "x", count: 100_000)
        let lines = (1...recordCount).map { TestRecord.tag($0, #","x":"\#(long)""#) }
        #expect(try ledger.store([TestRecord.tag(0)]).accepted == 1)
        try cluster.pause()
        // The first call has a connection; the next ones fail with its error, and the last ones cannot connect.
        #expect(throws: LedgerError.noAnswer) { try ledger.store(lines) }
        #expect(throws: LedgerError.noAnswer) { try ledger.store(lines) }
        #expect(throws: LedgerError.noAnswer) { try ledger.check() }
        #expect(LedgerError.noAnswer.cause == .unreachable)
        clock.advance(by: .seconds(1))
        #expect(cause { _ = try ledger.store(lines) } == .unreachable)
        clock.advance(by: .seconds(1))
        #expect(cause { _ = try ledger.check() } == .unreachable)
        try cluster.resume()
        clock.advance(by: .seconds(1))
        let patient = try cluster.ledger()
        #expect(try patient.store(lines).refused == [])
        _ = try patient.check()
        let count = recordCount + 1
        #expect(
            try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags") == "\(count)|\(count)"
        )
    }

    /// The server's own limit is longer than the test.
    @Test func statement_thatTakesTooLong_isCancelled() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        // More than a statement without a lock takes on a busy machine.
        let ledger = try cluster.ledger(answerLimit: .seconds(3), statementLimit: PostgresCluster.lockTime)
        #expect(try ledger.store([TestRecord.tag(0)]).accepted == 1)
        let other = try cluster.lockTags()
        #expect(throws: LedgerError.noAnswer) { try ledger.store([TestRecord.tag(1)]) }
        // The first request is not sent if that of another test still waits for its server.
        try await wait(for: "the cancellation in the log") {
            if try cluster.log().contains("canceling statement due to user request") { return true }
            _ = cause { _ = try ledger.store([TestRecord.tag(1)]) }
            return false
        }
        try other.run("ROLLBACK")
    }

    @Test func interruption_endsCallsInProgress_andLaterOnes() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        // The batches end by the interruption only.
        let ledger = try cluster.ledger(
            answerLimit: PostgresCluster.lockTime, connectionLimit: PostgresCluster.lockTime,
            statementLimit: PostgresCluster.lockTime, connectSeconds: 1_200)
        #expect(try ledger.store([TestRecord.tag(0)]).accepted == 1)
        let other = try cluster.lockTags()
        // More calls than connections, so that some wait for one.
        async let found = withThrowingTaskGroup(of: LedgerError.Cause?.self) { group in
            for call in 1...Ledger.connectionLimit + 2 {
                group.addTask {
                    try await onOwnThread {
                        cause { _ = try ledger.store([TestRecord.tag(call)], sender: "\(call)") }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await wait(for: "a blocked batch") {
            try await cluster.sql("SELECT count(*) > 3 FROM pg_locks WHERE NOT granted") == "t"
        }
        ledger.interrupt()
        let causes = try await found
        #expect(causes.count == Ledger.connectionLimit + 2)
        #expect(causes.allSatisfy { $0 == .cancelled })
        #expect(cause { _ = try ledger.check() } == .cancelled)
        try other.run("ROLLBACK")
    }

    /// An idle connection may have been closed long ago, so a batch that loses one is stored through another.
    @Test func connection_thatIsClosed_isReplaced_withoutAnError() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let ledger = try cluster.ledger()
        #expect(try ledger.store([TestRecord.tag(0)]).accepted == 1)
        let isOver = Mutex(false)
        async let count = onOwnThread {
            var count = 1
            while !isOver.withLock({ $0 }) {
                guard try ledger.store([TestRecord.tag(count)]).accepted == 1 else { return -1 }
                count += 1
            }
            return count
        }
        _ = try await cluster.sql(Self.interruption("pg_terminate_backend"))
        isOver.withLock { $0 = true }
        let stored = try await count
        #expect(stored > 1)
        #expect(
            try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags")
                == "\(stored)|\(stored)")
    }

    @Test(.enabled(if: SmallDisk.isAllowed, "mounting is not permitted"))
    func disk_thatIsFull_refusesBatches_untilThereIsSpace() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/small"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard let disk = SmallDisk(at: path, byteCount: 4 << 20) else {
            Issue.record("no small disk")
            return
        }
        if let owner = PostgresCluster.owner { #expect(unsafe chown(path, owner.id, owner.group) == 0) }
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        _ = try await cluster.sql("CREATE TABLESPACE small LOCATION '\(path)'")
        _ = try await cluster.sql("ALTER TABLE dtvr.tags_20261120 SET TABLESPACE small")
        let ledger = try cluster.ledger()
        disk.fill(leaving: 0)
        let lines = (1...200).map { TestRecord.tag($0) }
        #expect(cause { _ = try ledger.store(lines) } == .diskFull)
        #expect(cause { _ = try ledger.check() } == .diskFull)
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "0")
        disk.release()
        #expect(try ledger.store(lines).accepted == 200)
        _ = try ledger.check()
        await cluster.stop()
    }
}
