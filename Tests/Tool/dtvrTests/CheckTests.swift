import Foundation
import FoundationXML
import NielsenID3
import StreamHealth
import TestSupport
import Testing

/// `dtvr check` as a user runs it: formats, inputs, comparisons, exit statuses.
@Suite(.timeLimit(.minutes(30))) struct CheckTests {
    static let demo = Tool.demo + "/index.m3u8"

    static func json(_ arguments: String...) async throws -> (status: Int32, verdict: [String: Any]) {
        try await json(arguments: arguments)
    }

    static func json(arguments: [String]) async throws -> (status: Int32, verdict: [String: Any]) {
        let result = try await Tool.run(arguments: ["check", "--format", "json"] + arguments)
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return (result.status, try #require(object as? [String: Any], "\(result.errors)"))
    }

    /// Returns the statuses of the checks in a verdict.
    static func statuses(_ verdict: [String: Any]) -> [String: String] {
        var statuses: [String: String] = [:]
        for check in verdict["checks"] as? [[String: Any]] ?? [] {
            if let id = check["id"] as? String { statuses[id] = check["status"] as? String }
        }
        return statuses
    }

    static func findings(_ id: CheckID, in verdict: [String: Any]) -> [[String: Any]] {
        let check = (verdict["checks"] as? [[String: Any]])?.first { $0["id"] as? String == id.rawValue }
        return check?["findings"] as? [[String: Any]] ?? []
    }

    /// Writes a copy of a rendition of the demonstration stream in which a tag of the fourth segment has another
    /// breakout.
    private static func spoiled(in folder: TemporaryFolder) throws -> String {
        let source = URL(fileURLWithPath: Tool.demo + "/v360")
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            var bytes = Array(try Data(contentsOf: source.appendingPathComponent(name)))
            if name == "seg00003.ts" {
                let tail = Array("/32410/32410/00".utf8) + [0, UInt8(ascii: "A")]
                let place = try #require(bytes.indices.first { bytes[$0...].starts(with: tail) })
                bytes[place + tail.count - 3] = UInt8(ascii: "1")
            }
            _ = try folder.write(name, bytes)
        }
        return folder.path + "/index.m3u8"
    }

    // MARK: Verdicts

    @Test func demonstration_passesEveryCheckThatRuns() async throws {
        let (status, verdict) = try await Self.json(Self.demo)
        #expect(status == 0)
        #expect(verdict["verdict"] as? String == "pass")
        #expect(verdict["source"] as? String == Self.demo)
        #expect(verdict["segments"] as? Int == 57 && verdict["failed_segments"] as? Int == 0)
        #expect(
            verdict["renditions"] as? [String] == ["v360/index.m3u8", "v540/index.m3u8", "audio/index.m3u8"])
        #expect(verdict["tags"] as? [String: Int] == ["data": 12, "info": 1, "unknown": 0, "other_owner": 0])
        let rows = try #require(verdict["checks"] as? [[String: Any]])
        #expect(rows.compactMap { $0["id"] as? String } == CheckID.all.map(\.rawValue))
        let notRun = ["carriage.emsg-form", "info.late", "presence.silent"]
        for (id, status) in Self.statuses(verdict) {
            #expect(status == (notRun.contains(id) ? "not-run" : "pass"), "\(id)")
        }
    }

    @Test func corruptTag_failsOnlyItsCheck_andExitsWith1() async throws {
        let folder = try TemporaryFolder()
        let (status, verdict) = try await Self.json(try Self.spoiled(in: folder))
        #expect(status == 1)
        #expect(verdict["verdict"] as? String == "fail")
        let hits = Self.statuses(verdict).filter { $0.value == "fail" || $0.value == "warn" }
        #expect(hits == ["tag.breakout": "fail"])
        let finding = try #require(Self.findings(.tagBreakout, in: verdict).first)
        #expect(finding["segment"] as? String == "seg00003.ts" && finding["sequence"] as? Int == 2)
    }

    @Test func limit_setByFlagOrVariable_isApplied() async throws {
        let calls: [(arguments: [String], environment: [String: String])] = [
            (["--limit-longest-tag", "8s"], [:]), ([], ["DTVR_LIMIT_LONGEST_TAG": "8"]),
        ]
        for (arguments, environment) in calls {
            let result = try await Tool.run(
                arguments: ["check"] + arguments + [Self.demo], environment: environment)
            #expect(result.status == 1)
            #expect(result.output.contains("limit-longest-tag set to 8 s (default 12)"))
        }
        let two = try await Tool.run(
            "check", "--format", "json", "--limit-findings", "2", "--limit-gap", "0", Self.demo)
        #expect(two.status == 0)
        #expect(try await Tool.run("check", "--limit-gap", "wide", Self.demo).status == 2)
    }

    @Test func livePlaylist_isCheckedByItsWindow_withANote() async throws {
        let folder = try TemporaryFolder()
        let playlist = try Self.spoiled(in: folder)
        let text = try String(contentsOfFile: playlist, encoding: .utf8)
        _ = try folder.write(
            "live.m3u8",
            text.replacing("#EXT-X-ENDLIST", with: "").replacing("#EXT-X-PLAYLIST-TYPE:VOD", with: "").utf8)
        let result = try await Tool.run("check", folder.path + "/live.m3u8")
        #expect(result.status == 1)
        #expect(result.errors.contains("is a live playlist; its current window is read once"))
    }

    @Test func missingSegment_isCountedAndReported_andTheOthersAreChecked() async throws {
        let folder = try TemporaryFolder()
        let playlist = try Self.spoiled(in: folder)
        try FileManager.default.removeItem(atPath: folder.path + "/seg00003.ts")
        let result = try await Tool.run("check", "--format", "json", playlist)
        #expect(result.errors.contains("seg00003.ts: no such file"))
        let verdict = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(verdict["failed_segments"] as? Int == 1)
        #expect(Self.statuses(verdict)["tag.breakout"] == "pass")
    }

    // MARK: Forms

    @Test func csv_hasARowForEachTagOfEachRendition_inTheColumnsOfScan() async throws {
        let folder = try TemporaryFolder()
        let playlist = try Self.spoiled(in: folder)
        let scan = try await Tool.run("scan", "--format", "csv", playlist)
        let check = try await Tool.run("check", "--format", "csv", playlist)
        #expect(check.status == 1)
        #expect(check.output == scan.output)
        #expect(check.outputLines.count { $0.hasSuffix(",tag.breakout") } == 1)
        let all = try await Tool.run("check", "--format", "csv", Self.demo, playlist)
        // A header, 13 tags in each of three renditions, and 13 of the other input.
        #expect(all.outputLines.count == 53)
        #expect(all.outputLines.count { $0.hasPrefix("source,") } == 1)
    }

    @Test func junit_hasASuiteForEachInput_andATestCaseForEachCheck() async throws {
        let folder = try TemporaryFolder()
        let result = try await Tool.run(
            "check", "--format", "junit", Self.demo, try Self.spoiled(in: folder))
        #expect(result.status == 1)
        let document = try XMLDocument(xmlString: result.output)
        let suites = try document.nodes(forXPath: "/testsuites/testsuite")
        #expect(suites.count == 2)
        #expect(try suites[0].nodes(forXPath: "testcase").count == CheckID.all.count)
        let failed = try document.nodes(forXPath: "//testcase[failure]/@name").map(\.stringValue)
        #expect(failed == ["tag.breakout"])
    }

    @Test func html_isSelfContained_withTheInputAndItsTags() async throws {
        let folder = try TemporaryFolder()
        let page = folder.path + "/report.html"
        let result = try await Tool.run("check", "--format", "html", "--output", page, Self.demo)
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.errors.isEmpty)
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.lowercased().hasPrefix("<!doctype html>"))
        #expect(text.contains("media/demo/index.m3u8") && text.contains("seg00003.ts"))
        #expect(!text.contains("src=\"http"))
    }

    @Test func text_isColoredOnlyOnRequest() async throws {
        let plain = try await Tool.run("check", Self.demo)
        #expect(!plain.output.contains("\u{1B}["))
        #expect(plain.output.hasPrefix("PASS  "))
        let coloured = try await Tool.run("check", "--color", "always", Self.demo)
        #expect(coloured.output.contains("\u{1B}["))
        let folder = try TemporaryFolder()
        let file = folder.path + "/verdict.txt"
        let written = try await Tool.run("check", "--color", "always", "--output", file, Self.demo)
        #expect(written.output.isEmpty)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == plain.output)
    }

    // MARK: Several inputs

    @Test func severalInputs_produceAListAndTheWorstVerdict() async throws {
        let folder = try TemporaryFolder()
        let spoiled = try Self.spoiled(in: folder)
        let (status, verdict) = try await Self.json(Self.demo, "/no/such.m3u8", spoiled)
        #expect(status == 1)
        #expect(verdict["verdict"] as? String == "fail")
        let inputs = try #require(verdict["inputs"] as? [[String: Any]])
        #expect(inputs.map { $0["source"] as? String } == [Self.demo, spoiled])
        #expect(inputs.map { $0["verdict"] as? String } == ["pass", "fail"])
    }

    @Test func unreadableInputs_exitWith3() async throws {
        let folder = try TemporaryFolder()
        let playlist = try folder.write(
            "index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:7\n#EXTINF:6,\nno.ts\n#EXT-X-ENDLIST\n".utf8)
        for arguments in [["/no/such.m3u8"], [playlist], ["/no/such.m3u8", playlist]] {
            let result = try await Tool.run(arguments: ["check"] + arguments)
            #expect(result.status == 3)
            #expect(result.output.isEmpty && !result.errors.isEmpty)
            // Formats for programs are written nevertheless.
            let json = try await Tool.run(arguments: ["check", "--format", "json"] + arguments)
            #expect(json.status == 3)
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
            let verdict = try #require(object as? [String: Any])
            #expect(verdict["verdict"] as? String == "not-run")
            let inputs = verdict["inputs"] as? [[String: Any]] ?? [verdict]
            #expect(inputs.map { $0["source"] as? String } == arguments)
            for input in inputs {
                #expect(input["error"] as? String == "Nothing could be read.")
                #expect(Self.statuses(input).count == CheckID.all.count)
                #expect(Self.statuses(input).values.allSatisfy { $0 == "not-run" })
            }
            let file = folder.path + "/report.xml"
            let junit = try await Tool.run(
                arguments: ["check", "--format", "junit", "--output", file] + arguments)
            #expect(junit.status == 3 && junit.output.isEmpty)
            let document = try XMLDocument(xmlString: try String(contentsOfFile: file, encoding: .utf8))
            #expect(try document.nodes(forXPath: "//testcase[error]").count == arguments.count)
            #expect(
                try document.nodes(forXPath: "/testsuites/@errors").first?.stringValue
                    == String(arguments.count))
        }
        #expect(try await Tool.run("check").status == 2)
        let owners = try await Self.json("--owners", "/no/such.log", Self.demo)
        #expect(owners.status == 3 && owners.verdict["source"] as? String == "/no/such.log")
    }

    // MARK: Explanations

    @Test func everyCheck_isListedAndExplained() async throws {
        let list = try await Tool.run("check", "--explain", "list")
        #expect(list.status == 0)
        let listed = list.outputLines.map { line in String(line.prefix { $0 != " " }) }
        #expect(
            listed == CheckID.all.map(\.rawValue) + ["In"] + CheckID.ofMonitorOnly.map(\.rawValue))
        let table = try await Tool.run("check", "--list")
        #expect(table.status == 0 && table.output == list.output)
        let gap = try #require(table.outputLines.first { $0.hasPrefix("time.gap ") })
        #expect(gap.contains(" fail ") && gap.hasSuffix(" [--limit-gap 9s]"), "\(gap)")
        #expect(gap.contains(try #require(CheckID.timeGap.declaration).title))
        for limit in HealthLimit.all where limit != .findings && limit != .silence {
            #expect(table.output.contains("--\(limit.name) "), "\(limit)")
        }
        #expect(try await Tool.run("check", "--list", Self.demo).status == 2)
        let all = try await Tool.run("check", "--explain", "all")
        for check in CheckRegistry.declarations + CheckRegistry.liveDeclarations {
            #expect(all.output.contains("\(check.id.rawValue): \(check.title)"))
        }
        for rule in ReportedRule.all { #expect(all.output.contains("\n\(rule.id): "), "\(rule.id)") }
        let expected = try await Tool.run("check", "--explain", "id3.expected")
        #expect(expected.status == 0 && expected.output.hasPrefix("id3.expected: "))
        let one = try await Tool.run("check", "--explain", "time.gap", "--limit-gap", "12s")
        #expect(one.output.hasPrefix("time.gap: ") && one.output.contains("limit-gap = 12 s"))
        let none = try await Tool.run("check", "--explain", "time.gaps")
        #expect(none.status == 2 && none.errors.contains("--explain takes ID|all|list, not 'time.gaps'"))
    }

    // MARK: Comparisons

    @Test func against_aCopyOfTheStream_passes_andNamesALostTag() async throws {
        let folder = try TemporaryFolder()
        let playlist = try Self.spoiled(in: folder)
        let same = try await Self.json("--against", Self.demo, playlist)
        #expect(Self.statuses(same.verdict)["rendition.tags-differ"] == "pass")
        #expect(Self.statuses(same.verdict)["rendition.time-differs"] == "pass")
        // The fourth segment is not in the playlist, so its tag is lost.
        let text = try String(contentsOfFile: playlist, encoding: .utf8)
        let lines = text.split(separator: "\n")
        let lost = try #require(lines.firstIndex(of: "seg00003.ts"))
        var short = lines.map(String.init)
        short.replaceSubrange((lost - 2)...lost, with: ["#EXT-X-DISCONTINUITY"])
        _ = try folder.write("short.m3u8", short.joined(separator: "\n").utf8)
        let (status, verdict) = try await Self.json("--against", Self.demo, folder.path + "/short.m3u8")
        #expect(status == 1)
        let finding = try #require(Self.findings(.renditionTagsDiffer, in: verdict).first)
        #expect((finding["detail"] as? String)?.hasPrefix("DATA tag 2 is in ") == true, "\(finding)")
        let missing = try await Tool.run("check", "--against", "/no/such.m3u8", Self.demo)
        #expect(missing.status == 3)
    }

    @Test func ownersInAText_areCheckedAlone_andAgainstTheStream() async throws {
        let scan = try await Tool.run("scan", "--format", "jsonl", Self.demo)
        let folder = try TemporaryFolder()
        let log = try folder.write("player.log", scan.output.utf8)
        let alone = try await Self.json("--owners", log)
        #expect(alone.status == 0)
        #expect(
            alone.verdict["tags"] as? [String: Int] == [
                "data": 12, "info": 1, "unknown": 0, "other_owner": 0,
            ])
        #expect(Self.statuses(alone.verdict)["sequence.step"] == "pass")
        #expect(Self.statuses(alone.verdict)["tag.header"] == "not-run")
        let both = try await Self.json("--owners", log, Self.demo)
        #expect(both.status == 0)
        let stream = try #require((both.verdict["inputs"] as? [[String: Any]])?.last)
        #expect(Self.statuses(stream)["rendition.tags-differ"] == "pass")
        // A player that lost a tag.
        let lines = scan.outputLines.enumerated().filter { $0.offset != 6 }.map(\.element)
        let short = try folder.write("short.log", lines.joined(separator: "\n").utf8)
        let lossy = try await Self.json("--owners", short, Self.demo)
        #expect(lossy.status == 1)
        let inputs = try #require(lossy.verdict["inputs"] as? [[String: Any]])
        #expect(Self.statuses(inputs[0])["sequence.step"] == "fail")
        let finding = try #require(Self.findings(.renditionTagsDiffer, in: inputs[1]).first)
        #expect((finding["detail"] as? String)?.contains("not in \(short)") == true, "\(finding)")
    }

    @Test func ownerInAText_thatIsWrapped_isRepairedAndReported() async throws {
        let scan = try await Tool.run("scan", "--format", "jsonl", Self.demo)
        let line = String(try #require(scan.outputLines.dropFirst().first))
        let start = try #require(line.range(of: "www.nielsen.com/"))
        let middle = line.index(start.upperBound, offsetBy: 100)
        let wrapped = line[..<middle] + "\n    " + line[middle...]
        let result = try await Tool.run(
            "check", "--format", "json", "--owners", "-", input: Data(wrapped.utf8))
        #expect(result.status == 0)
        let verdict = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let findings = Self.findings(.tagFormat, in: verdict)
        #expect(findings.count == 1 && findings.first?["status"] as? String == "pass", "\(findings)")
        #expect(result.errors.contains("repaired: "), "\(result.errors)")
    }

    @Test func owners_thatCannotBeUsed_areAnError() async throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("notes.txt", "remember the milk".utf8)
        let empty = try await Tool.run("check", "--owners", text, Self.demo)
        #expect(empty.status == 3 && empty.errors.contains("contains no owner identifier"))
        #expect(try await Tool.run("check", "--owners", "/no/such", Self.demo).status == 3)
        #expect(try await Tool.run("check", "--owners", text, "--format", "csv", Self.demo).status == 2)
    }
}
