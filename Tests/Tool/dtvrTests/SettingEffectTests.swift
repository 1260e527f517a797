import Foundation
import Glibc
import TestSupport
import Testing

@testable import dtvr

/// Every setting does what it is for, by the tool as it is built. A setting without a case does not compile.
///
/// Two are not shown here: --allow-private needs an address that is public, and no test leaves this machine;
/// --when-full needs a buffer that is full, which takes thousands of segments. The modules' own tests try both rules.
@Suite(.timeLimit(.minutes(30))) struct SettingEffectTests {
    private static let playlist = Tool.demo + "/index.m3u8"
    private static let segment = Tool.demo + "/v360/seg00001.ts"

    private static func output(_ arguments: String..., location: SourceLocation = #_sourceLocation)
        async throws
        -> String
    {
        let result = try await Tool.run(arguments: arguments)
        #expect(result.status == 0, "\(result.errors)", sourceLocation: location)
        return result.output
    }

    private static func status(_ arguments: String..., environment: [String: String] = [:]) async throws
        -> Int32
    {
        try await Tool.run(arguments: arguments, environment: environment).status
    }

    private static func lineCount(_ arguments: String...) async throws -> Int {
        try await Tool.run(arguments: arguments).outputLines.count
    }

    /// The state of a buffer.
    private static func store(_ path: String, _ more: String...) async throws -> [String: Any] {
        let result = try await Tool.run(
            arguments: ["store", "status", "--format", "json", "--store", path] + more)
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(object as? [String: Any], "\(result.errors)")
    }

    private static func losses(_ path: String) async throws -> [String: Int] {
        try await store(path)["losses"] as? [String: Int] ?? [:]
    }

    @Test(arguments: SettingName.allCases.filter { $0 != .allowPrivate && $0 != .whenFull })
    func setting_hasItsEffect(name: SettingName) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        switch name {
        case .config:
            let file = try folder.file("settings", "format = csv\n".utf8)
            #expect(try await Self.output("scan", "--config", file, Self.segment).hasPrefix("source,"))
        case .color:
            #expect(try await Self.output("scan", "--color", "always", Self.segment).contains("\u{1B}["))
            #expect(!(try await Self.output("scan", "--color", "never", Self.segment).contains("\u{1B}[")))
        case .format: try await Self.formatsDiffer(store)
        case .all:
            // Tags of other owners, which a stream of ours has none of.
            let file = try folder.file("other.aac", Self.packedAudio)
            #expect(try await Self.output("scan", "--all", "--format", "jsonl", file).contains("TXXX"))
            #expect(try await Self.output("scan", "--format", "jsonl", file).isEmpty)
        case .rendition:
            let highest = try await Self.output(
                "scan", "--format", "csv", "--rendition", "highest", Self.playlist)
            #expect(highest.contains("v540/index.m3u8") && !highest.contains("v360/index.m3u8"))
        case .allowPrivate, .whenFull: Issue.record("not shown by the tool")
        case .jobs:
            // As many as are asked for, and the same tags.
            let one = try await Self.output("scan", "--jobs", "1", "--format", "csv", Self.playlist)
            #expect(try await Self.output("scan", "--jobs", "3", "--format", "csv", Self.playlist) == one)
            #expect(try await Self.requestCount(jobs: 4, folder) > 4)
        case .maxSegmentBytes:
            let result = try await Tool.run(
                "scan", "--max-segment-bytes", "1kB", Tool.demo + "/v360/index.m3u8")
            #expect(result.status == 3 && !result.errors.isEmpty)
        case .store:
            _ = try await Self.output("run", Self.segment, "--store", store)
            #expect(try FileManager.default.contentsOfDirectory(atPath: store).isEmpty == false)
        case .maxAge:
            _ = try await Self.output("run", Self.segment, "--store", store)
            let waiting = try await Self.store(store)["waiting"] as? Int ?? 0
            #expect(waiting > 0)
            #expect(try await Self.status("store", "list", "--store", store, "--max-age", "0s") == 0)
            #expect(try await Self.losses(store)["expired"] == waiting)
        case .maxBytes:
            _ = try await Self.output("run", Self.segment, "--store", store, "--max-bytes", "12MB")
            #expect(try await Self.store(store, "--max-bytes", "12MB")["max_bytes"] as? Int == 12_000_000)
        case .olderThan:
            _ = try await Self.output("run", Self.segment, "--store", store)
            #expect(
                try await Self.output("store", "prune", "--older-than", "1d", "--store", store)
                    == "pruned 0 tags\n")
            #expect(
                try await Self.output("store", "prune", "--older-than", "0s", "--store", store)
                    != "pruned 0 tags\n")
        case .output:
            let file = folder.path + "/verdict"
            #expect(try await Self.output("check", "--output", file, Self.segment).isEmpty)
            #expect(try !Data(contentsOf: URL(fileURLWithPath: file)).isEmpty)
        case .collector, .directory, .listen:
            let collector = try await RunningCollector.start(folder: folder.path + "/collected")
            #expect(collector.url.hasPrefix("http://127.0.0.1:"))
            _ = try await Self.output("run", Self.playlist, "--store", store, "--collector", collector.url)
            #expect(try await collector.counts() == [13, 0, 0])
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/collected")
            #expect(!files.isEmpty)
        case .tokenFile:
            let token = try folder.file("token", "abc".utf8)
            let collector = try await RunningCollector.start(
                folder: folder.path + "/collected", "--token-file", token)
            let call = ["run", Self.segment, "--store", store, "--collector", collector.url]
            #expect(try await Tool.run(arguments: call).status == 5)
            #expect(try await Tool.run(arguments: call + ["--token-file", token]).status != 2)
            #expect(try await collector.status(token: "abc")["batches"] as? Int ?? 0 > 0)
        case .cacert:
            let file = try folder.file("cert.pem", "no certificate".utf8)
            let server = try LoopbackServer(serving: [:])
            defer { server.stop() }
            let address = server.base.replacing("http:", with: "https:")
            let result = try await Tool.run("scan", "--cacert", file, address)
            #expect(result.status == 3 && result.errors.contains("cert"), "\(result.errors)")
            #expect(try await Self.status("scan", "--cacert", "/no/such.pem", address) == 2)
        case .certificate, .key:
            let file = try folder.file("cert.pem", "no certificate".utf8)
            let one = try await Tool.run(
                "collect", "--certificate", file, "--key", file, "--dir", folder.path)
            #expect(one.status == 4 && !one.errors.isEmpty)
        case .follow: try await Self.follows(folder)
        case .duration, .seed, .bitrate, .container, .overwrite: try await Self.streams(name, folder)
        case .fault:
            #expect(try await Self.output("synth", "--fault", "list").contains("tag.checksum"))
            let collector = try await RunningCollector.start(
                folder: folder.path + "/collected", "--fault", "status=400")
            #expect(
                try await Self.status("run", Self.segment, "--store", store, "--collector", collector.url)
                    == 5)
        case .against:
            let verdict = try await CheckTests.json("--against", Self.playlist, Self.playlist)
            #expect(verdict.status == 0)
            #expect(try await Self.status("check", "--against", "/no/such.m3u8", Self.playlist) == 3)
        case .owners:
            let log = try folder.file(
                "log", try await Self.output("scan", "--format", "jsonl", Self.playlist).utf8)
            let verdict = try await CheckTests.json("--owners", log)
            #expect((verdict.verdict["tags"] as? [String: Int])?["data"] == 12)
        case .explain:
            #expect(try await Self.output("check", "--explain", "time.gap").hasPrefix("time.gap: "))
        case .list: #expect(try await Self.output("check", "--list").contains("\ntime.gap "))
        }
    }

    // MARK: Each effect that takes more than a line

    private static func formatsDiffer(_ store: String) async throws {
        _ = try await output("run", segment, "--store", store)
        for (call, formats) in [
            (["scan", segment], ["text", "jsonl", "csv"]),
            (["check", segment], ["text", "json", "csv", "html", "junit"]),
            (
                ["tag", String(try await output("scan", "--format", "jsonl", segment).owner)],
                ["text", "jsonl", "csv"]
            ),
            (["store", "status", "--store", store], ["text", "json"]),
        ] {
            var outputs: Set<String> = []
            for format in formats {
                outputs.insert(try await Tool.run(arguments: call + ["--format", format]).output)
            }
            #expect(outputs.count == formats.count, "\(call)")
        }
    }

    /// An ADTS frame behind a tag of another owner.
    private static var packedAudio: [UInt8] {
        let body = Array("\u{3}name\u{0}value\u{0}".utf8)
        let text = Array("TXXX".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(text.count)] + text
        let frame: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC] + [UInt8](repeating: 0, count: 9)
        return tag + (0..<20).flatMap { _ in frame }
    }

    /// How many requests of segments wait at once.
    private static func requestCount(jobs: Int, _ folder: TemporaryFolder) async throws -> Int {
        let segments = (0..<20).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:7\n\(segments)#EXT-X-ENDLIST\n"
        let server = try LoopbackServer { request in
            request.line.contains("m3u8") ? [response(playlist)] : [.hang]
        }
        defer { server.stop() }
        let process = try Tool.start(
            arguments: ["scan", "--jobs", String(jobs), server.base + "/index.m3u8"], home: folder.path)
        defer { process.killAndWait() }
        // As many requests wait as there are segments under way.
        while server.requests.count < 1 + jobs {
            try Task.checkCancellation()
            await Task.yield()
        }
        return server.requests.count
    }

    /// A service that is asked to stop has done nothing wrong.
    private static func follows(_ folder: TemporaryFolder) async throws {
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let store = folder.path + "/store"
        _ = try await output("run", segment, "--store", store)
        let process = try Tool.start(
            arguments: ["upload", "--follow", "--store", store, "--collector", collector.url],
            home: folder.path)
        defer { process.killAndWait() }
        while try await collector.counts()[0] == 0 { try Task.checkCancellation() }
        process.signal(SIGTERM)
        #expect(await process.exitStatus() == 0)
    }

    private static func streams(_ name: SettingName, _ folder: TemporaryFolder) async throws {
        func make(_ directory: String, _ arguments: String...) async throws -> Int32 {
            try await Tool.run(
                arguments: ["synth", "--duration", "7s", folder.path + "/" + directory] + arguments
            ).status
        }
        func files(_ directory: String) throws -> [String: Int] {
            let path = folder.path + "/" + directory
            var sizes: [String: Int] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
                let facts = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
                if facts[.type] as? FileAttributeType == .typeRegular { sizes[name] = facts[.size] as? Int }
            }
            return sizes
        }
        #expect(try await make("plain") == 0)
        switch name {
        case .duration:
            let status = try await Tool.run("synth", "--duration", "20s", folder.path + "/long").status
            #expect(try status == 0 && files("long").count > files("plain").count)
        case .container:
            #expect(try await make("other", "--container", "packed-audio") == 0)
            #expect(try files("other").keys.contains { $0.hasSuffix(".aac") })
        case .bitrate:
            #expect(try await make("other", "--bitrate", "2000") == 0)
            #expect(try files("other").values.max() ?? 0 > (files("plain").values.max() ?? 0) * 2)
        case .seed:
            #expect(try await make("other", "--seed", "7") == 0)
            let owners = try await ["plain", "other"].asyncMap {
                try await output("scan", "--format", "csv", folder.path + "/\($0)/index.m3u8").owner
            }
            #expect(owners[0] != owners[1])
        default:
            _ = try folder.file("plain-notes", "mine".utf8)
            try FileManager.default.createDirectory(
                atPath: folder.path + "/full", withIntermediateDirectories: true)
            _ = try folder.file("full/notes", "mine".utf8)
            #expect(try await make("full") == 6)
            #expect(try await make("full", "--overwrite") == 0)
        }
    }
}

extension String {
    /// The first owner identifier in the text.
    fileprivate var owner: Substring {
        range(of: "www.nielsen.com/").map { self[$0.lowerBound...].prefix(249) } ?? ""
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
