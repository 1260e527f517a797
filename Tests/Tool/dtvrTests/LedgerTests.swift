import Foundation
import Glibc
import HTTPTransfer
import TestSupport
import Testing

@testable import dtvr

/// `dtvr ledger` and `dtvr collect --ledger` with a real server, as a team uses them.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerTests {
    private let playlist = Tool.demo + "/index.m3u8"
    private let cluster: PostgresCluster
    private let folder: TemporaryFolder

    init() async throws {
        cluster = try await PostgresCluster()
        folder = try TemporaryFolder()
    }

    private func initialize() async throws {
        let result = try await Tool.run("ledger", "init", "--ledger", cluster.uri())
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "schema 6: 6 migrations applied, 246 partitions created\n")
        for name in ["owner", "insert", "read"] { try await cluster.makeUser(name, in: "dtvr_\(name)") }
    }

    private func collector(_ arguments: String...) async throws -> RunningCollector {
        try await RunningCollector.start(
            ledger: cluster.uri(user: "insert"), home: folder.path, arguments)
    }

    /// Reads the demonstration, and sends its 13 tags from the buffer with this name.
    private func send(
        _ buffer: String, to collector: RunningCollector, token: String? = nil
    ) async throws -> Tool.Result {
        try await Tool.run(
            "run", playlist, "--store", "\(folder.path)/\(buffer)", "--collector", collector.url,
            environment: token.map { ["DTVR_TOKEN": $0] } ?? [:])
    }

    private func get(
        _ path: String, of collector: RunningCollector, token: String? = nil
    ) async throws -> (status: Int, text: String) {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        var request = HTTPRequest(url: collector.url + path)
        request.bearerToken = token
        let response = try await client.send(request)
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    @Test func tags_ofTwoBuffers_throughTwoCollectors_areStoredOnce() async throws {
        try await initialize()
        let tokens = try folder.write("tokens", "abc team-a\ndef team-b\n".utf8)
        let one = try await collector("--token-file", tokens)
        let two = try await collector("--token-file", tokens)
        #expect(try await send("a", to: one, token: "abc").status == 0)
        #expect(try await send("b", to: two, token: "def").output.contains("0 accepted, 13 duplicate"))
        #expect(
            try await cluster.sql("SELECT copies, count(*) FROM dtvr.copies GROUP BY 1", user: "read")
                == "2|13")
        #expect(
            try await cluster.sql("SELECT name, records FROM dtvr.sender_totals ORDER BY 1", user: "read")
                == "team-a|13\nteam-b|13")
        let metrics = try await get("metrics", of: two, token: "abc").text
        #expect(metrics.contains("\ndtvr_ledger_up 1\n"))
        #expect(metrics.contains("\ndtvr_collector_records_total{result=\"duplicate\"} 13\n"))
        #expect(try await get("metrics", of: two).status == 401)
        // The packaged alerts use metrics that exist.
        let rules = try String(
            contentsOfFile: Tool.packageRoot + "/Packaging/prometheus/collector.yml", encoding: .utf8)
        let asked = Set(rules.matches(of: #/dtvr_(?:ledger|collector)_[a-z_]+/#).map { String($0.0) })
        #expect(asked.count == 6)
        for name in asked { #expect(metrics.contains("\n\(name)"), "\(name)") }
        #expect(try await get("healthz", of: two).text == "ok\n")
        let readiness = try await get("readyz", of: two)
        #expect(readiness.status == 200 && readiness.text == #"{"ready":true,"partition_days_ahead":30}"#)
        let status = try await Tool.run("ledger", "status", "--ledger", cluster.uri(user: "read"))
        #expect(status.status == 0 && status.output.contains("30 days ahead"), "\(status)")
        await one.stop()
        await two.stop()
    }

    /// The answer is that of every duplicate.
    @Test func record_thatDiffersFromTheStoredOne_isCounted() async throws {
        try await initialize()
        let collector = try await collector()
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        func post(_ owners: [String], _ more: String) async throws -> String {
            let store = String(repeating: "0", count: 31)
            let lines = owners.enumerated().map { number, owner in
                #"{"id":"\#(store)\#(number)","kind":"data","owner":"\#(owner)","first":1795176000\#(more)}"#
            }
            let header =
                #"{"store":"\#(store)0","version":"dtvr/1","batch":"0123456789abcdef","first_seq":1,"last_seq":2,"#
                + #""losses":{}}"#
            let body = ([header] + lines).joined(separator: "\n") + "\n"
            var request = HTTPRequest(.post(body: Array(body.utf8)), url: collector.url)
            request.headers.append("Content-Type", "application/x-ndjson")
            return String(decoding: try await client.send(request).body, as: UTF8.self)
        }
        let duplicates = #"{"accepted":0,"duplicate":2,"rejected":[]}"#
        #expect(try await post(["o", "o"], "") == #"{"accepted":2,"duplicate":0,"rejected":[]}"#)
        #expect(try await post(["o", "p"], "") == duplicates)
        #expect(
            try await post(["q", "o"], #","received":"2026-11-20T13:00:00Z","source":"udp://1""#)
                == duplicates)
        #expect(try await post(["o", "o"], #","segment":"2.ts""#) == duplicates)
        let status = try await get("status", of: collector).text
        #expect(
            status.contains(#""accepted":2,"duplicate":6,"differs":2,"rejected":0,"batches":4"#), "\(status)")
        let metrics = try await get("metrics", of: collector).text
        for (result, count) in [("accepted", 2), ("duplicate", 6), ("rejected", 0), ("differs", 2)] {
            #expect(metrics.contains("\ndtvr_collector_records_total{result=\"\(result)\"} \(count)\n"))
        }
        await collector.stop()
    }

    @Test func database_thatIsUnreachable_losesNoTags_andIsReported() async throws {
        try await initialize()
        let collector = try await collector()
        await cluster.stop()
        let result = try await send("a", to: collector)
        #expect(result.status == 5)
        #expect(result.errors.contains("unreachable: the ledger's database cannot be reached"), "\(result)")
        let readiness = try await get("readyz", of: collector)
        #expect(readiness.status == 503)
        #expect(readiness.text.hasPrefix(#"{"ready":false,"cause":"unreachable","#), "\(readiness.text)")
        let metrics = try await get("metrics", of: collector).text
        #expect(metrics.contains("\ndtvr_ledger_up 0\n"))
        #expect(!metrics.contains("dtvr_collector_errors_total{cause=\"unreachable\"} 0"))
        #expect(try await get("healthz", of: collector).status == 200)
        try await cluster.start()
        try await wait(for: "readiness") { try await get("readyz", of: collector).status == 200 }
        let upload = try await Tool.run(
            "upload", "--store", folder.path + "/a", "--collector", collector.url)
        #expect(upload.status == 0, "\(upload)")
        #expect(try await cluster.sql("SELECT count(*), count(DISTINCT id) FROM dtvr.tags") == "13|13")
        await collector.stop()
        let log = try String(contentsOfFile: folder.path + "/errors", encoding: .utf8)
        #expect(log.contains("dtvr: ledger: the ledger's database cannot be reached"), "\(log)")
        #expect(log.contains("the ledger accepts batches again"), "\(log)")
    }

    @Test func collector_ofADatabaseThatDoesNotAnswer_isNotReady_andEnds() async throws {
        try await initialize()
        let collector = try await collector()
        try await wait(for: "readiness") { try await get("readyz", of: collector).status == 200 }
        try cluster.pause()
        // The batch waits for its answer, while the check fails earlier.
        async let sent = send("a", to: collector)
        let readiness = try await get("readyz", of: collector)
        let health = try await get("healthz", of: collector)
        let status = await collector.stop()
        try cluster.resume()
        #expect(readiness.status == 503 && readiness.text.contains(#""cause":"unreachable""#), "\(readiness)")
        #expect(health.status == 200 && status == 0)
        #expect(try await sent.status == 5)
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "0")
    }

    @Test func response_lostAfterTheCommit_causesNoDuplicates() async throws {
        try await initialize()
        let collector = try await collector("--fault", "lost-answer@first=1")
        // The sender tries again immediately; the ledger then reports all records as duplicates.
        let result = try await send("a", to: collector)
        #expect(result.status == 0 && result.output.contains("0 accepted, 13 duplicate"), "\(result)")
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "13")
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.receipts") == "13")
        await collector.stop()
    }

    @Test func collector_withoutASchema_starts_andAcceptsBatchesOnceItExists() async throws {
        try await cluster.makeUser("early", in: "admin")
        let collector = try await RunningCollector.start(
            ledger: cluster.uri(user: "early"), home: folder.path, [])
        let readiness = try await get("readyz", of: collector)
        #expect(readiness.status == 503 && readiness.text.contains("run 'dtvr ledger init'"), "\(readiness)")
        #expect(try await send("a", to: collector).status == 5)
        try await initialize()
        _ = try await cluster.sql("GRANT dtvr_insert TO early")
        try await wait(for: "readiness") { try await get("readyz", of: collector).status == 200 }
        let upload = try await Tool.run(
            "upload", "--store", folder.path + "/a", "--collector", collector.url)
        #expect(upload.status == 0, "\(upload)")
        await collector.stop()
    }

    @Test(.timeLimit(.minutes(30))) func tokenFile_onSIGHUP_isReloaded() async throws {
        try await initialize()
        let tokens = try folder.write("tokens", "abc team-a\ndef team-b\n".utf8)
        let collector = try await collector("--token-file", tokens)
        #expect(try await send("a", to: collector, token: "abc").status == 0)
        try folder.write("tokens", "def team-b\n".utf8)
        collector.signal(SIGHUP)
        try await wait(for: "the new tokens") {
            try await get("metrics", of: collector, token: "abc").status == 401
        }
        let revoked = try await send("b", to: collector, token: "abc")
        #expect(revoked.status == 5 && revoked.errors.contains("unauthorized"), "\(revoked)")
        // Nothing is lost: the tags wait for a valid token.
        let upload = try await Tool.run(
            "upload", "--store", folder.path + "/b", "--collector", collector.url,
            environment: ["DTVR_TOKEN": "def"])
        #expect(upload.status == 0, "\(upload)")
        let metrics = try await get("metrics", of: collector, token: "def").text
        #expect(!metrics.contains("dtvr_collector_unauthorized_total 0"))
        // A file with an error changes nothing.
        try folder.write("tokens", "def team/b\n".utf8)
        collector.signal(SIGHUP)
        try await wait(for: "the message") {
            try String(contentsOfFile: folder.path + "/errors", encoding: .utf8).contains(
                "the tokens are unchanged")
        }
        #expect(try await get("metrics", of: collector, token: "def").status == 200)
        await collector.stop()
    }

    /// With a certificate, a collector may listen on every address, and a token crosses the network only encrypted.
    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
    func https_servesEveryAddress_andIsTrustedOnlyWithItsAuthority() async throws {
        try await initialize()
        let (certificate, key) = try await RunningCollector.certificate(in: folder)
        let tokens = try folder.write("tokens", "abc team-a\n".utf8)
        let collector = try await RunningCollector.start(
            ledger: cluster.uri(user: "insert"), home: folder.path,
            ["--certificate", certificate, "--key", key, "--token-file", tokens], listen: "0.0.0.0:0")
        #expect(collector.url.hasPrefix("https://0.0.0.0:"))
        let url = collector.url.replacingOccurrences(of: "0.0.0.0", with: "127.0.0.1")
        let store = folder.path + "/a"
        let untrusted = try await Tool.run(
            "run", playlist, "--store", store, "--collector", url, environment: ["DTVR_TOKEN": "abc"])
        #expect(untrusted.status == 5)
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "0")
        let upload = ["upload", "--store", store, "--collector", url, "--cacert", certificate]
        let unknown = try await Tool.run(arguments: upload, environment: ["DTVR_TOKEN": "abcd"])
        #expect(unknown.status == 5 && unknown.errors.contains("unauthorized"), "\(unknown)")
        let trusted = try await Tool.run(arguments: upload, environment: ["DTVR_TOKEN": "abc"])
        #expect(trusted.status == 0, "\(trusted)")
        #expect(try await cluster.sql("SELECT name, records FROM dtvr.sender_totals") == "team-a|13")
        await collector.stop()
    }

    @Test func files_areImported_once() async throws {
        try await initialize()
        let files = try await RunningCollector.start(folder: folder.path + "/collected")
        #expect(try await send("a", to: files).status == 0)
        await files.stop()
        let call = ["ledger", "import", folder.path + "/collected", "--ledger", cluster.uri(user: "insert")]
        #expect(try await Tool.run(arguments: call).output == "accepted 13, duplicate 0, rejected 0\n")
        #expect(try await Tool.run(arguments: call).output == "accepted 0, duplicate 13, rejected 0\n")
        #expect(try await cluster.sql("SELECT DISTINCT name FROM dtvr.sender_totals") == "import")
        for path in [folder.path + "/a", folder.path + "/none"] {
            let result = try await Tool.run("ledger", "import", path, "--ledger", cluster.uri(user: "insert"))
            #expect(result.status == 3 && !result.errors.isEmpty, "\(result)")
        }
    }

    @Test func prune_dropsOldDays_andEachCommandNeedsItsPrivilege() async throws {
        try await initialize()
        let owner = cluster.uri(user: "owner")
        let prune = try await Tool.run("ledger", "prune", "--retention", "5d", "--ledger", owner)
        #expect(prune.status == 0 && prune.output.contains("30 partitions dropped"), "\(prune)")
        let migrate = try await Tool.run("ledger", "migrate", "--ledger", owner)
        #expect(migrate.output.contains("30 partitions created"), "\(migrate)")
        for call in [["migrate"], ["prune", "--retention", "5d"], ["init"]] {
            let result = try await Tool.run(
                arguments: ["ledger"] + call + ["--ledger", cluster.uri(user: "insert")])
            #expect(result.status == 4 && result.output.isEmpty, "\(call): \(result)")
        }
        await cluster.stop()
        let status = try await Tool.run("ledger", "status", "--ledger", owner)
        #expect(status.status == 4 && status.errors.contains("cannot be reached"), "\(status)")
    }

    @Test func prune_thatLeavesNoRecord_requiresAll() async throws {
        try await initialize()
        _ = try await cluster.sql(
            "INSERT INTO dtvr.tags (id, at, day) VALUES (gen_random_uuid(), now(), current_date - 9)")
        let prune = ["ledger", "prune", "--retention", "8d", "--ledger", cluster.uri(user: "owner")]
        let refused = try await Tool.run(arguments: prune)
        #expect(
            refused.status == 4 && refused.errors.contains("--all") && refused.output.isEmpty, "\(refused)")
        let pruned = try await Tool.run(arguments: prune + ["--all"])
        #expect(pruned.status == 0 && pruned.output.contains("12 partitions dropped"), "\(pruned)")
    }

    @Test func partitions_thatEndSoon_areAWarning_notAnError() async throws {
        try await initialize()
        _ = try await cluster.sql(
            """
            DO $$ DECLARE name text; BEGIN
                FOR name IN SELECT partition FROM dtvr.partitions WHERE day > current_date + 6 LOOP
                    EXECUTE format('DROP TABLE dtvr.%I', name);
                END LOOP;
            END $$
            """)
        let collector = try await collector()
        let readiness = try await get("readyz", of: collector)
        #expect(readiness.status == 200 && readiness.text.contains(#""partition_days_ahead":6,"warning":"#))
        #expect(
            try await get("metrics", of: collector).text.contains("\ndtvr_ledger_partition_days_ahead 6\n"))
        let migrate = try await Tool.run("ledger", "migrate", "--ledger", cluster.uri(user: "owner"))
        #expect(migrate.output.contains("144 partitions created"), "\(migrate)")
        #expect(try await !get("readyz", of: collector).text.contains("warning"))
        await collector.stop()
    }

    /// The environment and a password file are the only sources of a password; `ps` shows the command line.
    @Test func password_fromTheEnvironment_isNeverShown() async throws {
        try await initialize()
        try await cluster.makeUser("secret", in: "dtvr_insert")
        let address = cluster.uri(user: "secret")
        for (password, status) in [("right", Int32(0)), ("wr0ng", 4)] {
            let result = try await Tool.run(
                "ledger", "status", "--ledger", address, environment: ["PGPASSWORD": password])
            #expect(result.status == status && !"\(result)".contains(password), "\(result)")
        }
        for command in [["collect"], ["ledger", "status"]] {
            let refused = try await Tool.run(
                arguments: command + ["--ledger", "postgres://secret:hidden@/dtvr"])
            #expect(refused.status == 2 && !"\(refused)".contains("hidden"), "\(refused)")
        }
        let collector = try await RunningCollector.start(
            ledger: address, home: folder.path, [], environment: ["PGPASSWORD": "wr0ng"])
        let readiness = try await get("readyz", of: collector)
        #expect(
            readiness.status == 503 && readiness.text.contains(#""cause":"authentication""#), "\(readiness)")
        let metrics = try await get("metrics", of: collector).text
        let process = try String(
            contentsOfFile: "/proc/\(collector.processIdentifier)/cmdline", encoding: .utf8)
        await collector.stop()
        let log = try String(contentsOfFile: folder.path + "/errors", encoding: .utf8)
        #expect(log.contains("refuses the collector's login"), "\(log)")
        for text in [metrics, process, log, readiness.text] { #expect(!text.contains("wr0ng")) }
    }
}

/// Usage errors, which need no server.
@Suite(.timeLimit(.minutes(30))) struct LedgerUsageTests {
    private static let address = "postgres://collector@/dtvr?host=/none"

    @Test(arguments: [
        (["collect", "--listen", "0.0.0.0:0"], "not a loopback address"),
        (["collect", "--listen", "[::]:0"], "not a loopback address"),
        (["collect", "--dir", "collected"], "--dir has no effect with --ledger"),
        (["collect", "--fault", "forgetful"], "--fault forgetful requires files"),
        (["ledger"], "no action given"), (["ledger", "iinit"], "did you mean"),
        (["ledger", "init", "now"], "takes no operand"), (["ledger", "import"], "import takes one folder"),
        (["ledger", "prune"], "prune needs --retention"),
        (["ledger", "migrate", "--retention", "5d"], "is for prune, not for migrate"),
        (["ledger", "status", "--all"], "is for prune, not for status"),
    ])
    func call_thatMakesNoSense_isAUsageError(call: [String], message: String) async throws {
        let result = try await Tool.run(arguments: call + ["--ledger", Self.address])
        #expect(result.status == 2 && result.errors.contains(message), "\(result)")
    }

    @Test func setting_thatIsMissing_isAUsageError() async throws {
        for (call, message) in [
            (["collect", "--allow-plain"], "--allow-plain requires --ledger"),
            (["ledger", "status"], "no --ledger given"),
            (["ledger", "status", "--ledger", "db"], "PostgreSQL URI"),
        ] {
            let result = try await Tool.run(arguments: call)
            #expect(result.status == 2 && result.errors.contains(message), "\(result)")
        }
    }
}
