import Foundation
import TestSupport
import Testing

@testable import dtvr

/// `dtvr monitor` beside a collector with a ledger: the records of breaks and watched times, and the report.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerPeriodTests {
    @Test func watchedTime_ofAMonitor_reachesTheLedgerOnce_andTheReport() async throws {
        let cluster = try await PostgresCluster()
        let folder = try TemporaryFolder()
        let created = try await Tool.run("ledger", "init", "--ledger", cluster.uri())
        #expect(created.status == 0, "\(created)")
        for name in ["insert", "read"] { try await cluster.makeUser(name, in: "dtvr_\(name)") }
        let collector = try await RunningCollector.start(
            ledger: cluster.uri(user: "insert"), home: folder.path, [])
        let station = try await RunningStation.start()
        let file = try folder.write(
            "channels", "[channel one]\nname = The One\nurl = \(station.urls[0])\n".utf8)
        let upload = ["upload", "--store", folder.path + "/store", "--collector", collector.url]
        for round in 1...2 {
            let earlier = try await cluster.sql("SELECT count(*) FROM dtvr.tags")
            let monitor = try RunningMonitor(
                [
                    "--channels", file, "--collector", collector.url, "--allow-private", "--listen",
                    "127.0.0.1:0",
                ], in: folder)
            // A receipt asks for the records; after a restart, the monitor knows it.
            try await wait(for: "tags in the ledger") {
                try await cluster.sql("SELECT count(*) > \(earlier) FROM dtvr.tags") == "t"
            }
            let loads = try await Self.playlistLoads(of: monitor)
            try await wait(for: "the next load of the playlist") {
                try await Self.playlistLoads(of: monitor) != loads
            }
            #expect(await monitor.stop() == 0, "\(monitor.errors)")
            #expect(try await Tool.run(arguments: upload).status == 0)
            // A quarter of an hour may have ended meanwhile; the record after it continues the one before.
            let rows = try await cluster.sql(
                """
                SELECT kind, detail->>'state', detail->>'name', count(*) FROM dtvr.other_records AS record
                WHERE NOT EXISTS (
                    SELECT FROM dtvr.other_records AS earlier
                    WHERE earlier.detail->'ended' = record.detail->'started')
                GROUP BY 1, 2, 3
                """)
            #expect(rows == "period|watched|The One|\(round)")
            let repeated = try await cluster.sql(
                "SELECT count(*) - count(DISTINCT detail->'started') FROM dtvr.other_records")
            #expect(repeated == "0")
        }
        let conforming = try await Self.records(of: cluster)
        #expect(conforming.status == 0, "\(conforming.output)")
        // The last five minutes do not count, so the day of the report is made to begin earlier.
        _ = try await cluster.sql(
            "INSERT INTO dtvr.channel_times (day, slot, channel, state, times) "
                + "SELECT current_date, now(), 'one', 'data', "
                + "tstzmultirange(tstzrange(now() - interval '2 hours', now() - interval '1 hour'))")
        let today = try await cluster.sql("SELECT (now() - interval '2 hours')::date")
        let report = try await Tool.run(
            "ledger", "report", "--from", today, "--to", today, "--channel", "one,two", "--format", "json",
            "--ledger", cluster.uri(user: "read"))
        #expect(report.status == 3 && report.errors.contains("two: no records in these days"), "\(report)")
        #expect(report.output.contains(#""channel":"one","name":"The One","share":"#), "\(report)")
        let zone = try await Tool.run(
            "ledger", "report", "--time-zone", "Mars", "--ledger", cluster.uri(user: "read"))
        #expect(zone.status == 2 && zone.errors.contains("does not know 'Mars'"), "\(zone)")
        await collector.stop()
    }

    /// The metric that counts the loads of playlists.
    private static func playlistLoads(of monitor: RunningMonitor) async throws -> Substring {
        let lines = try await monitor.answer(to: "metrics").text.split(separator: "\n")
        return try #require(lines.first { $0.hasPrefix(#"dtvr_fetch_seconds_count{kind="playlist"}"#) })
    }

    /// Compares the records with the schema, as the ledger has them.
    private static func records(
        of cluster: PostgresCluster
    ) async throws -> (status: Int32, output: String) {
        let lines = try await cluster.sql(
            """
            SELECT detail || jsonb_build_object('id', replace(id::text, '-', ''), 'kind', kind, 'received',
                to_char(received AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
            FROM dtvr.other_records
            """)
        let finished = try await FinishedProcess.of(
            "/usr/bin/python3", [Tool.packageRoot + "/Scripts/record-schema.py"],
            input: Data((lines + "\n").utf8))
        return (finished.status, String(decoding: finished.output + finished.errors, as: UTF8.self))
    }
}
