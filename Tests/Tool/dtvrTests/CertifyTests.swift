import Foundation
import NielsenID3
import PlayerCertification
import StreamHealth
import TestSupport
import Testing

@testable import dtvr

/// `dtvr certify` as an integrator calls it.
@Suite(.timeLimit(.minutes(30))) struct CertifyTests {
    static let logs = Project.root + "/Tests/Products/PlayerCertificationTests/Logs"
    static let good = logs + "/order.stop.pass.jsonl"
    static let bad = logs + "/order.stop.fail.jsonl"

    private static func object(_ result: Tool.Result) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(object as? [String: Any])
    }

    @Test func exitStatus_matchesThatOfCheck() async throws {
        #expect(try await Tool.run("certify", Self.good).status == 0)
        #expect(try await Tool.run("certify", Self.bad).status == 1)
        #expect(try await Tool.run("certify", Self.good, Self.bad).status == 1)
        #expect(try await Tool.run("certify", "/no/such.jsonl").status == 3)
        #expect(try await Tool.run("certify", Self.good, "/no/such.jsonl").status == 3)
        #expect(try await Tool.run("certify", "--market", "moon", Self.good).status == 2)
        #expect(try await Tool.run("certify").status == 2)
    }

    @Test func logWithoutAReadableLine_exitsWith3() async throws {
        let folder = try TemporaryFolder()
        for (name, text) in [("empty", ""), ("comments", "# nothing\n"), ("other", "{}\n[1]\nplain text\n")] {
            let log = try folder.write(name, text.utf8)
            let result = try await Tool.run("certify", log)
            #expect(result.status == 3 && result.errors.contains("no call could be read"), "\(result)")
        }
    }

    @Test func text_namesTheRuleAndLine_andListsUnexercisedRules() async throws {
        let result = try await Tool.run("certify", Self.bad)
        #expect(result.output.hasPrefix("FAIL  "), "\(result)")
        #expect(result.output.contains("order.stop: content is loaded while an advertisement plays"))
        #expect(result.output.contains("line 37, 30.0 s, loadMetadata"), "\(result.output)")
        #expect(result.output.contains("market: us") && result.output.contains("not exercised: "))
        #expect(!result.output.contains("seek back by 30"))
        let all = try await Tool.run("certify", "--all", Self.bad)
        #expect(all.output.contains("seek back by 30"))
    }

    @Test func json_hasEachRule_andTheLocationOfEachFinding() async throws {
        let object = try Self.object(try await Tool.run("certify", "--format", "json", Self.bad))
        #expect(object["verdict"] as? String == "fail" && object["market"] as? String == "us")
        let rules = try #require(object["checks"] as? [[String: Any]])
        #expect(rules.compactMap { $0["id"] as? String } == RuleRegistry.declarations.map(\.id.rawValue))
        let stop = try #require(rules.first { $0["id"] as? String == "order.stop" })
        let finding = try #require((stop["findings"] as? [[String: Any]])?.first)
        #expect(finding["line"] as? Int == 37 && finding["call"] as? String == "loadMetadata")
        #expect(finding["viewing"] as? Int == 1 && finding["at"] as? Double == 30)
        let both = try Self.object(
            try await Tool.run("certify", "--format", "json", Self.good, Self.bad))
        #expect((both["inputs"] as? [[String: Any]])?.count == 2 && both["verdict"] as? String == "fail")
    }

    /// The configuration says what the keys of an app mean (guide 002, 5.3).
    @Test func playerConfiguration_namesTheKeysOfTheApp() async throws {
        let folder = try TemporaryFolder()
        let good = try String(contentsOfFile: Self.good, encoding: .utf8)
        let log = try folder.write("calls.jsonl", good.replacing("\"assetid\"", with: "\"MyId\""))
        let configuration = try folder.write("app.json", #"{"variables":{"MyId":"assetid"}}"#)
        #expect(try await Tool.run("certify", log).status == 1)
        let mapped = try await Tool.run("certify", "--player-config", configuration, log)
        #expect(mapped.status == 0, "\(mapped.output)")
        for text in ["[]", "{", #"{"variables":7}"#] {
            let damaged = try folder.write("damaged.json", text)
            let result = try await Tool.run("certify", "--player-config", damaged, log)
            #expect(result.status == 2 && result.errors.contains("--player-config"), "\(result)")
        }
        let missing = try await Tool.run("certify", "--player-config", folder.path + "/none", log)
        #expect(missing.status == 2 && missing.errors.contains("cannot read"), "\(missing)")
    }

    @Test func junit_hasACaseForEachRule() async throws {
        let result = try await Tool.run("certify", "--format", "junit", Self.bad)
        #expect(result.output.contains(#"<testsuites name="dtvr certify""#))
        let count = result.outputLines.count { $0.contains("<testcase ") }
        #expect(count == RuleRegistry.declarations.count)
        #expect(result.output.contains(#"type="order.stop""#))
    }

    /// A page without scripts and without resources from the network; text of the log cannot become markup.
    @Test func html_isSelfContained_andEscapesLogText() async throws {
        let folder = try TemporaryFolder()
        let name = "<script>alert(1)</script>"
        let call = #"{"at":1,"instance":"\#(name)","call":"\#(name)","arguments":["\#(name)"]}"#
        let log = try folder.write(
            "calls.jsonl", try String(contentsOfFile: Self.bad, encoding: .utf8) + call)
        let result = try await Tool.run("certify", "--format", "html", log)
        #expect(result.status == 1 && !result.output.contains("<script>alert"), "\(result.errors)")
        #expect(result.output.contains("Content-Security-Policy") && !result.output.contains("http://"))
        for part in [
            "order.stop", "content is loaded while an advertisement plays", "Playheads", "not exercised: ",
        ] {
            #expect(result.output.contains(part), "\(part)")
        }
        #expect(result.output.contains(#"class="advertisement""#))
    }

    @Test(
        .enabled(if: Browser.isInstalled, "chromium is not installed"), arguments: [1_280, 390],
        [false, true])
    func page_fitsTheWindow_andShowsTheFinding(width: Int, isDark: Bool) async throws {
        let folder = try TemporaryFolder()
        let page = folder.path + "/report.html"
        let made = try await Tool.run("certify", "--format", "html", "--output", page, Self.bad)
        #expect(made.status == 1, "\(made)")
        let visit = try await Browser.visit(
            #"{"open": "file://\#(page)", "width": \#(width), "height": 900, "dark": \#(isDark)}"#,
            #"{"value": "document.documentElement.scrollWidth - innerWidth"}"#,
            #"{"value": "document.querySelectorAll('.plot').length"}"#,
            #"{"value": "document.querySelector('.attention').textContent"}"#,
            #"{"value": "getComputedStyle(document.body).backgroundColor"}"#)
        #expect(visit.number(0) <= 0 && visit.number(1) == 2)
        #expect(visit.text(2).contains("order.stop"))
        #expect(visit.text(3) == (isDark ? "rgb(19, 21, 25)" : "rgb(246, 246, 244)"))
        #expect(visit.complaints.isEmpty, "\(visit.complaints)")
    }

    @Test func guide_listsAndExplainsEachRule() async throws {
        let list = try await Tool.run("certify", "--list")
        let all = try await Tool.run("certify", "--explain", "all")
        #expect(list.status == 0 && all.status == 0)
        for rule in RuleRegistry.declarations {
            #expect(list.output.contains("\(rule.id.rawValue) "))
            #expect(all.output.contains("\(rule.id.rawValue): \(rule.title)"), "\(rule.id)")
        }
        #expect(try await Tool.run("certify", "--explain", "time.gap").status == 2)
        #expect(try await Tool.run("check", "--explain", "order.stop").status == 2)
    }

    /// Writes the log of a player that plays the demo, without the tags with these numbers.
    private static func logOfTheDemo(_ folder: TemporaryFolder, without dropped: Set<Int> = []) async throws
        -> String
    {
        let scan = try await Tool.run("scan", "--format", "jsonl", Tool.demo + "/index.m3u8")
        let owners = try scan.outputLines.compactMap { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
        .compactMap { $0["owner"] as? String }
        var lines = [
            #"{"at":0,"call":"init","arguments":[{"appid":"T0000D7A1-0000-4000-8000-00000000D7A1","appname":"a","appversion":"1","sfcode":"us"}]}"#,
            #"{"at":0,"call":"play","arguments":[{"channelName":"One"}]}"#,
            #"{"at":0,"call":"loadMetadata","arguments":[{"type":"content","assetid":"A"}]}"#,
        ]
        for (number, owner) in owners.enumerated() where !dropped.contains(number) {
            lines.append(#"{"at":\#(number * 10),"call":"sendID3","arguments":["\#(owner)"]}"#)
        }
        return try folder.write("calls.jsonl", lines.joined(separator: "\n"))
    }

    /// A tag that the player dropped fails a rule, and the finding has its time in the stream.
    @Test func against_findsTheTagThatThePlayerDropped() async throws {
        let folder = try TemporaryFolder()
        let stream = Tool.demo + "/index.m3u8"
        let whole = try await Tool.run("certify", "--against", stream, try await Self.logOfTheDemo(folder))
        #expect(whole.status == 0 && whole.output.contains(" pass     against.missing"), "\(whole)")
        let log = try await Self.logOfTheDemo(folder, without: [3])
        let result = try await Tool.run("certify", "--against", stream, "--format", "json", log)
        #expect(result.status == 1, "\(result)")
        let against = try #require(try Self.object(result)["against"] as? [String: Any])
        let sessions = try #require(against["sessions"] as? [[String: Any]])
        #expect(
            sessions.map { $0["missing"] as? Int } == [1] && sessions.map { $0["foreign"] as? Int } == [0])
        #expect(result.output.contains("of the stream was not handed over"))
        #expect(try await Tool.run("certify", "--against", "/no/such.m3u8", log).status == 3)
    }

    /// The records of a session have the same results as its log, as far as the records contain the facts.
    @Test(arguments: ["metadata.values", "metadata.adloadtype", "order.stop"])
    func verdict_ofRecords_matchesThatOfTheLog(id: String) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let log = Self.logs + "/\(id).fail.jsonl"
        #expect(try await Tool.run("replay", "--store", store, log).status == 0)
        let exported = try await Tool.run("store", "export", "--store", store)
        let records = try folder.write("records.jsonl", exported.output.utf8)
        var rules: [[String: String]] = []
        for path in [log, records] {
            let object = try Self.object(try await Tool.run("certify", "--format", "json", path))
            #expect(object["unreadable"] as? Int == 0)
            let checks = try #require(object["checks"] as? [[String: Any]])
            rules.append(
                Dictionary(
                    uniqueKeysWithValues: checks.map {
                        ($0["id"] as? String ?? "", $0["status"] as? String ?? "")
                    }))
        }
        let judged = rules[1].filter { $0.value != "not-run" }
        #expect(judged["metadata.values"] != nil && judged["start.app-keys"] == "pass")
        for (rule, status) in judged { #expect(rules[0][rule] == status, "\(rule)") }
    }

    /// A log that a session wrote during a replay of the log that is certified.
    @Test func verdict_ofALog_matchesThatOfItsReplayLog() async throws {
        for log in [Self.good, Self.bad] {
            let folder = try TemporaryFolder()
            let copy = folder.path + "/copy.jsonl"
            #expect(try await Tool.run("replay", "--log", copy, log).status == 0)
            var verdicts: [String] = []
            for path in [log, copy] {
                let object = try Self.object(try await Tool.run("certify", "--format", "json", path))
                let rules = try #require(object["checks"] as? [[String: Any]])
                verdicts.append(
                    rules.map { "\($0["id"] ?? "") \($0["status"] ?? "")" }.joined(separator: " "))
            }
            #expect(verdicts[0] == verdicts[1])
        }
    }

    static let inputs = Project.root + "/Tests/Products/PlayerCertificationTests/Inputs"

    @Test(arguments: [("session.har", 5, 0), ("ireland-ios.txt", 1, 0), ("italy-amp.json", 0, 1)])
    func otherInputs_areRecognized(name: String, pings: Int, pages: Int) async throws {
        let input = Self.inputs + "/" + name
        let object = try Self.object(try await Tool.run("certify", "--format", "json", input))
        #expect(object["verdict"] as? String == "pass" && object["unreadable"] as? Int == 0)
        #expect(object["pings"] as? Int == pings && object["pages"] as? Int == pages)
        #expect(object["calls"] as? Int == 0)
        let bytes = try Data(contentsOf: URL(filePath: input))
        let piped = try await Tool.run("certify", "-", input: bytes)
        #expect(piped.status == 0 && piped.output.hasPrefix("PASS  "), "\(piped)")
    }

    @Test func pingThatViolatesARule_failsWithItsLineAndKey() async throws {
        let result = try await Tool.run("certify", Self.logs + "/ping.metadata.fail.jsonl")
        #expect(result.status == 1 && result.output.contains("ping.metadata"), "\(result)")
        #expect(result.output.contains("line 1, 0.0 s, ping") && result.output.contains("as cg: program"))
        #expect(result.output.contains("market: ire") && !result.output.contains("not exercised"))
    }

    @Test func inputWithoutAPing_exitsWith3() async throws {
        let folder = try TemporaryFolder()
        for (name, text) in [("a.har", #"{"log":{"entries":[]}}"#), ("urls", "https://example.com/\n")] {
            let result = try await Tool.run("certify", try folder.write(name, text))
            #expect(result.status == 3 && result.errors.contains("and no ping"), "\(result)")
        }
    }

    /// The address of a ping is read, but no connection is made to it.
    @Test func pings_areNeverSent() async throws {
        let server = try LoopbackServer { _ in [.close] }
        let folder = try TemporaryFolder()
        let address = "\(server.base)/cgi-bin/gn?ci=a&sessionId=b"
        let list = try folder.write("urls", address + "\n")
        let archive = try folder.write(
            "a.har", #"{"log":{"entries":[{"request":{"url":"\#(address)","method":"POST"}}]}}"#)
        for input in [list, archive] {
            let result = try await Tool.run("certify", input)
            #expect(result.status == 1 && result.output.contains("1 ping"), "\(result)")
        }
        #expect(server.connectionCount == 0)
    }

    /// Without a network, in a separate namespace, the tool prints the same.
    @Test func pings_withoutANetwork_areChecked() async throws {
        let inputs = ["session.har", "ireland-ios.txt", "italy-amp.json"].map { Self.inputs + "/" + $0 }
        let made = try await FinishedProcess.of(
            "/usr/bin/unshare", ["--map-root-user", "--net", Tool.path, "certify"] + inputs,
            environment: Tool.environment(home: "/"))
        if made.status != 0, String(decoding: made.errors, as: UTF8.self).hasPrefix("unshare:") {
            try Test.cancel("no network of its own can be made here")
        }
        let usual = try await Tool.run(arguments: ["certify"] + inputs)
        #expect(made.status == 0 && String(decoding: made.output, as: UTF8.self) == usual.output)
        #expect(usual.output.contains("5 pings"))
    }
}
