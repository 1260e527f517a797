import Foundation
import HostSystem
import Synchronization
import TestSupport
import Testing

@testable import CollectorService

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

    /// Roles belong to the server, so the keeper of one ledger could prune the other.
    @Test func secondLedger_onAServer_isRefused() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        _ = try await cluster.sql("CREATE DATABASE other")
        let other = try LedgerAddress(cluster.uri(database: "other"))
        let time = Int64(1_795_176_000_000)
        let second = try LedgerSchema(other, unixMilliseconds: time, databaseTime: time)
        let error = #expect(throws: LedgerError.self) { try second.create() }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("already has a ledger"), "\(text)")
        #expect(throws: LedgerError.noSchema) { try second.status() }
        // The first one is unchanged, and can be created again.
        #expect(try cluster.createSchema() == LedgerSchema.Changes())
    }

    @Test func schema_ofANewerVersion_isRefused() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let supported = LedgerSchema.supportedVersion
        _ = try await cluster.sql("INSERT INTO dtvr.migrations (version) VALUES (99)")
        let newer = LedgerError.newerSchema(version: 99, supported: supported)
        #expect(throws: newer) { try cluster.schema().migrate() }
        #expect(throws: newer) { try cluster.schema().status() }
        #expect(throws: newer) { try cluster.schema().prune(keepingDays: 1, all: false) }
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
        let pruned = try cluster.schema().prune(keepingDays: 9, all: false)
        #expect(pruned.firstKeptDay == "2026-11-11" && pruned.partitionCount == 6)
        // Both rows of the default partition, and the receipt of the dated one; the other was received today.
        #expect(pruned.defaultRowCount == 3)
        #expect(try await cluster.sql("SELECT id FROM dtvr.tags").hasSuffix("0001"))
        #expect(try cluster.schema(daysLater: 12).prune(keepingDays: 9, all: true).partitionCount == 72)
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "0")
    }

    /// The clocks of this machine and of the database; the last is a clock that was never set.
    @Test(
        arguments: [
            Duration.seconds(730 * 86_400), .seconds(-730 * 86_400), .seconds(1 * 86_400) + .milliseconds(1),
            .seconds(-1 * 86_400) - .milliseconds(1),
            .milliseconds(-1_795_176_000_000),
        ])
    func prune_withAClockThatDiffersFromTheDatabase_isRefused(offset: Duration) async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        #expect(try cluster.ledger().store([TestRecord.tag(1)]).accepted == 1)
        for all in [false, true] {
            let error = #expect(throws: LedgerError.self) {
                try cluster.schema(aheadBy: offset).prune(keepingDays: 9, all: all)
            }
            #expect("\(try #require(error))".contains("clock"), "\(offset)")
        }
        #expect(try cluster.schema().status().tables.allSatisfy { $0.partitionCount == 41 })
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "1")
    }

    @Test func dates_areThoseOfTheDatabase() async throws {
        let cluster = try await PostgresCluster()
        #expect(try cluster.schema(aheadBy: .seconds(400 * 86_400)).create().partitionCount == partitionCount)
        let status = try cluster.schema(aheadBy: .seconds(400 * 86_400)).status()
        #expect(status.days == "2026-11-10"..."2026-12-20" && status.daysAhead == 30)
        let pruned = try cluster.schema(aheadBy: .seconds(1 * 86_400)).prune(keepingDays: 9, all: false)
        #expect(pruned.firstKeptDay == "2026-11-11" && pruned.partitionCount == 6)
        // Without a date of a test, the database is asked.
        let address = try LedgerAddress(cluster.uri())
        _ = try LedgerSchema(address, unixMilliseconds: SystemClock().unixMilliseconds).prune(
            keepingDays: 9, all: false)
        #expect(throws: LedgerError.self) {
            try LedgerSchema(address, unixMilliseconds: 1_795_176_000_000 + 730 * 86_400_000).prune(
                keepingDays: 9, all: false)
        }
    }

    /// Lines of the records that remain or not, and whether a prune of all days before 11 November is refused.
    @Test(
        arguments: [
            ([], false),
            // The only record is dropped from a partition, or from the default partition.
            ([#""kind":"data","first":\#(1_795_176_000 - 10 * 86_400)"#], true),
            ([#""kind":"session","received":"2026-11-10T23:59:59Z""#], true),
            ([#""kind":"data","first":1767225600"#], true),
            ([#""kind":"data","received":"2026-11-10T00:00:00Z""#], true),
            // Another record remains: of the last day, of a later one, undated, or of another table.
            ([#""first":1767225600"#, #""first":1794355200"#], false),
            ([#""first":1767225600"#, #""first":1894355200"#], false),
            ([#""first":1767225600"#, #""received":"2026-11-20T00:00:00Z""#], false),
            ([#""first":1767225600"#, #""x":1"#], false),
            ([#""first":1767225600"#, #""kind":"next","received":"2026-11-20T00:00:00Z""#], false),
        ] as [([String], Bool)])
    func prune_thatWouldLeaveNoRecord_isRefused(lines: [String], isRefused: Bool) async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let records = lines.enumerated().map { "{\"id\":\"\(TestRecord.id($0.offset + 1))\",\($0.element)}" }
        #expect(try cluster.ledger().store(records).accepted == lines.count)
        if isRefused {
            let error = #expect(throws: LedgerError.self) {
                try cluster.schema().prune(keepingDays: 9, all: false)
            }
            #expect("\(try #require(error))".contains("--all"))
            #expect(try cluster.schema().status().tables.allSatisfy { $0.partitionCount == 41 })
            #expect(try cluster.schema().prune(keepingDays: 9, all: true).partitionCount == 6)
        } else {
            #expect(try cluster.schema().prune(keepingDays: 9, all: false).partitionCount == 6)
        }
        let count = try cluster.ledger().store(records).accepted
        #expect(count == (isRefused ? 1 : max(0, lines.count - 1)))
    }

    /// All days in one transaction need more locks than a server has by default.
    @Test func prune_ofManyDays_needsFewLocks() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        for number in 1...9 { _ = try cluster.schema(daysLater: Int64(-41 * number)).migrate() }
        #expect(try cluster.ledger().store([TestRecord.tag(1)]).accepted == 1)
        let pruned = try cluster.schema().prune(keepingDays: 9, all: false)
        #expect(pruned.firstKeptDay == "2026-11-11" && pruned.partitionCount == 6 * (9 * 41 + 1))
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "1")
    }

    /// A query holds one day: the days before it are dropped, and a later prune drops the others.
    @Test func prune_thatFindsALockedDay_keepsWhatItHasDropped() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        #expect(try cluster.ledger().store([TestRecord.tag(1)]).accepted == 1)
        async let locked = cluster.sql(
            """
            BEGIN; LOCK TABLE dtvr.tags_20261112 IN ACCESS SHARE MODE;
            DO $$ BEGIN
                WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP
                    PERFORM pg_sleep(0.01);
                END LOOP;
                PERFORM pg_cancel_backend(pid) FROM pg_locks WHERE NOT granted;
            END $$
            """)
        try await wait(for: "the lock") {
            try await cluster.sql(
                "SELECT count(*) FROM pg_locks WHERE relation = 'dtvr.tags_20261112'::regclass") == "1"
        }
        #expect(throws: LedgerError.self) { try cluster.schema().prune(keepingDays: 7, all: false) }
        _ = try await locked
        #expect(try cluster.schema().status().days?.lowerBound == "2026-11-12")
        #expect(try cluster.schema().prune(keepingDays: 7, all: false).partitionCount == 6)
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
        let compares = "SELECT dtvr.differing_count('{}', '{}', '{}')"
        #expect(try await cluster.sql(compares, user: "insert") == "0")
        await #expect(throws: PostgresCluster.Failure.self) { try await cluster.sql(compares, user: "read") }
        #expect(
            try await cluster.sql(
                """
                SELECT proname FROM pg_proc WHERE pronamespace = 'dtvr'::regnamespace AND prosecdef
                AND proconfig IS DISTINCT FROM ARRAY['search_path=pg_catalog, pg_temp']
                """) == "")
        #expect(throws: LedgerError.self) { try cluster.ledger(user: "read").store([TestRecord.tag(2)]) }
        #expect(throws: LedgerError.self) { try cluster.schema(user: "insert").migrate() }
    }
}
