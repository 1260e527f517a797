import Foundation
import TestSupport
import Testing

/// Inputs that never end or never begin: each has a limit, and valid inputs beside it are read.
@Suite(.timeLimit(.minutes(30))) struct EndlessInputTests {
    static func segment(_ name: String = "seg00001.ts") throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: Tool.demo + "/v360/" + name)))
    }

    static func playlist(_ uris: [String], header: String = "") -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:7\n\(header)"
            + uris.map { "#EXTINF:6.4,\n\($0)\n" }.joined() + "#EXT-X-ENDLIST\n"
    }

    /// Returns the header of an answer, followed by an endless body.
    static func endless(_ fields: String...) -> [LoopbackServer.Step] {
        let lines = ["HTTP/1.1 200 OK", "Connection: close"] + fields
        return [
            .send(lines.joined(separator: "\r\n") + "\r\n\r\n"), .flood(count: .max, size: 1 << 20),
        ]
    }

    private static func answer(_ resources: [String: [LoopbackServer.Step]]) throws -> LoopbackServer {
        try LoopbackServer { resources[$0.target] ?? [response("404 Not Found")] }
    }

    private static func answer(_ bytes: [UInt8], _ fields: String...) -> [LoopbackServer.Step] {
        let lines = ["HTTP/1.1 200 OK", "Content-Length: \(bytes.count)"] + fields
        return [.send(lines.joined(separator: "\r\n") + "\r\n\r\n"), .sendBytes(bytes)]
    }

    @Test(arguments: ["/dev/zero", "/dev/urandom", "pipe.ts", "directory.ts"])
    func playlist_withANonRegularFile_reportsItAndReadsTheOthers(name: String) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("a.ts", Self.segment())
        // The paths are strings that stay alive during the calls.
        #expect(unsafe mkfifo(folder.path + "/pipe.ts", 0o600) == 0)
        #expect(unsafe mkdir(folder.path + "/directory.ts", 0o700) == 0)
        let playlist = try folder.write("index.m3u8", Self.playlist([name, "a.ts"]).utf8)
        let result = try await Tool.run("scan", "--format", "jsonl", playlist)
        #expect(result.status == 0)
        #expect(result.outputLines.count == 1)
        let reason = name == "directory.ts" ? "is a directory" : "is not a regular file"
        #expect(result.errors.contains(name) && result.errors.contains(reason), "\(result.errors)")
    }

    @Test func multivariantPlaylist_thatNamesADevice_exitsWith3() async throws {
        let folder = try TemporaryFolder()
        let playlist = try folder.write(
            "main.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n/dev/zero\n".utf8)
        let result = try await Tool.run("scan", playlist)
        #expect(result.status == 3)
        #expect(result.errors.contains("/dev/zero: is not a regular file"), "\(result.errors)")
    }

    @Test func segment_largerThanTheLimit_keepsTheTagsBeforeIt() async throws {
        let folder = try TemporaryFolder()
        let bytes = try Self.segment()
        _ = try folder.write("a.ts", bytes + [UInt8](repeating: 0xFF, count: 1_000_000))
        _ = try folder.write("b.ts", try Self.segment("seg00003.ts"))
        let playlist = try folder.write("index.m3u8", Self.playlist(["a.ts", "b.ts"]).utf8)
        let result = try await Tool.run(
            "scan", "--format", "jsonl", "--max-segment-bytes", "\(bytes.count)", playlist)
        #expect(result.status == 0)
        #expect(result.outputLines.count == 2)
        #expect(result.errors.contains("a.ts: is larger than \(bytes.count) bytes"), "\(result.errors)")
        // An input that the user names has no limit.
        let alone = try await Tool.run("scan", "--max-segment-bytes", "1000", folder.path + "/b.ts")
        #expect(alone.status == 0 && alone.errors.isEmpty, "\(alone.errors)")
    }

    @Test(arguments: [[], ["Transfer-Encoding: chunked"]])
    func endlessNetworkSegment_endsAtTheLimit_andTheOthersAreRead(fields: [String]) async throws {
        var steps = Self.endless(fields.first ?? "X-Plain: yes")
        // A single chunk that never ends either.
        if !fields.isEmpty { steps.insert(.send("7fffffffffffffff\r\n"), at: 1) }
        let server = try Self.answer([
            "/index.m3u8": Self.answer(Array(Self.playlist(["endless.ts", "a.ts"]).utf8)),
            "/endless.ts": steps, "/a.ts": Self.answer(try Self.segment()),
        ])
        defer { server.stop() }
        let result = try await Tool.run(
            "scan", "--format", "jsonl", "--max-segment-bytes", "4MiB", server.base + "/index.m3u8")
        #expect(result.status == 0)
        #expect(result.outputLines.count == 1)
        #expect(result.errors.contains("endless.ts: the body is larger than allowed"), "\(result.errors)")
    }

    @Test func endlessNetworkPlaylist_exitsWith3() async throws {
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n#EXTM3U\n"),
                .flood(count: .max, size: 1 << 20),
            ]
        }
        defer { server.stop() }
        let result = try await Tool.run("scan", server.base + "/index.m3u8")
        #expect(result.status == 3)
        #expect(result.errors.contains("larger than allowed"), "\(result.errors)")
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gzip"), "gzip is not installed"))
    func playlist_tooLargeWhenDecompressed_exitsWith3() async throws {
        // One megabyte more than the limit of a playlist.
        let script = "(echo '#EXTM3U'; head -c 17825792 /dev/zero) | gzip -c"
        let packed = try await FinishedProcess.of("/bin/sh", ["-c", script]).output
        #expect((1_000..<100_000).contains(packed.count))
        let server = try Self.answer(["/index.m3u8": Self.answer(Array(packed), "Content-Encoding: gzip")])
        defer { server.stop() }
        let result = try await Tool.run("scan", server.base + "/index.m3u8")
        #expect(result.status == 3)
        #expect(result.errors.contains("larger than allowed"), "\(result.errors)")
    }

    @Test func equalProblems_ofManySegments_areReportedInOneLine() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("a.ts", Self.segment())
        let missing = (1...19).map { "missing\($0).ts" }
        let names = try folder.write("index.m3u8", Self.playlist(["a.ts"] + missing).utf8)
        var result = try await Tool.run("scan", "--format", "jsonl", names)
        #expect(result.status == 0)
        let line = "dtvr: 19 segments: no such file or directory: "
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(
            result.errors.hasPrefix(line) && result.errors.contains("missing2.ts and 17 more"),
            "\(result.errors)")

        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"/dev/zero\"\n"
        let keyed = try folder.write(
            "keyed.m3u8", Self.playlist(Array(repeating: "a.ts", count: 5), header: key).utf8)
        result = try await Tool.run("scan", keyed)
        #expect(result.status == 3)
        #expect(
            result.errors
                == "dtvr: 5 segments: /dev/zero: is not a regular file; only regular files are read here\n",
            "\(result.errors)")
    }
}
