import TestSupport
import Testing

@testable import CollectorService

/// The views over many partitions, and the totals that they read.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerViewTests {
    /// The limit of a view includes planning, which once took minutes; the locks are those of a default server.
    @Test func view_over400Days_isReadInSeconds() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        for number in 1...9 { _ = try cluster.schema(daysLater: Int64(-41 * number)).migrate() }
        try await cluster.makeUser("analyst", in: "dtvr_read")
        #expect(try cluster.ledger().store(Self.lines).accepted == Self.lines.count)
        #expect(
            try await cluster.sql("SELECT count(*) FROM dtvr.partitions WHERE table_name = 'tags'") == "410")
        let views = try await cluster.sql(
            "SELECT viewname FROM pg_views WHERE schemaname = 'dtvr' ORDER BY 1"
        )
        .split(separator: "\n")
        #expect(views.count == 10)
        for view in views {
            // A lock of another transaction lasts, as with several users.
            let query = "BEGIN; SET statement_timeout = '30s'; SELECT count(*) > 0 FROM dtvr.\(view); "
            let rows = try await cluster.sql(
                query + "SELECT count(*) < 2500 FROM pg_locks WHERE pid = pg_backend_pid()", user: "analyst")
            #expect(rows == "t\nt", "\(view)")
        }
    }

    /// Records of two sessions: of two days, undated, of a day without a partition, and of each table.
    private static let lines: [String] = {
        func line(_ number: Int, _ members: String) -> String {
            "{\"id\":\"\(TestRecord.id(number))\",\(members)}"
        }
        let received = #""received":"2026-11-20T12:00:00Z""#
        let play = #""app_session":"x","session":"s","asset":"a","asset_play":"p""#
        return [
            line(1, #""kind":"app",\#(received),"app_session":"x","market":"us","app":{"appid":"P1"}"#),
            line(2, #""kind":"app",\#(received),"app_session":"y","market":"no","app":{"appid":"P2"}"#),
            line(3, #""kind":"data","first":1795176000,\#(play),"presented":true"#),
            line(4, #""kind":"data","first":1795089600,\#(play),"presented":false"#),
            line(5, #""kind":"data",\#(received),\#(play)"#),
            line(6, #""kind":"data","first":1767225600,"session":"t","asset":"b""#),
            line(7, #""kind":"session",\#(received),\#(play),"watched":20,"pause_count":2"#),
            line(8, #""kind":"session","received":"2026-11-11T12:00:00Z",\#(play),"watched":1.5"#),
            line(
                9,
                #""kind":"asset",\#(received),"app_session":"x","session":"s","asset":"c","asset_play":"q""#),
            line(10, #""kind":"data","first":1795176000,"channel":"one""#),
            line(11, #""kind":"data","first":1795176060,"channel":"one""#),
        ]
    }()

    /// Expects that the totals are those of the records, and returns the totals of the apps.
    private func totals(_ cluster: PostgresCluster, _ step: String) async throws -> String {
        let records = """
            SELECT session, max(app_session), min(at), max(at), count(*) FILTER (WHERE is_tag)::bigint,
                   count(*) FILTER (WHERE presented), count(DISTINCT asset), count(DISTINCT asset_play), sum(watched),
                   coalesce(sum(pause_count), 0)::bigint
            FROM (
                SELECT session, app_session, at, asset, asset_play, true AS is_tag, presented,
                       NULL::double precision AS watched, NULL::bigint AS pause_count FROM dtvr.tags
                UNION ALL SELECT session, app_session, at, asset, asset_play, false, false, watched, pause_count
                FROM dtvr.sessions
                UNION ALL SELECT session, app_session, at, asset, asset_play, false, false, NULL, NULL FROM dtvr.assets
            ) parts WHERE session IS NOT NULL GROUP BY session
            """
        let view = """
            SELECT session, app_session, first_record, last_record, tags, presented_tags, assets, plays, watched, pauses
            FROM dtvr.player_sessions
            """
        for (one, other) in [(records, view), (view, records)] {
            #expect(try await cluster.sql("(\(one)) EXCEPT (\(other))") == "", "\(step)")
        }
        return try await cluster.sql(
            """
            SELECT market, appid, app_sessions, sessions, tags, plays, watched FROM dtvr.app_totals
            ORDER BY market NULLS LAST
            """)
    }

    @Test func totals_areThoseOfTheRecords_afterEachChange() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        try await cluster.makeUser("collector", in: "dtvr_insert")
        let ledger = try cluster.ledger(user: "collector")
        let all = "no|P2|1|0|0|0|\nus|P1|1|1|3|2|21.5\n||0|1|1|0|"
        // A direct copy, a repeated batch, and a staged one with a new record.
        #expect(try ledger.store(Array(Self.lines.prefix(7))).accepted == 7)
        _ = try await totals(cluster, "copied")
        #expect(try ledger.store(Array(Self.lines.prefix(7))).duplicate == 7)
        #expect(try ledger.store(Self.lines).accepted == 4)
        #expect(try await totals(cluster, "staged") == all)
        _ = try cluster.schema().migrate()
        #expect(try await totals(cluster, "merged") == all)
        #expect(
            try await cluster.sql("SELECT count(*) FROM dtvr.session_totals WHERE day = '2026-11-20'") == "2")
        // 1 January gets a partition, and its record moves.
        _ = try cluster.schema(daysLater: -323).migrate()
        #expect(try await totals(cluster, "moved") == all)
        let pruned = try cluster.schema().prune(keepingDays: 5, all: false)
        #expect(pruned.partitionCount > 6)
        #expect(try await totals(cluster, "pruned") == "no|P2|1|0|0|0|\nus|P1|1|1|3|2|20")
        _ = try cluster.schema(daysLater: 20).prune(keepingDays: 5, all: true)
        #expect(try await totals(cluster, "empty") == "")
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.session_totals") == "0")
    }

    /// Records of an earlier version, in partitions and in the default partitions.
    @Test func totals_ofAnEarlierSchema_areCounted() async throws {
        let cluster = try await PostgresCluster()
        _ = try cluster.schema().create(upTo: 3)
        _ = try await cluster.sql(
            """
            INSERT INTO dtvr.tags (id, at, day, session, asset, presented)
            SELECT gen_random_uuid(), day, day, 's', 'a', true
            FROM unnest(ARRAY['2026-11-20', '2026-11-12', '2020-01-01', '-infinity']::date[]) day;
            INSERT INTO dtvr.sessions (id, at, day, session, app_session, watched)
            VALUES (gen_random_uuid(), now(), '2026-11-20', 's', 'x', 7);
            INSERT INTO dtvr.apps (id, at, day, app_session, market, app)
            VALUES (gen_random_uuid(), now(), '2026-11-20', 'x', 'us', '{"appid": "P1"}');
            """)
        #expect(try cluster.schema().migrate().migrationCount == LedgerSchema.supportedVersion - 3)
        #expect(try await totals(cluster, "migrated") == "us|P1|1|1|4|0|7")
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.uncounted_days") == "0")
    }
}
