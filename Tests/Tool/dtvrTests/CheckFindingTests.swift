import Foundation
import NielsenID3
import StreamHealth
import TestSupport
import Testing

/// The results of `dtvr check` for streams and logs with less common faults.
@Suite(.timeLimit(.minutes(30))) struct CheckFindingTests {
    /// Writes a copy of a rendition of the demonstration stream, with changes to its playlist and to one segment.
    private static func rendition(
        in folder: TemporaryFolder, playlist change: (String) -> String = { $0 },
        segment name: String? = nil, _ spoil: ([UInt8]) throws -> [UInt8] = { $0 }
    ) throws -> String {
        let source = URL(fileURLWithPath: Tool.demo + "/v360")
        for file in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            var bytes = Array(try Data(contentsOf: source.appendingPathComponent(file)))
            if file == name { bytes = try spoil(bytes) }
            if file == "index.m3u8" { bytes = Array(change(String(decoding: bytes, as: UTF8.self)).utf8) }
            _ = try folder.write(file, bytes)
        }
        return folder.path + "/index.m3u8"
    }

    // MARK: Limits

    /// A limit changes the verdict and every list of problems alike, in every command that has it.
    @Test func longestTagLimit_setByTheUser_changesVerdictAndProblems() async throws {
        let folder = try TemporaryFolder()
        let stream = folder.path + "/stream"
        let made = try await Tool.run("synth", stream, "--fault", "time.duration")
        try #require(made.status == 0, "\(made.errors)")
        let input = stream + "/index.m3u8"
        for (limits, isFound) in [
            ([], true), (["--limit-longest-tag", "100s", "--limit-shortest-tag", "0s"], false),
        ] {
            let (_, verdict) = try await CheckTests.json(arguments: limits + [input])
            #expect(CheckTests.statuses(verdict)["time.duration"] == (isFound ? "fail" : "pass"))
            for format in ["csv", "html"] {
                let report = try await Tool.run(arguments: ["check", "--format", format] + limits + [input])
                let problem = format == "csv" ? ",time.duration\n" : #""problemSets":[["time.duration"]"#
                let other = format == "csv" ? problem : #",["time.duration"]"#
                #expect(
                    (report.output.contains(problem) || report.output.contains(other)) == isFound,
                    "\(format) \(limits)")
            }
            let scan = try await Tool.run(arguments: ["scan", "--format", "jsonl"] + limits + [input])
            #expect(scan.status == 0 && scan.output.contains(#""problems":["time.duration"]"#) == isFound)
            let run = try await Tool.run(
                arguments: ["run", "--store", folder.path + "/store-\(isFound)"] + limits + [input])
            #expect(run.output.contains("problems") == isFound, "\(run.output)")
            let owners = try await Tool.run(
                arguments: ["tag", "--format", "jsonl"] + limits, input: Data(scan.output.utf8))
            #expect(owners.output.contains(#""problems":["time.duration"]"#) == isFound)
        }
    }

    // MARK: Live playlists

    /// A playlist without EXT-X-ENDLIST whose newest date is two days old has stalled.
    @Test func livePlaylist_thatStalled_causesAWarning() async throws {
        let folder = try TemporaryFolder()
        let stale = try Self.rendition(
            in: folder,
            playlist: {
                $0.replacing("#EXT-X-ENDLIST", with: "").replacing("#EXT-X-PLAYLIST-TYPE:VOD\n", with: "")
            })
        let (status, verdict) = try await CheckTests.json(stale)
        #expect(status == 0)
        #expect(CheckTests.statuses(verdict)["time.wall-clock"] == "warn")
        let details = CheckTests.findings(.timeWallClock, in: verdict).compactMap { $0["detail"] as? String }
        #expect(details.contains { $0.hasPrefix("the newest tag's last time is ") }, "\(details)")
        #expect(details.allSatisfy { $0.contains("now: the live playlist ") })
        // The same playlist with an end is a recording, which may have any age.
        let recorded = try await CheckTests.json(Tool.demo + "/v360/index.m3u8")
        #expect(CheckTests.statuses(recorded.verdict)["time.wall-clock"] == "pass")
    }

    // MARK: Logs of a player

    private static func log() async throws -> [String] {
        let scan = try await Tool.run("scan", "--format", "jsonl", Tool.demo + "/index.m3u8")
        return scan.outputLines.map(String.init)
    }

    /// A viewer seeks back, to parts that were seen before or to parts that were not.
    @Test(arguments: [[0..<9, 3..<13], [5..<13, 0..<8], [0..<4, 8..<13, 4..<8]])
    func log_ofAViewerWhoSeeks_passes(parts: [Range<Int>]) async throws {
        let lines = try await Self.log()
        let folder = try TemporaryFolder()
        let log = try folder.write(
            "player.log", parts.flatMap { lines[$0] }.joined(separator: "\n").utf8)
        let (status, verdict) = try await CheckTests.json("--owners", log, Tool.demo + "/v360/index.m3u8")
        let inputs = try #require(verdict["inputs"] as? [[String: Any]])
        #expect(status == 0 && inputs.map { $0["verdict"] as? String } == ["pass", "pass"], "\(inputs)")
        #expect(CheckTests.statuses(inputs[1])["rendition.time-differs"] == "not-run")
        #expect(CheckTests.statuses(inputs[1])["rendition.tags-differ"] == "pass")
    }

    /// A log has no presentation, so its findings have no position in one.
    @Test func log_withAFinding_namesItsLine_withoutAPresentationTime() async throws {
        var lines = try await Self.log()
        lines.remove(at: 6)
        let folder = try TemporaryFolder()
        let log = try folder.write("player.log", lines.joined(separator: "\n").utf8)
        let (status, verdict) = try await CheckTests.json("--owners", log)
        #expect(status == 1)
        #expect(verdict["duration"] as? Double == 0)
        let finding = try #require(CheckTests.findings(.sequenceStep, in: verdict).first)
        #expect((finding["segment"] as? String)?.hasPrefix(log + ":7:") == true, "\(finding)")
        #expect(!(finding["position"] is Double) && !(finding["seconds"] is Double))
        let text = try await Tool.run("check", "--owners", log)
        #expect(!text.output.contains("of media"), "\(text.output)")
    }

    // MARK: Lost bytes

    /// A tag that lost its first five bytes in FFmpeg 5.1 is reported, with the remaining owner identifier.
    @Test func tag_withoutItsFirstFiveBytes_isReportedWithItsOwner() async throws {
        let folder = try TemporaryFolder()
        var owner = ""
        let input = try Self.rendition(in: folder, segment: "seg00003.ts") { bytes in
            let place = try #require(
                bytes.indices.first { bytes[$0...].starts(with: Array("www.nielsen.com/".utf8)) })
            owner = String(decoding: bytes[place..<place + 60], as: UTF8.self)
            return try #require(Samples.withoutFirstFiveBytes(ofTagIn: bytes))
        }
        let (status, verdict) = try await CheckTests.json(input)
        #expect(status == 1)
        let failures = CheckTests.findings(.id3Malformed, in: verdict).filter {
            $0["status"] as? String == "fail"
        }
        let finding = try #require(failures.first)
        let detail = try #require(finding["detail"] as? String)
        #expect(failures.count == 1 && finding["segment"] as? String == "seg00003.ts")
        #expect(detail.contains("has lost its first five bytes, which FFmpeg 5.1"))
        #expect(detail.contains("owner identifier \(owner)"), "\(detail)")
        // The texts for people, and the groups, have no owner identifier.
        let checks = try #require(verdict["checks"] as? [[String: Any]])
        let check = try #require(checks.first { $0["id"] as? String == "id3.malformed" })
        let episodes = try #require(check["episodes"] as? [[String: Any]])
        let example = try #require(episodes.first { $0["status"] as? String == "fail" })
        #expect(example["count"] as? Int == 1)
        #expect((example["detail"] as? String)?.hasSuffix("have the owner identifier …") == true)
        #expect((example["first"] as? [String: Any])?["segment"] as? String == "seg00003.ts")
        for format in ["text", "html"] {
            let report = try await Tool.run("check", input, "--format", format)
            #expect(report.output.contains("first five bytes") && !report.output.contains(owner), "\(format)")
        }
    }
}
