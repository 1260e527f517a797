import TestSupport
import Testing

@testable import CollectorService

@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerStoringTests {
    @Test func batch_sentSeveralTimes_isStoredOnce_withAReceiptForEachSender() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let (one, two) = (try cluster.ledger(), try cluster.ledger())
        let lines = (1...50).map { TestRecord.tag($0) }
        #expect(try one.store(lines) == LedgerReceipt(accepted: 50))
        // The same batch at another collector, an overlapping batch from another buffer, and one with another token.
        #expect(try two.store(lines) == LedgerReceipt(duplicate: 50))
        let store = String(repeating: "f", count: 32)
        #expect(try two.store((41...60).map { TestRecord.tag($0) }, store: store).accepted == 10)
        #expect(try one.store([TestRecord.tag(1), TestRecord.tag(1)], sender: "two").duplicate == 2)
        // A record twice in one batch.
        #expect(
            try one.store([TestRecord.tag(61), TestRecord.tag(61)])
                == LedgerReceipt(accepted: 1, duplicate: 1))
        #expect(try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags") == "61|61")
        #expect(
            try await cluster.sql("SELECT copies, count(*) FROM dtvr.copies GROUP BY 1 ORDER BY 1")
                == "1|50\n2|11")
        #expect(
            try await cluster.sql("SELECT name, day, records FROM dtvr.sender_totals ORDER BY records")
                == "two|2026-11-20|1\none|2026-11-20|20\none|2026-11-20|51")
    }

    /// The collectors insert the same records in opposite orders, which would deadlock if the inserts were not sorted.
    @Test func collectors_withTheSameBatchesAtOnce_storeEachRecordOnce() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
            for sender in 0..<4 {
                let ledger = try cluster.ledger()
                group.addTask {
                    try await onOwnThread {
                        try (0..<10).reduce(0) { sum, batch in
                            let numbers = (0..<50).map { 50 * batch + $0 }
                            let ordered = sender.isMultiple(of: 2) ? numbers : numbers.reversed()
                            return try sum
                                + ledger.store(
                                    ordered.map { TestRecord.tag($0) }, sender: "sender-\(sender)"
                                ).accepted
                        }
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(accepted == 500)
        #expect(try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags") == "500|500")
        #expect(try await cluster.sql("SELECT DISTINCT copies FROM dtvr.copies") == "4")
    }

    @Test func record_ofEachKind_isStoredInItsTable_withEveryMember() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        func line(_ number: Int, _ kind: String, _ more: String) -> String {
            #"{"id":"\#(TestRecord.id(number))","received":"2026-11-20T12:00:00.5Z","kind":"\#(kind)",\#(more)}"#
        }
        let play = #""app_session":"x","session":"s","order":3,"asset_play":"p","asset":"a","type":"content""#
        let lines = [
            line(
                1, "data",
                "\(play),\"playhead\":1.5,\"presented\":true,\"x\":\"tab\\t\\\\ \\u00e9\","
                    + "\"renditions\":[\"1\"],\"problems\":[\"a\",\"b\\\"\"]"),
            line(
                2, "session",
                #"\#(play),"first_playhead":0,"playhead":1.5,"watched":20,"started":"2026-11-20T11:59:00.000Z","#
                    + #""pause_count":2,"pauses":[{"seconds":1}],"ott":[{}],"viewability":{"v":1},"invs":[1,2]"#
            ),
            line(
                3, "app",
                #""app_session":"x","library":"1.0","market":"no","opted_out":false,"app":{"appid":"P1","a":[1]}"#
            ),
            line(
                4, "asset",
                #"\#(play),"ad_index":"2","channel_info":{},"metadata":{"title":"T"},"truncated":["big"],"#
                    + #""truncated_count":1"#),
            line(5, "next", #""a":null"#),
        ]
        #expect(try cluster.ledger().store(lines).accepted == 5)
        for (query, row) in [
            (
                "SELECT session, record_order, asset, playhead, detail->>'x', problems[2], day FROM dtvr.tags",
                "s|3|a|1.5|tab\t\\ é|b\"|-infinity"
            ),
            ("SELECT app_session, asset_play, renditions, detail ? 'session' FROM dtvr.tags", "x|p|{1}|f"),
            (
                "SELECT first_playhead, playhead, watched, pause_count, pauses->0->'seconds', day FROM dtvr.sessions",
                "0|1.5|20|2|1|2026-11-20"
            ),
            (
                "SELECT app_session, asset_play, ott, viewability->'v', ended, detail FROM dtvr.sessions",
                #"x|p|[{}]|1||{"invs": [1, 2]}"#
            ),
            ("SELECT market, library, opted_out, app->'a', detail FROM dtvr.apps", "no|1.0|f|[1]|"),
            (
                "SELECT ad_index, channel_info, metadata, truncated, truncated_count, detail FROM dtvr.assets",
                #"2|{}|{"title": "T"}|{big}|1|"#
            ),
            ("SELECT kind, detail FROM dtvr.other_records", "next|{\"a\": null}"),
            ("SELECT count(*) FROM dtvr.receipts", "5"),
            ("SELECT appid, appname, library FROM dtvr.app_sessions", "P1||1.0"),
            (
                "SELECT market, appid, tags, presented_tags, assets, plays, watched, pauses FROM dtvr.player_sessions",
                "no|P1|1|1|1|1|20|2"
            ),
            (
                "SELECT market, appid, app_sessions, sessions, tags, plays, watched FROM dtvr.app_totals",
                "no|P1|1|1|1|1|20"
            ),
        ] {
            #expect(try await cluster.sql(query) == row, "\(query)")
        }
    }

    /// Two apps in two markets, a session without a record of its app, and an app session without a viewing session.
    @Test func players_areTotalledByMarketAndApp() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        func line(_ number: Int, _ members: String) -> String {
            #"{"id":"\#(TestRecord.id(number))","received":"2026-11-20T12:00:0\#(number % 10).000Z",\#(members)}"#
        }
        func app(_ number: Int, _ session: String, _ market: String, _ id: String) -> String {
            line(
                number,
                #""kind":"app","app_session":"\#(session)","market":"\#(market)","app":{"appid":"\#(id)"}"#)
        }
        func watched(_ number: Int, _ app: String, _ session: String, _ play: String, _ seconds: Int)
            -> String
        {
            line(
                number,
                #""kind":"session","app_session":"\#(app)","session":"\#(session)","asset_play":"\#(play)","#
                    + #""watched":\#(seconds)"#)
        }
        let lines = [
            app(1, "a1", "us", "P1"), app(2, "a2", "us", "P1"), app(3, "b1", "no", "P2"),
            app(4, "b2", "no", "P2"),
            watched(5, "a1", "s1", "p1", 10), watched(6, "a1", "s1", "p2", 20),
            watched(7, "a2", "s2", "p3", 5),
            watched(8, "b1", "s3", "p4", 1), watched(9, "none", "s4", "p5", 3),
            line(10, #""kind":"data","app_session":"a1","session":"s1","asset_play":"p1","presented":false"#),
        ]
        #expect(try cluster.ledger().store(lines).accepted == 10)
        #expect(
            try await cluster.sql(
                """
                SELECT market, appid, app_sessions, sessions, tags, plays, watched FROM dtvr.app_totals
                ORDER BY market NULLS LAST
                """) == "no|P2|2|1|0|1|1\nus|P1|2|2|1|3|35\n||0|1|0|1|3")
        #expect(
            try await cluster.sql(
                """
                SELECT session, appid, tags, presented_tags, plays, watched FROM dtvr.player_sessions ORDER BY session
                """) == "s1|P1|1|0|2|30\ns2|P1|0|0|1|5\ns3|P2|0|0|1|1\ns4||0|0|1|3")
    }

    @Test func views_reportTotals_gaps_andLastTags() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        try await cluster.makeUser("analyst", in: "dtvr_read")
        let numbers = Array(0..<360) + Array(370..<400)
        #expect(try cluster.ledger().store(numbers.map { TestRecord.tag($0) }).accepted == 390)
        for (query, row) in [
            (
                "SELECT hour, tags, data_tags FROM dtvr.tags_per_hour ORDER BY 1 LIMIT 1",
                "2026-11-20 12:00:00+00|360|360"
            ),
            ("SELECT count(*) FROM dtvr.tags_per_minute", "66"),
            (
                "SELECT channel, gap_start, gap FROM dtvr.tag_gaps WHERE gap > '30 s'",
                "one|2026-11-20 12:59:50+00|00:01:50"
            ),
            ("SELECT channel FROM dtvr.last_tags WHERE at < '2026-11-20 13:06:31'", "one"),
            ("SELECT channel FROM dtvr.last_tags WHERE at < '2026-11-20 13:06:30'", ""),
        ] {
            let text = "SET timezone = 'UTC'; \(query)"
            #expect(try await cluster.sql(text, user: "analyst") == row, "\(query)")
        }
    }

    /// A record that grows in the database would make every query over its table fail.
    @Test func table_withTheLargestNumbers_canBeRead() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let numbers = ["1e308", "5e-324", "1e131071", "0e-16383"]
        let lines = numbers.enumerated().map { number, text in
            let values = Array(repeating: text, count: number == 2 ? 10_000 : 500).joined(separator: ",")
            return TestRecord.tag(number, ",\"x\":[\(values)]")
        }
        let receipt = try cluster.ledger().store(lines)
        #expect(receipt.accepted == 2 && receipt.refused.map(\.code) == ["not_storable", "not_storable"])
        #expect(try await cluster.sql("SELECT detail FROM dtvr.tags").utf8.count < 1 << 20)
    }

    /// Valid rows, two rows that violate a constraint, and one that no column can hold.
    ///
    /// One text is too long for an index.
    @Test func row_thatTheDatabaseRejects_isRefused_andOthersAreStored() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        _ = try await cluster.sql("ALTER TABLE dtvr.tags ADD CHECK (sequence < 100)")
        var lines = (1...40).map { TestRecord.tag($0, #","sequence":\#($0 == 17 || $0 == 18 ? 100 : 5)"#) }
        lines[3] = TestRecord.tag(4, #","asset":"a\u0000""#)
        // Random text, because the index compresses repetitions.
        let long = (0..<20_000).map { _ in String(Int.random(in: 0..<36), radix: 36) }.joined()
        lines[30] = TestRecord.tag(31, #","session":"\#(long)""#)
        let receipt = try cluster.ledger().store(lines)
        #expect(receipt.accepted == 37 && receipt.duplicate == 0)
        #expect(
            receipt.refused == [
                .init(id: 4, code: "not_storable"),
                .init(id: 17, code: "constraint"),
                .init(id: 18, code: "constraint"),
            ])
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "37")
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.receipts") == "37")
        #expect(
            try await cluster.sql("SELECT detail->>'session' FROM dtvr.tags WHERE detail ? 'session'") == long
        )
        // The same rows again: only the refused ones are not duplicates.
        let again = try cluster.ledger().store(lines)
        #expect(again.accepted == 0 && again.duplicate == 37 && again.refused == receipt.refused)
    }
}
