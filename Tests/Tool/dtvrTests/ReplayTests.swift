import Foundation
import PlayerSession
import TestSupport
import Testing

@testable import dtvr

/// `dtvr replay` as a user calls it: its output, the destinations of the tags, and its exit statuses.
@Suite(.timeLimit(.minutes(30))) struct ReplayTests {
    static let traces = Project.root + "/Tests/Products/PlayerSessionTests/Traces"
    static let trace = traces + "/linear.jsonl"

    private static func objects(_ result: Tool.Result) throws -> [[String: Any]] {
        try result.outputLines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
    }

    @Test func trace_printsOneLinePerCall_andIsDelivered() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let result = try await Tool.run(
            "replay", "--format", "jsonl", "--store", folder.path + "/store", "--collector", collector.url,
            Self.trace)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        let objects = try Self.objects(result)
        #expect(objects.count == 41)
        #expect(objects.first?["call"] as? String == "init" && objects.first?["line"] as? Int == 2)
        #expect(objects.dropLast().allSatisfy { ($0["findings"] as? [String]) == [] })
        let summary = try #require(objects.last?["summary"] as? [String: Any])
        #expect(summary["handed"] as? Int == 6 && summary["stored"] as? Int == 6)
        #expect(summary["sessions"] as? Int == 1)
        // The tags, the app, the asset and its playback.
        #expect(try await collector.counts() == [10, 0, 0])
        await collector.stop()
    }

    /// A log of more tags than the memory queue of a player holds.
    @Test func longLog_isReplayedWithoutLoss() async throws {
        let folder = try TemporaryFolder()
        var lines = #"{"at":0,"call":"init","arguments":[{"appid":"T1"}]}"# + "\n"
        let filler = String(repeating: "x", count: 240)
        for number in 0..<12_000 {
            lines +=
                #"{"at":1,"call":"sendID3","arguments":["www.nielsen.com/\#(number)/\#(filler)"]}"# + "\n"
        }
        let log = try folder.write("calls.jsonl", lines.utf8)
        let result = try await Tool.run("replay", "--format", "jsonl", "--store", folder.path + "/store", log)
        #expect(result.status == 0 && result.errors.isEmpty)
        let summary = try #require(try Self.objects(result).last?["summary"] as? [String: Any])
        #expect(summary["stored"] as? Int == 12_000)
        // The tags, and the record of the app.
        let buffer = try #require(summary["buffer"] as? [String: Int])
        #expect(
            buffer == ["accepted": 12_002, "delivered": 0, "waiting": 12_002, "lost": 0, "refused": 0])
    }

    @Test func table_hasARowForEachCall_andASummary() async throws {
        let folder = try TemporaryFolder()
        let result = try await Tool.run("replay", "--store", folder.path + "/store", Self.trace)
        #expect(result.status == 0)
        #expect(result.outputLines.count { $0.contains("sendID3") && $0.contains("stored") } == 6)
        #expect(result.outputLines.contains { $0.hasPrefix("6 handed, 6 stored") })
    }

    /// A log is a test: its tags must not be in the buffer that the next upload sends, even if a setting names that
    /// buffer.
    @Test func replay_withoutTheStoreFlag_usesATemporaryBuffer_andDeletesIt() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let state = folder.path + "/state"
        let temporary = folder.path + "/tmp"
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
        for (variable, store) in [("XDG_STATE_HOME", state), ("DTVR_STORE", state + "/named")] {
            let result = try await Tool.run(
                arguments: ["replay", "--collector", collector.url, Self.trace],
                environment: ["TMPDIR": temporary, variable: store])
            #expect(result.status == 0, "\(result)")
        }
        // Each session is a different one, with different tags.
        #expect(try await collector.counts() == [20, 0, 0])
        let refused = try await Tool.run(
            arguments: ["replay", "--collector", "http://127.0.0.1:9/", "--timeout", "0s", Self.trace],
            environment: ["TMPDIR": temporary])
        #expect(refused.status == 5, "\(refused)")
        #expect(
            refused.errors.contains("10 records are deleted with the temporary buffer; --store keeps them"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: state))
        let wait = try await Tool.run("replay", "--wait", "1s", Self.trace)
        #expect(wait.status == 2 && wait.errors.hasPrefix("dtvr: --wait requires --store\n"))
    }

    /// All kinds of records are listed, exported and collected, in the order of the calls.
    @Test func records_ofAllKinds_areListedExportedAndCollected() async throws {
        let folder = try TemporaryFolder()
        let log = try folder.write(
            "calls.jsonl",
            #"""
            {"at":0,"call":"init","arguments":[{"appid":"T1"}]}
            {"at":0,"call":"play","arguments":[{"channelName":"One","dataSrc":"cms"}]}
            {"at":0,"call":"loadMetadata","arguments":[{"type":"content","assetid":"A1"}]}
            {"at":1,"call":"playheadPosition","arguments":[1]}
            {"at":3,"call":"playheadPosition","arguments":[3]}
            {"at":3,"call":"end","arguments":[]}
            {"at":4,"call":"sendID3","arguments":["www.nielsen.com/a"]}
            """#.utf8)
        let store = folder.path + "/store"
        let replayed = try await Tool.run("replay", "--format", "jsonl", "--store", store, log)
        let summary = try #require(try Self.objects(replayed).last?["summary"] as? [String: Any])
        #expect(replayed.status == 0 && summary["stored"] as? Int == 1)
        let list = try await Tool.run("store", "list", "--store", store)
        #expect(list.status == 0 && list.outputLines.count == 7)
        for (line, words) in zip(
            list.outputLines.dropFirst(),
            [["app", "T1"], ["asset", "A1"], ["session", "A1"], ["asset", "A1"], ["player"], ["run"]])
        {
            for word in words { #expect(line.contains(word), "\(line)") }
        }
        let export = try await Tool.run("store", "export", "--store", store)
        let records = try Self.objects(export)
        #expect(
            export.status == 0
                && records.map { $0["kind"] as? String } == ["app", "asset", "session", "asset", nil, "run"])
        #expect(records[2]["watched"] as? Double == 2 && records[2]["owner"] == nil)
        let json = try await Tool.run("store", "list", "--format", "json", "--store", store)
        let listed = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
        #expect(listed?.map { $0["id"] as? String } == records.map { $0["id"] as? String })

        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = try await Tool.run("upload", "--store", store, "--collector", collector.url)
        #expect(upload.status == 0)
        #expect(try await collector.counts() == [6, 0, 0])
        await collector.stop()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/collected")
            .filter { $0.hasPrefix("tags-") }.map { folder.path + "/collected/" + $0 }
        let compared = try await FinishedProcess.of(
            "/usr/bin/python3", [Project.root + "/Scripts/record-schema.py"] + files)
        #expect(compared.status == 0, "\(String(decoding: compared.output, as: UTF8.self))")
        #expect(String(decoding: compared.output, as: UTF8.self) == "6 records, 0 errors\n")
    }

    /// A log may contain anything, but a log with only unreadable lines is an invalid input.
    @Test(arguments: [
        ("", Int32(0)), ("# only\n# comments\n", 0), ("not JSON\n", 3), ("{}\n[]\n\u{0}\n", 3),
        ("{}\n{\"call\":\"no-such-call\"}\n", 0), ("{\"call\":\"ggPM\",\"arguments\":[\"ggPM\"]}", 0),
        (
            "{\"at\":1e308,\"call\":\"playheadPosition\",\"arguments\":[1e308]}\n{\"at\":-5,\"call\":\"end\"}",
            0
        ),
    ])
    func log_withAnyContents_hasItsExitStatus(text: String, status: Int32) async throws {
        let folder = try TemporaryFolder()
        let log = try folder.write("calls.jsonl", text.utf8)
        let result = try await Tool.run(
            "replay", "--format", "jsonl", "--store", folder.path + "/store", log)
        #expect(result.status == status, "\(result)")
        #expect(try Self.objects(result).last?["summary"] != nil)
    }

    @Test func unreadableLine_hasItsReason_inTextAndJSON() async throws {
        let folder = try TemporaryFolder()
        let log = try folder.write("calls.jsonl", "{\"at\":1}\n{\"call\":\"end\"\n".utf8)
        let store = folder.path + "/store"
        let json = try await Tool.run("replay", "--format", "jsonl", "--store", store, log)
        let reasons = try Self.objects(json).map { $0["reason"] as? String }
        #expect(reasons == ["it has no 'call'", "its JSON is incomplete", nil], "\(json)")
        let text = try await Tool.run("replay", "--store", store, log)
        #expect(text.outputLines[0].hasSuffix("  it has no 'call'"), "\(text)")
        let none = try await Tool.run("certify", log)
        #expect(none.errors.contains("and no ping; line 1: it has no 'call'"), "\(none)")
        let other = try folder.write("more.jsonl", "{\"at\":1}\n{\"call\":\"end\"}\n".utf8)
        let certify = try await Tool.run("certify", other)
        #expect(
            certify.output.contains("the line cannot be read, and is left out: it has no 'call'"),
            "\(certify)")
    }

    @Test func log_thatIsMissing_exitsWith3_unlessAnotherIsRead() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        #expect(try await Tool.run("replay", "--store", store, "/no/such.jsonl").status == 3)
        let result = try await Tool.run(
            "replay", "--format", "jsonl", "--store", store, "/no/such.jsonl", Self.trace)
        #expect(result.status == 0 && result.errors.contains("/no/such.jsonl"))
        #expect(try Self.objects(result).first?["log"] as? String == Self.trace)
    }

    @Test func instances_areSeparateSessions() async throws {
        let folder = try TemporaryFolder()
        let lines = ["a", "b"].flatMap { instance in
            [
                #"{"at":0,"call":"init","arguments":[{"appid":"T1"}],"instance":"\#(instance)"}"#,
                #"{"at":1,"call":"sendID3","arguments":["www.nielsen.com/x"],"instance":"\#(instance)"}"#,
            ]
        }
        let log = try folder.write("calls.jsonl", lines.joined(separator: "\n").utf8)
        let result = try await Tool.run(
            "replay", "--format", "jsonl", "--store", folder.path + "/store", log)
        let objects = try Self.objects(result)
        #expect(objects.compactMap { $0["instance"] as? String } == ["a", "a", "b", "b"])
        let summary = try #require(objects.last?["summary"] as? [String: Any])
        #expect(summary["stored"] as? Int == 2 && summary["sessions"] as? Int == 2)
    }

    @Test func guide_listsAndExplainsEachFinding() async throws {
        let list = try await Tool.run("replay", "--list")
        let all = try await Tool.run("replay", "--explain", "all")
        #expect(list.status == 0 && all.status == 0)
        for entry in FindingReference.entries {
            #expect(list.output.contains("\(entry.finding) "))
            let one = try await Tool.run("replay", "--explain", entry.finding.rawValue)
            #expect(one.status == 0 && one.output.hasPrefix("\(entry.finding): "), "\(one)")
            let words = one.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for text in [entry.meaning, entry.action, entry.rule.source] {
                #expect(
                    words.contains(text.split(whereSeparator: \.isWhitespace).joined(separator: " ")),
                    "\(one)")
            }
            #expect(all.output.contains(one.output.split(separator: "\n")[0]))
        }
        #expect(try await Tool.run("replay", "--explain", "order.stop").status == 2)
        #expect(try await Tool.run("replay", "--explain", "all", Self.trace).status == 2)
        #expect(try await Tool.run("replay", "--list", "--speed", "1").status == 2)
    }

    /// A call that asks for something has its answer; the log of a replay has the level that the app names.
    @Test func questions_areAnswered_andTheLogHasTheLevelOfTheApp() async throws {
        let folder = try TemporaryFolder()
        func calls(_ level: String) throws -> String {
            try folder.write(
                "calls.jsonl",
                #"""
                {"at":0,"call":"init","arguments":[{"appid":"T1","nol_devDebug":"\#(level)"}]}
                {"at":1,"call":"optOutStatus","arguments":[]}
                {"at":2,"call":"getLastOccurredEvent","arguments":[]}
                {"at":3,"call":"sendID3","arguments":[""]}
                """#.utf8)
        }
        let copy = folder.path + "/copy.jsonl"
        for (level, names) in [
            ("DEBUG", ["init", "optOutStatus", "getLastOccurredEvent", "sendID3", "free"]),
            ("INFO", ["init", "sendID3", "free"]), ("WARN", ["sendID3"]), ("ERROR", ["sendID3"]),
        ] {
            let result = try await Tool.run("replay", "--format", "jsonl", "--log", copy, try calls(level))
            let objects = try Self.objects(result)
            #expect(objects[1]["value"] as? Bool == false)
            #expect((objects[2]["value"] as? [String: Any])?["code"] as? Int == 2_001)
            let log = try String(contentsOfFile: copy, encoding: .utf8).split(separator: "\n")
            #expect(
                log.count == names.count && zip(log, names).allSatisfy { $0.contains("\"\($1)\"") }, "\(log)")
        }
        let text = try await Tool.run("replay", try calls("INFO"))
        #expect(text.outputLines[1].hasSuffix("= false"), "\(text)")
    }

    /// A tag that is held when a log ends is delivered as not presented.
    @Test func heldTag_atTheEnd_isDeliveredAsNotPresented() async throws {
        let folder = try TemporaryFolder()
        let log = try folder.write(
            "calls.jsonl",
            #"{"at":0,"call":"sendID3","arguments":["www.nielsen.com/x",30]}"#.utf8)
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let result = try await Tool.run(
            "replay", "--format", "jsonl", "--store", folder.path + "/store", "--collector", collector.url,
            log)
        #expect(result.status == 0)
        let summary = try #require(try Self.objects(result).last?["summary"] as? [String: Any])
        #expect(summary["held"] as? Int == 1 && summary["flushed"] as? Int == 0)
        #expect(try await collector.counts() == [1, 0, 0])
        await collector.stop()
        let record = try #require(try RunningCollector.records(in: folder.path + "/collected").first)
        #expect(record["presented"] as? Bool == false && record["media_time"] as? Double == 30, "\(record)")
    }
}
