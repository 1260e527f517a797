import TestSupport
import Testing

@testable import CollectorService

/// New records are copied straight into their tables, and a batch with a record that the ledger has is staged.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct DirectCopyTests {
    /// Returns the number of direct copies that failed because of a duplicate, from the log of the server.
    private static func violationCount(_ cluster: PostgresCluster) throws -> Int {
        try cluster.log().split(separator: "\n").count { $0.contains("ERROR:  duplicate key value") }
    }

    /// The names of the staging tables of all connections.
    private static let stagingTables =
        "SELECT relname FROM pg_class WHERE relname LIKE 'dtvr_staged_%' ORDER BY 1"

    @Test func batch_ofNewRecords_isNotStaged() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        try await cluster.makeUser("collector", in: "dtvr_insert")
        let ledger = try cluster.ledger(user: "collector")
        let session = #"{"id":"\#(TestRecord.id(900))","kind":"session","received":"2026-11-21T00:00:00Z"}"#
        for batch in 0..<20 {
            // Several days, one without a partition, undated tags, and two tables.
            let lines = (0..<40).reversed().map { number in
                let number = 40 * batch + number
                return switch number % 4 {
                case 0: #"{"id":"\#(TestRecord.id(number))","kind":"data"}"#
                case 1: #"{"id":"\#(TestRecord.id(number))","kind":"data","first":1000}"#
                default: TestRecord.tag(number, number.isMultiple(of: 3) ? #","first":1795262400"# : "")
                }
            }
            let more = batch == 7 ? [session] : []
            #expect(try ledger.store(lines + more) == LedgerReceipt(accepted: 40 + more.count))
        }
        #expect(try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags") == "800|800")
        #expect(try await cluster.sql("SELECT day FROM dtvr.sessions") == "2026-11-21")
        #expect(
            try await cluster.sql(
                """
                SELECT count(*), count(*) FILTER (WHERE sender = 1 AND received <= now()) FROM dtvr.receipts
                JOIN (SELECT id, day FROM dtvr.tags UNION ALL SELECT id, day FROM dtvr.sessions) r USING (id, day)
                """) == "801|801")
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.receipts") == "801")
        #expect(try await cluster.sql(Self.stagingTables) == "")
        #expect(try Self.violationCount(cluster) == 0)
    }

    @Test(arguments: [1, 50])
    func batch_withAnExistingRecord_isStaged(repeated: Int) async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let ledger = try cluster.ledger()
        let lines = (1...50).map { TestRecord.tag($0) }
        #expect(try ledger.store(lines) == LedgerReceipt(accepted: 50))
        let overlapping = (51 - repeated..<101 - repeated).map { TestRecord.tag($0) }
        let receipt = LedgerReceipt(accepted: 50 - repeated, duplicate: repeated)
        #expect(try ledger.store(overlapping, sender: "two") == receipt)
        #expect(try ledger.store(overlapping) == LedgerReceipt(accepted: 0, duplicate: 50))
        #expect(try Self.violationCount(cluster) == 2)
        #expect(try await cluster.sql(Self.stagingTables) == "dtvr_staged_receipts\ndtvr_staged_tags")
        #expect(
            try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags")
                == "\(100 - repeated)|\(100 - repeated)")
        #expect(
            try await cluster.sql("SELECT count(*) FROM dtvr.receipts GROUP BY sender ORDER BY sender")
                == "\(100 - repeated)\n50")
    }

    /// A duplicate within one table is found before the copy; an id in two tables, which has one receipt, is not.
    @Test func batch_withADuplicateID_countsEachRecordOnce() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let ledger = try cluster.ledger()
        let lines = [TestRecord.tag(2), TestRecord.tag(1), TestRecord.tag(2, #","pts":5"#)]
        #expect(try ledger.store(lines, sender: "one") == LedgerReceipt(accepted: 2, duplicate: 1))
        #expect(try Self.violationCount(cluster) == 0)
        let session = #"{"id":"\#(TestRecord.id(3))","kind":"session","received":"2026-11-20T12:00:00Z"}"#
        #expect(try ledger.store([TestRecord.tag(3), session], sender: "two") == LedgerReceipt(accepted: 2))
        #expect(try Self.violationCount(cluster) == 1)
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.receipts") == "3")
    }

    /// The ids and the days of the records have opposite orders, so that an order by id would deadlock.
    @Test func collectors_withRecordsOfManyDays_doNotDeadlock() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
            for sender in 0..<4 {
                let ledger = try cluster.ledger()
                group.addTask {
                    try await onOwnThread {
                        try (0..<30).reduce(0) { sum, batch in
                            // Copied by the even senders and staged by the odd ones, which repeat a record.
                            let lines = (0..<20).map { number in
                                let day = 1_795_176_000 + 86_400 * (19 - number)
                                return TestRecord.tag(100 + 20 * batch + number, #","first":\#(day)"#)
                            }
                            let first = sender.isMultiple(of: 2) ? [] : [lines[0]]
                            let name = "sender-\(sender)-\(batch)"
                            return try sum + ledger.store(first + lines.reversed(), sender: name).accepted
                        }
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(accepted == 600)
        #expect(try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags") == "600|600")
        #expect(try await cluster.sql("SELECT DISTINCT copies FROM dtvr.copies") == "4")
        #expect(try !cluster.log().contains("deadlock detected"))
    }

    /// The second copy of a monitor sends what the first one has sent, so its batches are not tried directly.
    @Test func sender_thatRepeatsRecords_isStagedUntilItStops() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let (one, two) = (try cluster.ledger(), try cluster.ledger())
        func lines(_ batch: Int) -> [String] { (0..<5).map { TestRecord.tag(5 * batch + $0) } }
        for batch in 0..<40 {
            #expect(try one.store(lines(batch), sender: "first") == LedgerReceipt(accepted: 5))
            #expect(try two.store(lines(batch), sender: "second") == LedgerReceipt(duplicate: 5))
        }
        #expect(try Self.violationCount(cluster) == 1)
        // The first copy ends. Eight new batches are staged, and the ninth is copied.
        for batch in 40..<50 {
            #expect(try two.store(lines(batch), sender: "second") == LedgerReceipt(accepted: 5))
        }
        #expect(try two.store(lines(40), sender: "second") == LedgerReceipt(duplicate: 5))
        #expect(try Self.violationCount(cluster) == 2)
        #expect(try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags") == "250|250")
    }
}

@Suite struct RepeatingSendersTests {
    private let sender = LedgerSender(name: "one", store: TestRecord.store)

    /// Notes clean batches until those of the sender are copied directly again, and returns their number.
    private func cleanCount(_ senders: inout RepeatingSenders) -> Int {
        var count = 0
        while senders.contains(sender), count < 5_000 {
            senders.note(sender, isClean: true)
            count += 1
        }
        return count
    }

    @Test func sender_thatRepeatsAgain_isStagedForTwiceAsManyCleanBatches() {
        var senders = RepeatingSenders()
        senders.note(sender, isClean: true)
        #expect(!senders.contains(sender))
        var counts: [Int] = []
        for _ in 0..<9 {
            senders.note(sender, isClean: false)
            #expect(senders.contains(sender))
            counts.append(cleanCount(&senders))
        }
        #expect(counts == [8, 16, 32, 64, 128, 256, 512, 1_024, 1_024])
        #expect(!senders.contains(LedgerSender(name: "two", store: TestRecord.store)))
    }

    @Test func repeatedRecord_restartsTheCount() {
        var senders = RepeatingSenders()
        senders.note(sender, isClean: false)
        for _ in 0..<7 { senders.note(sender, isClean: true) }
        senders.note(sender, isClean: false)
        #expect(cleanCount(&senders) == 8)
    }

    /// At the limit all are forgotten, and only the newest is known.
    @Test func senders_beyondTheLimit_areForgotten() {
        func sender(_ number: Int) -> LedgerSender { LedgerSender(name: "one", store: "\(number)") }
        var senders = RepeatingSenders()
        for number in 0..<16_384 { senders.note(sender(number), isClean: false) }
        #expect(senders.contains(sender(0)) && senders.contains(sender(16_383)))
        senders.note(sender(16_384), isClean: false)
        #expect(!senders.contains(sender(0)) && senders.contains(sender(16_384)))
    }

    @Test func sender_thatStoppedRepeating_isForgotten() {
        var senders = RepeatingSenders()
        for expected in [8, 16, 8] {
            senders.note(sender, isClean: false)
            #expect(cleanCount(&senders) == expected)
            // After the second time, as many clean batches again.
            for _ in 0..<(expected == 16 ? 16 : 7) { senders.note(sender, isClean: true) }
        }
    }
}
