import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PostgresLedger

@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerSchemaTests {
    /// 41 days of six tables.
    private let partitionCount = 246

    @Test func create_twice_changesNothingTheSecondTime() async throws {
        let cluster = try await PostgresCluster()
        #expect(throws: LedgerError.noSchema) { try cluster.schema().migrate() }
        #expect(throws: LedgerError.noSchema) { try cluster.schema().status() }
        let first = try cluster.createSchema()
        #expect(
            first.migrationCount == LedgerSchema.supportedVersion && first.partitionCount == partitionCount)
        #expect(try cluster.createSchema() == LedgerSchema.Changes())
        // A day later, one more day is added.
        #expect(try cluster.schema(daysLater: 1).migrate().partitionCount == 6)
        let status = try cluster.schema().status()
        #expect(status.version == LedgerSchema.supportedVersion && status.daysAhead == 31)
        #expect(status.days == "2026-11-10"..."2026-12-21")
        #expect(status.tables.map(\.name) == RecordTable.all.map(\.name) + ["receipts"])
        #expect(status.tables.allSatisfy { $0.partitionCount == 42 && $0.byteCount > 0 })
    }

    @Test func schema_ofANewerVersion_isRefused() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let supported = LedgerSchema.supportedVersion
        _ = try await cluster.sql("INSERT INTO dtvr.migrations (version) VALUES (99)")
        let newer = LedgerError.newerSchema(version: 99, supported: supported)
        #expect(throws: newer) { try cluster.schema().migrate() }
        #expect(throws: newer) { try cluster.schema().status() }
        #expect(throws: newer) { try cluster.schema().prune(keepingDays: 1) }
        let ledger = try cluster.ledger()
        #expect(throws: newer) { try ledger.store([TestRecord.tag(1)]) }
        #expect(throws: newer) { try ledger.check() }
        #expect("\(newer)".contains("schema 99, newer than \(supported)"))
    }

    /// A schema that an earlier version of the program created and filled.
    @Test func schema_ofAnEarlierVersion_isMigrated_withItsRecords() async throws {
        let cluster = try await PostgresCluster()
        let supported = LedgerSchema.supportedVersion
        #expect(try cluster.schema().create(upTo: 2).migrationCount == 2)
        let older = LedgerError.olderSchema(version: 2, supported: supported)
        let ledger = try cluster.ledger()
        #expect(throws: older) { try ledger.store([TestRecord.tag(1)]) }
        // Version 2 stored the keys of players in `detail`.
        _ = try await cluster.sql(
            """
            INSERT INTO dtvr.tags (id, at, day, session, detail) VALUES
                (gen_random_uuid(), now(), '-infinity', 's', '{"app_session": "x", "asset_play": "p", "pid": 1}'),
                (gen_random_uuid(), now(), '-infinity', NULL, '{"app_session": "y"}');
            INSERT INTO dtvr.apps (id, at, day, session, market, detail) VALUES (gen_random_uuid(), now(), '-infinity',
                's', 'us', '{"app_session": "x", "library": "1", "app": {"appid": "P1"}}');
            INSERT INTO dtvr.assets (id, at, day, detail) VALUES
                (gen_random_uuid(), now(), '-infinity', '{"asset_play": "p", "metadata": {"a": 1}}');
            INSERT INTO dtvr.sessions (id, at, day, session, watched, detail) VALUES
                (gen_random_uuid(), now(), '-infinity', 's', 5, '{"app_session": "x", "pauses": [], "invs": 7}');
            """)
        #expect(try cluster.schema().migrate().migrationCount == supported - 2)
        for (query, row) in [
            ("SELECT app_session, asset_play, detail FROM dtvr.tags WHERE session = 's'", #"x|p|{"pid": 1}"#),
            ("SELECT app_session, detail FROM dtvr.tags WHERE session IS NULL", #"|{"app_session": "y"}"#),
            (
                "SELECT app_session, library, app->'appid', detail FROM dtvr.apps",
                #"x|1|"P1"|{"session": "s"}"#
            ),
            ("SELECT asset_play, metadata, channel_info, detail FROM dtvr.assets", #"p|{"a": 1}||"#),
            ("SELECT app_session, pauses, detail FROM dtvr.sessions", #"x|[]|{"invs": 7}"#),
            (
                "SELECT market, appid, app_sessions, sessions, tags, watched FROM dtvr.app_totals",
                "us|P1|1|1|1|5"
            ),
        ] {
            #expect(try await cluster.sql(query) == row, "\(query)")
        }
        #expect(try ledger.store([TestRecord.tag(1)]).accepted == 1)
    }

    /// Batches arrive while the columns change.
    ///
    /// Each is stored completely before the change, or refused until the collector supports the version of the schema.
    @Test func migration_underLoad_isSerializedWithBatches() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let ledger = try cluster.ledger()
        let isOver = Mutex(false)
        let newer = LedgerSchema.supportedVersion + 1
        async let stored = onOwnThread {
            var count = 0
            var refused = 0
            while refused == 0 || !isOver.withLock({ $0 }) {
                do throws(LedgerError) {
                    _ = try ledger.store([TestRecord.tag(count)])
                    count += 1
                } catch {
                    #expect(error == .newerSchema(version: newer, supported: newer - 1))
                    refused += 1
                }
            }
            return count
        }
        try await wait(for: "batches") { try await cluster.sql("SELECT count(*) > 20 FROM dtvr.tags") == "t" }
        let next = Array(
            "ALTER TABLE dtvr.tags DROP COLUMN carriage; ALTER TABLE dtvr.receipts ADD COLUMN x text".utf8)
        #expect(try cluster.schema().applyNext(next))
        isOver.withLock { $0 = true }
        let count = try await stored
        #expect(
            try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags") == "\(count)|\(count)"
        )
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.receipts") == "\(count)")
    }

    @Test func prune_dropsOldPartitions_andOldRowsOfDefaultPartitions() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let ledger = try cluster.ledger()
        // 20 November, 1 January without a partition, and a tag without a date.
        let old = #"{"id":"\#(TestRecord.id(2))","received":"2026-01-01T00:00:00Z","first":1767225600}"#
        let undated = #"{"id":"\#(TestRecord.id(3))","received":"2026-11-01T00:00:00Z"}"#
        #expect(try ledger.store([TestRecord.tag(1), old, undated]).accepted == 3)
        #expect(
            try await cluster.sql("SELECT tableoid::regclass, day FROM dtvr.tags ORDER BY id")
                == "dtvr.tags_20261120|2026-11-20\ndtvr.tags_default|2026-01-01\ndtvr.tags_default|-infinity")
        let pruned = try cluster.schema().prune(keepingDays: 9)
        #expect(pruned.firstKeptDay == "2026-11-11" && pruned.partitionCount == 6)
        // Both rows of the default partition, and the receipt of the dated one; the other was received today.
        #expect(pruned.defaultRowCount == 3)
        #expect(try await cluster.sql("SELECT id FROM dtvr.tags").hasSuffix("0001"))
        #expect(try cluster.schema(daysLater: 12).prune(keepingDays: 9).partitionCount == 72)
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "0")
    }

    @Test func partition_createdForADayWithRows_receivesThem() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let late = #"{"id":"\#(TestRecord.id(5))","first":\#(1_795_176_000 + 86_400 * 31)}"#
        #expect(try cluster.ledger().store([late]).accepted == 1)
        let partition =
            "SELECT tableoid::regclass FROM dtvr.tags UNION ALL SELECT tableoid::regclass FROM dtvr.receipts"
        #expect(try await cluster.sql(partition) == "dtvr.tags_default\ndtvr.receipts_default")
        #expect(try cluster.schema(daysLater: 1).migrate().partitionCount == 6)
        #expect(try await cluster.sql(partition) == "dtvr.tags_20261221\ndtvr.receipts_20261221")
        #expect(try cluster.ledger().store([late]).duplicate == 1)
    }

    @Test func roles_haveOnlyTheirPrivileges() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        for name in ["owner", "insert", "read"] { try await cluster.makeUser(name, in: "dtvr_\(name)") }
        #expect(try cluster.schema(user: "owner", daysLater: 1).migrate().partitionCount == 6)
        #expect(try cluster.ledger(user: "insert").store([TestRecord.tag(1)]).accepted == 1)
        #expect(try cluster.ledger(user: "insert").check().daysAhead != nil)
        #expect(try cluster.schema(user: "insert").status().tables.count == 6)
        #expect(try await cluster.sql("SELECT copies FROM dtvr.copies", user: "read") == "1")
        for table in ["tags", "receipts", "senders", "copies", "tags_20261120", "sender_totals"] {
            await #expect(throws: PostgresCluster.Failure.self, "\(table)") {
                try await cluster.sql("SELECT * FROM dtvr.\(table)", user: "insert")
            }
        }
        for statement in [
            "INSERT INTO dtvr.tags (id, day, at) VALUES (gen_random_uuid(), now(), now()) RETURNING id",
            "UPDATE dtvr.tags SET channel = 'x'", "DELETE FROM dtvr.receipts", "TRUNCATE dtvr.tags",
            "SELECT dtvr.drop_before('2030-01-01')", "SELECT dtvr.add_partitions('2030-01-01')",
            "INSERT INTO dtvr.migrations VALUES (9)", "CREATE TABLE dtvr.x (a integer)",
            "SET ROLE dtvr_owner",
        ] {
            for user in ["insert", "read"] {
                await #expect(throws: PostgresCluster.Failure.self, "\(user): \(statement)") {
                    try await cluster.sql(statement, user: user)
                }
            }
        }
        #expect(throws: LedgerError.self) { try cluster.ledger(user: "read").store([TestRecord.tag(2)]) }
        #expect(throws: LedgerError.self) { try cluster.schema(user: "insert").migrate() }
    }
}
