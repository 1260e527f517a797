import Foundation
import TestSupport
import Testing

extension SettingEffectTests {
    /// A packed-audio segment: a tag of another owner and ADTS frames.
    static var packedAudio: [UInt8] {
        let body = Array("\u{3}name\u{0}value\u{0}".utf8)
        let text = Array("TXXX".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(text.count)] + text
        let frame: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC] + [UInt8](repeating: 0, count: 9)
        return tag + (0..<20).flatMap { _ in frame }
    }

    static func otherOwners(_ folder: TemporaryFolder) async throws {
        let file = try folder.write("other.aac", packedAudio)
        #expect(try await output("scan", "--all", "--format", "jsonl", file).contains("TXXX"))
        #expect(try await output("scan", "--format", "jsonl", file).isEmpty)
    }

    /// `InputListTests` has the other tests of this setting and of the next two.
    static func inputList(_ folder: TemporaryFolder) async throws {
        let list = try folder.write("inputs.txt", "\(segment)\n".utf8)
        let named = try await output("scan", "--format", "jsonl", segment)
        #expect(try await output("scan", "--format", "jsonl", "--inputs", list) == named && !named.isEmpty)
    }

    /// `OperandTests` has the other tests of this setting.
    static func separateSegments(_ folder: TemporaryFolder) async throws {
        let (one, other) = (segment, Tool.demo + "/v360/seg00012.ts")
        for (arguments, suites) in [([], 1), (["--separate"], 2)] {
            let check = try await Tool.run(
                arguments: ["check", "--format", "jsonl"] + arguments + [one, other])
            #expect(check.outputLines.count == suites, "\(check)")
            let scan = try await Tool.run(arguments: ["scan", "--format", "csv"] + arguments + [one, other])
            #expect(scan.output.contains(one) == (suites == 2), "\(scan)")
            let run = try await Tool.run(
                arguments: ["run", "--store", "\(folder.path)/\(suites)"] + arguments + [one, other])
            #expect(run.output.contains("read       2 segments"), "\(run)")
            // Between the two segments, another one is missing.
            #expect(run.output.contains("verdict    pass") == (suites == 2), "\(run)")
        }
    }

    static func shards(_ folder: TemporaryFolder) async throws {
        var outputs: [String] = []
        for shard in 0..<4 {
            outputs.append(try await output("scan", "--format", "jsonl", "--shard", "\(shard)/4", segment))
        }
        #expect(outputs.count { !$0.isEmpty } == 1)
    }

    static func resumedCheck(_ folder: TemporaryFolder) async throws {
        let file = folder.path + "/lines.jsonl"
        let arguments = ["check", "--format", "jsonl", "--resume", file, segment]
        for _ in 0..<2 { #expect(try await Tool.run(arguments: arguments).output.isEmpty) }
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains(#""verdict":"pass""#), "\(lines)")
    }

    /// `AddressSecretTests` has the other tests of this setting.
    static func shownSecrets(_ folder: TemporaryFolder) async throws {
        let address = "http://user@127.0.0.1:1/?s3cret"
        for (arguments, isShown) in [([], false), (["--show-secrets"], true)] {
            let result = try await Tool.run(arguments: ["scan"] + arguments + [address])
            #expect(result.status == 3 && result.errors.contains(address) == isShown, "\(result)")
        }
    }

    static func renditions(_ folder: TemporaryFolder) async throws {
        let (v360, v540, audio) = ("v360/index.m3u8", "v540/index.m3u8", "audio/index.m3u8")
        for (choice, read) in [
            ("all", [v360, v540, audio]), ("lowest", [v360, audio]), ("highest", [v540, audio]),
            ("audio", [audio]), (v540, [v540]),
        ] {
            let verdict = try await CheckTests.json("--rendition", choice, playlist).verdict
            #expect(verdict["renditions"] as? [String] == read, "\(choice)")
        }
        let none = try await Tool.run("scan", "--rendition", "none.m3u8", playlist)
        #expect(none.status == 3 && none.errors.contains("has no rendition 'none.m3u8'"))
    }

    /// There are as many reading threads as jobs, and the tags are the same.
    static func jobs(_ folder: TemporaryFolder) async throws {
        let one = try await output("scan", "--jobs", "1", "--format", "csv", playlist)
        #expect(try await output("scan", "--jobs", "3", "--format", "csv", playlist) == one)
        let text = EndlessInputTests.playlist(["a.ts"])
        for jobs in [1, 5] {
            let server = try LoopbackServer { request in
                request.target == "/index.m3u8" ? ServedResource(text).answer(to: request) : [.hang]
            }
            defer { server.stop() }
            let tool = try await InterruptedTool(
                ["scan", "--jobs", String(jobs), server.base + "/index.m3u8"]
            ) { process in
                // The first thread sends its request before the last one has started.
                let count = try process.threadNames().count { $0 == "dtvr-read" }
                guard server.wasAsked(for: "/a.ts"), count >= jobs else { return false }
                #expect(count == jobs)
                return true
            }
            #expect(tool.result.status == 130)
        }
    }

    static func segmentLimit(_ folder: TemporaryFolder) async throws {
        let count = try EndlessInputTests.segment().count
        let part = try folder.write("index.m3u8", EndlessInputTests.playlist([segment]).utf8)
        #expect(try await output("scan", "--max-segment-bytes", "\(count)", "--format", "jsonl", part) != "")
        let result = try await Tool.run("scan", "--max-segment-bytes", "\(count - 1)", part)
        #expect(result.errors.contains("is larger than \(count - 1) bytes"), "\(result)")
    }

    /// The public address is in a separate network namespace that only this test uses.
    static func privateAddresses(_ folder: TemporaryFolder) async throws {
        try FileManager.default.copyItem(atPath: segment, toPath: folder.path + "/a.ts")
        let text = EndlessInputTests.playlist(["http://127.0.0.1:8000/a.ts"])
        _ = try folder.write("index.m3u8", text.utf8)
        let script = """
            ip link set lo up && ip address add 9.9.9.9/32 dev lo || exit 77
            cd '\(folder.path)' && python3 -m http.server --bind 0.0.0.0 8000 >/dev/null 2>&1 &
            until (exec 3<>/dev/tcp/9.9.9.9/8000) 2>/dev/null; do sleep 0.05; done
            for option in '' --allow-private; do
                '\(Tool.path)' scan $option --format jsonl http://9.9.9.9:8000/index.m3u8
                echo "status $?"
            done
            """
        // The server ends with the script, which is the first process of its namespace. The threads of the tool have
        // other numbers in the namespace, and libdispatch looks these numbers up in /proc.
        let made = try await FinishedProcess.of(
            "/usr/bin/unshare",
            [
                "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c",
                script,
            ])
        if made.status == 77 || made.output.isEmpty {
            // A container may not create networks; the tests of PlaylistOrigin also cover the rule.
            try Test.cancel("no network of its own can be made here")
        }
        let lines = String(decoding: made.output, as: UTF8.self).split(separator: "\n")
        #expect(lines.first == "status 3" && lines.last == "status 0" && lines.count == 3, "\(lines)")
        let errors = String(decoding: made.errors, as: UTF8.self)
        #expect(errors.contains("its scope is loopback"), "\(errors)")
    }
}

extension ChildProcess {
    /// Returns the names of the threads.
    fileprivate func threadNames() throws -> [String] {
        let tasks = "/proc/\(processIdentifier)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap { task in
            // A thread may end between the two reads.
            FileManager.default.contents(atPath: "\(tasks)/\(task)/comm")
                .map { String(decoding: $0.dropLast(), as: UTF8.self) }
        }
    }
}
