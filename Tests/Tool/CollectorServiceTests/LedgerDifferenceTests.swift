import TestSupport
import Testing

@testable import CollectorService

/// Different records with the same id: the first one is kept, and the others are counted.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerDifferenceTests {
    private static func line(_ number: Int, _ more: String = "") -> String {
        #"{"id":"\#(TestRecord.id(number))","kind":"data","channel":"one","owner":"o","first":1795176000\#(more)}"#
    }

    /// A record with another owner.
    private static func other(_ number: Int) -> String { line(number, #","owner":"p""#) }

    private static func duplicates(_ count: Int, differing: Int) -> LedgerReceipt {
        LedgerReceipt(duplicate: count, differing: differing)
    }

    @Test(arguments: [
        ("", 0), (#","received":"2026-11-20T13:00:00Z""#, 0), (#","source":"udp://1""#, 0),
        (#","segment":"9.ts","media_sequence":9,"pts":9"#, 0), (#","note":"x""#, 0),
        (#","owner":"p""#, 1), (#","kind":"info""#, 1), (#","channel":"two""#, 1),
    ])
    func copy_isADuplicate_andCountedIfItDiffers(more: String, count: Int) async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        try await cluster.makeUser("collector", in: "dtvr_insert")
        let (one, two) = (try cluster.ledger(user: "collector"), try cluster.ledger(user: "collector"))
        #expect(try one.store([Self.line(1), Self.line(2)]) == LedgerReceipt(accepted: 2))
        let expected = Self.duplicates(1, differing: count)
        // The first batch is copied before it is staged, and the next one is staged at once.
        #expect(try two.store([Self.line(1, more)], sender: "two") == expected)
        #expect(try two.store([Self.line(2, more)], sender: "two") == expected)
        // Beside new records, through another collector, from the sender of the first copy, and again.
        #expect(
            try one.store([Self.line(3), Self.line(2, more), Self.line(4)], sender: "three")
                == LedgerReceipt(accepted: 2, duplicate: 1, differing: count))
        #expect(try two.store([Self.line(1, more)]) == expected)
        #expect(try one.store([Self.line(1, more)], sender: "two") == expected)
        // Copies of the stored record do not differ, whatever has come since.
        for sender in ["one", "two", "four"] {
            #expect(
                try one.store([Self.line(1), Self.line(2)], sender: sender)
                    == Self.duplicates(2, differing: 0))
        }
        #expect(try await cluster.sql("SELECT DISTINCT owner, kind, channel FROM dtvr.tags") == "o|data|one")
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.receipts WHERE hash IS NULL") == "0")
    }

    @Test func records_ofOneBatch_areCompared() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let ledger = try cluster.ledger()
        let lines = [Self.line(1), Self.other(1), Self.line(1), Self.line(2)]
        #expect(try ledger.store(lines) == LedgerReceipt(accepted: 2, duplicate: 2, differing: 1))
        // The answer was lost.
        #expect(try ledger.store(lines) == Self.duplicates(4, differing: 1))
        #expect(
            try ledger.store([Self.other(1), Self.other(1), Self.line(1)], sender: "two")
                == Self.duplicates(3, differing: 2))
        #expect(try await cluster.sql("SELECT owner FROM dtvr.tags ORDER BY id") == "o\no")
    }

    /// The first record of a batch is kept in each table, in whichever order their keys are inserted.
    @Test func batch_withManyPairs_keepsTheFirstOfEach() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let numbers = Array((0..<500).reversed())
        let lines = numbers.map { Self.line($0) } + numbers.map { Self.other($0) }
        #expect(
            try cluster.ledger().store(lines)
                == LedgerReceipt(accepted: 500, duplicate: 500, differing: 500))
        #expect(try await cluster.sql("SELECT DISTINCT owner FROM dtvr.tags") == "o")
    }

    /// The parts of a batch with a row that the database refuses are compared, too.
    @Test func records_besideARefusedOne_areCompared() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        _ = try await cluster.sql("ALTER TABLE dtvr.tags ADD CHECK (sequence < 100)")
        let ledger = try cluster.ledger()
        #expect(try ledger.store((1...9).map { Self.line($0) }).accepted == 9)
        let lines = [
            Self.other(1), Self.line(2), Self.other(3), Self.line(10, #","sequence":100"#), Self.line(11),
            Self.other(11),
        ]
        #expect(
            try ledger.store(lines, sender: "two")
                == LedgerReceipt(
                    accepted: 1, duplicate: 4, differing: 3, refused: [.init(id: 10, code: "constraint")]))
    }

    /// Two of four collectors send other records.
    ///
    /// Which of a pair is stored depends on the order of their commits.
    @Test func batches_atTheSameTime_areComparedWithTheStoredRecords() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let receipts = try await withThrowingTaskGroup(of: LedgerReceipt.self) { group in
            for sender in 0..<4 {
                let ledger = try cluster.ledger()
                group.addTask {
                    try await onOwnThread {
                        try (0..<10).reduce(into: LedgerReceipt()) { sum, batch in
                            let numbers = (0..<50).map { 50 * batch + $0 }
                            let lines = numbers.map {
                                sender.isMultiple(of: 2) ? Self.line($0) : Self.other($0)
                            }
                            let receipt = try ledger.store(lines, sender: "sender-\(sender)")
                            sum.accepted += receipt.accepted
                            sum.duplicate += receipt.duplicate
                            sum.differing += receipt.differing
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(receipts.reduce(0) { $0 + $1.accepted } == 500)
        #expect(receipts.reduce(0) { $0 + $1.duplicate } == 1_500)
        #expect(receipts.reduce(0) { $0 + $1.differing } == 1_000)
        let owners = try await cluster.sql("SELECT owner FROM dtvr.tags ORDER BY id").split(separator: "\n")
        for (number, owner) in owners.enumerated() where number.isMultiple(of: 25) {
            let copy = owner == "o" ? Self.line(number) : Self.other(number)
            #expect(try cluster.ledger().store([copy], sender: "last") == Self.duplicates(1, differing: 0))
        }
    }

    /// Records of several days and tables, undated ones, and those of days without a partition.
    @Test func records_ofAllDaysAndTables_areCompared() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let ledger = try cluster.ledger()
        let places = [1_795_176_000, 1_795_262_400, 1_000, 900_000_000, 253_402_300_799].map {
            #""kind":"data","first":\#($0)"#
        }
        let others = ["app", "asset", "session", "next"].map {
            #""kind":"\#($0)","received":"2026-11-20T12:00:00Z""#
        }
        let members = places + others + [#""kind":"data""#]
        func lines(_ owner: String) -> [String] {
            members.enumerated().map { number, members in
                #"{"id":"\#(TestRecord.id(number))","owner":"\#(owner)",\#(members)}"#
            }
        }
        let count = members.count
        #expect(try ledger.store(lines("o")) == LedgerReceipt(accepted: count))
        #expect(try ledger.store(lines("o"), sender: "two") == Self.duplicates(count, differing: 0))
        #expect(try ledger.store(lines("p"), sender: "three") == Self.duplicates(count, differing: count))
        // A day gets a partition, and its receipts move.
        _ = try cluster.schema(daysLater: -20_000).migrate()
        #expect(try ledger.store(lines("o"), sender: "four") == Self.duplicates(count, differing: 0))
        #expect(try ledger.store(lines("p"), sender: "four") == Self.duplicates(count, differing: count))
    }

    /// After a prune, the next record with an id is the first one.
    @Test func record_ofAPrunedDay_isStoredAgain_andComparedWithTheNewOne() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let ledger = try cluster.ledger()
        #expect(try ledger.store([Self.line(1)]).accepted == 1)
        _ = try cluster.schema(daysLater: 12).prune(keepingDays: 9, all: true)
        #expect(try ledger.store([Self.other(1)]) == LedgerReceipt(accepted: 1))
        #expect(try ledger.store([Self.other(1)], sender: "two") == Self.duplicates(1, differing: 0))
        #expect(try ledger.store([Self.line(1)]) == Self.duplicates(1, differing: 1))
    }

    /// A year of partitions, whose locks are those of a default server, and receipts without a hash.
    @Test func schema_ofAnEarlierVersion_isMigrated_andItsReceiptsDifferFromNoRecord() async throws {
        let cluster = try await PostgresCluster()
        #expect(try cluster.schema().create(upTo: 4).migrationCount == 4)
        for number in 1...9 { _ = try cluster.schema(daysLater: Int64(-41 * number)).create(upTo: 4) }
        _ = try await cluster.sql(
            """
            INSERT INTO dtvr.senders (name, store) VALUES ('one', '\(TestRecord.store)');
            INSERT INTO dtvr.tags (id, at, day, owner)
            SELECT lpad(to_hex(number), 32, '0')::uuid, now(), date '2026-11-20' - number, 'o'
            FROM generate_series(0, 399) number;
            INSERT INTO dtvr.receipts (id, day, sender) SELECT id, day, 1 FROM dtvr.tags;
            """)
        #expect(try cluster.schema().migrate().migrationCount == LedgerSchema.supportedVersion - 4)
        #expect(try await cluster.sql("SELECT count(*), count(hash) FROM dtvr.receipts") == "400|0")
        func lines(_ first: Int, _ owner: String) -> [String] {
            (0..<400).map { number in
                #"{"id":"\#(TestRecord.id(first + number))","owner":"\#(owner)","first":"#
                    + #"\#(1_795_176_000 - 86_400 * number)}"#
            }
        }
        let ledger = try cluster.ledger()
        #expect(try ledger.store(lines(0, "p"), sender: "two") == Self.duplicates(400, differing: 0))
        #expect(try ledger.store(lines(0, "q"), sender: "three") == Self.duplicates(400, differing: 0))
        // New records of the same days.
        #expect(try ledger.store(lines(1_000, "o")) == LedgerReceipt(accepted: 400))
        #expect(try ledger.store(lines(1_000, "o"), sender: "two") == Self.duplicates(400, differing: 0))
        #expect(try ledger.store(lines(1_000, "p"), sender: "two") == Self.duplicates(400, differing: 400))
    }
}
