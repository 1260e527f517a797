import Foundation
import Glibc
import TestSupport
import Testing

@testable import dtvr

/// Every example of the help and the manual works as written, except for the address of the collector.
@Suite(.timeLimit(.minutes(30))) struct ExampleTests {
    /// Creates a folder with the inputs of the examples, and with the tool in a folder of PATH.
    private static func workplace() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        func link(_ name: String, to target: String) throws {
            try files.createSymbolicLink(atPath: "\(folder.path)/\(name)", withDestinationPath: target)
        }
        try files.createDirectory(atPath: folder.path + "/bin", withIntermediateDirectories: true)
        try link("bin/dtvr", to: Tool.path)
        for name in try files.contentsOfDirectory(atPath: Tool.demo) {
            try link(name, to: "\(Tool.demo)/\(name)")
        }
        try link("main.m3u8", to: Tool.demo + "/index.m3u8")
        try "main.m3u8\n".write(toFile: folder.path + "/list", atomically: true, encoding: .utf8)
        try link("segment.ts", to: Tool.demo + "/v360/seg00001.ts")
        for name in ["live", "recording"] { try link(name, to: Tool.demo + "/v360") }
        for name in ["origin", "edge"] { try link(name, to: folder.path) }
        return folder
    }

    /// Runs a call in a shell, as a user does.
    private static func run(_ call: String, in folder: TemporaryFolder) async throws -> Tool.Result {
        let finished = try await FinishedProcess.of(
            "/bin/bash", ["--noprofile", "--norc", "-c", "cd '\(folder.path)' && \(call)"],
            environment: [
                "HOME": folder.path, "PATH": "\(folder.path)/bin:/usr/bin:/bin", "TOKEN": "abc",
            ])
        return Tool.Result(
            status: finished.status, output: String(decoding: finished.output, as: UTF8.self),
            errors: String(decoding: finished.errors, as: UTF8.self))
    }

    /// Creates the inputs of an example.
    private static func prepare(_ call: String, in folder: TemporaryFolder) async throws {
        let result = try await run(call, in: folder)
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Whether a command runs until it is stopped.
    private static func isService(_ call: String) -> Bool {
        call.hasPrefix("dtvr collect ") || call.contains(" --follow") || call.contains(" --live")
            || call.hasPrefix("dtvr monitor ") && !call.contains("--check-config")
    }

    /// Writes a script and a channel file, for the examples that read them.
    private static func prepareLive(_ url: String, in folder: TemporaryFolder) throws {
        try "[channel one]\nurl = \(url)\n"
            .write(toFile: folder.path + "/tv", atomically: true, encoding: .utf8)
        try "at 30s for 20s channel 1: late-playlist 8s\n"
            .write(toFile: folder.path + "/faults.txt", atomically: true, encoding: .utf8)
    }

    /// Whether the page of the tool has the call too; the test of that page runs it.
    private static func isOfTheTool(_ call: String) -> Bool {
        ManualPage.toolExamples.contains { $0.call == call }
    }

    @Test(arguments: CommandRegistry.declarations)
    func command_hasExamples_thatCallIt(command: CommandDeclaration) {
        #expect(!command.examples.isEmpty)
        #expect(command.examples.allSatisfy { $0.call.contains("dtvr \(command.name)") })
    }

    @Test(
        arguments: CommandRegistry.declarations.flatMap(\.examples).map(\.call).filter {
            !isService($0) && !isOfTheTool($0) && !$0.hasPrefix("dtvr ledger")
        })
    func example_works(call: String) async throws {
        let folder = try Self.workplace()
        if call.contains(".log") {
            try await Self.prepare("dtvr scan --format jsonl main.m3u8 > player.log", in: folder)
        }
        if call.hasPrefix("dtvr store") || call.hasPrefix("dtvr upload") {
            try await Self.prepare("dtvr run main.m3u8", in: folder)
        }
        // The real `tail` waits for more lines.
        if call.hasPrefix("tail -f ") { _ = try await folder.script("bin/tail", "cat player.log") }
        if call.hasPrefix("receiver |") { _ = try await folder.script("bin/receiver", "cat segment.ts") }
        let origin = try Self.origin()
        defer { origin.stop() }
        try Self.prepareLive(origin.base + "/index.m3u8", in: folder)
        let trace = Project.root + "/Tests/Products/PlayerSessionTests/Traces/linear.jsonl"
        try FileManager.default.copyItem(atPath: trace, toPath: folder.path + "/calls.jsonl")
        try FileManager.default.copyItem(
            atPath: CertifyTests.inputs + "/session.har", toPath: folder.path + "/session.har")
        let collector = try await RunningCollector.start(folder: folder.path + "/received")
        let local = call.replacing("https://collector.example.com/", with: collector.url)
            .replacing("https://example.com/a.m3u8", with: origin.base + "/index.m3u8")
        let result = try await Self.run(local, in: folder)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        await collector.stop()
    }

    /// Serves a rendition of the demonstration stream.
    private static func origin() throws -> LoopbackServer {
        let folder = Tool.demo + "/v360"
        var resources: [String: ServedResource] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let content = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            resources["/" + name] = ServedResource(Array(content))
        }
        return try LoopbackServer(serving: resources)
    }

    @Test(
        .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"),
        arguments: LedgerCommand.declaration.examples.map(\.call))
    func ledgerExample_works(call: String) async throws {
        let folder = try Self.workplace()
        let cluster = try await PostgresCluster()
        let words = call.split(separator: " ").map { word in
            word.hasPrefix("postgres://") ? "'\(cluster.uri())'" : String(word)
        }
        if !call.contains(" init ") {
            try await Self.prepare("dtvr ledger init --ledger '\(cluster.uri())'", in: folder)
        }
        if call.contains(" import ") {
            let collector = try await RunningCollector.start(folder: folder.path + "/collected")
            try await Self.prepare("dtvr run main.m3u8 --collector \(collector.url)", in: folder)
            await collector.stop()
        }
        let result = try await Self.run(words.joined(separator: " "), in: folder)
        #expect(result.status == 0 && !result.output.isEmpty, "\(result)")
    }

    @Test func toolExamples_inOrder_deliverTheTags() async throws {
        let folder = try Self.workplace()
        let collector = try await RunningCollector.start(folder: folder.path + "/received")
        for example in ManualPage.toolExamples {
            let call = example.call.replacing("https://collector.example.com/", with: collector.url)
            let result = try await Self.run(call, in: folder)
            #expect(result.status == 0, "\(example.call): \(result.output)\(result.errors)")
        }
        #expect(try await collector.counts() == [13, 0, 0])
        await collector.stop()
    }

    @Test(
        arguments: CommandRegistry.declarations.flatMap(\.examples).map(\.call).filter {
            isService($0) && $0.contains(" --live")
        })
    func liveOriginExample_servesUntilStopped(call: String) async throws {
        let folder = try Self.workplace()
        try Self.prepareLive("", in: folder)
        var words = call.split(separator: " ").dropFirst(4).map(String.init)
        if let script = words.firstIndex(of: "--script") {
            words[script + 1] = "\(folder.path)/\(words[script + 1])"
        }
        let station = try await RunningStation.start(words)
        #expect(
            station.urls.last?.hasSuffix(call.contains("200") ? "/ch200/index.m3u8" : "/ch1/index.m3u8")
                == true)
        #expect(await station.stop() == 0)
    }

    @Test(
        arguments: MonitorCommand.declaration.examples.map(\.call).filter(isService))
    func monitorExample_readsTagsUntilStopped(call: String) async throws {
        let folder = try Self.workplace()
        let station = try await RunningStation.start([])
        let url = try #require(station.urls.first)
        try Self.prepareLive(url, in: folder)
        let collector = try await RunningCollector.start(folder: folder.path + "/received")
        var words = call.split(separator: " ").dropFirst().map { word in
            switch word {
            case "tv": folder.path + "/tv"
            case "https://collector.example.com/", "https://alerts.example.com/": collector.url
            case "127.0.0.1:9464": "127.0.0.1:0"
            default: word.hasPrefix("https://cdn.") ? url : String(word)
            }
        }
        words += ["--store", folder.path + "/store"]
        let process = try Tool.start(arguments: words, home: folder.path)
        defer { process.killAndWait() }
        if words.contains("--collector") {
            try await wait(for: "a delivered tag") { try await collector.counts()[0] > 0 }
        } else {
            try await wait(for: "a buffered tag") {
                let status = try await Tool.run("store", "status", "--store", folder.path + "/store")
                return status.output.contains("accepted") && !status.output.contains("accepted   0")
            }
        }
        process.signal(SIGTERM)
        #expect(await process.exitStatus() == 0)
        #expect(await station.stop() == 0)
        await collector.stop()
    }

    /// The services are stopped after they have shown that they work: a collector prints its address, an uploader
    /// delivers.
    @Test(
        arguments: CommandRegistry.declarations.flatMap(\.examples).map(\.call).filter {
            isService($0) && !$0.contains(" --live") && !$0.hasPrefix("dtvr monitor")
        })
    func serviceExample_worksUntilStopped(call: String) async throws {
        let folder = try Self.workplace()
        var words = call.split(separator: " ").dropFirst().map(String.init)
        if let listen = words.firstIndex(of: "--listen") { words[listen + 1] = "127.0.0.1:0" }
        if words[0] == "collect", !words.contains("--listen") { words += ["--listen", "127.0.0.1:0"] }
        if let dir = words.firstIndex(of: "--dir") {
            words[dir + 1] = "\(folder.path)/\(words[dir + 1])"
        } else if let ledger = words.firstIndex(of: "--ledger") {
            // It starts without the database too, and waits for it.
            words[ledger + 1] = "postgres://collector@/dtvr?host=\(folder.path)"
            words = try words.map { $0 == "tokens" ? try folder.write("tokens", "abc team\n".utf8) : $0 }
        } else if words[0] == "collect" {
            words += ["--dir", folder.path + "/collected"]
        }
        let collector = try await RunningCollector.start(folder: folder.path + "/received")
        if words[0] == "upload" { try await Self.prepare("dtvr run main.m3u8", in: folder) }
        let output = Pipe()
        let process = try Tool.start(
            arguments: words.map { $0.hasPrefix("https:") ? collector.url : $0 }, home: folder.path,
            output: output.fileHandleForWriting)
        defer { process.killAndWait() }
        try output.fileHandleForWriting.close()
        if words[0] == "collect" {
            #expect(try await output.fileHandleForReading.firstLine(of: process).hasPrefix("listening on "))
        } else {
            try await wait(for: "the delivery of all tags") { try await collector.counts() == [13, 0, 0] }
        }
        process.signal(SIGTERM)
        #expect(await process.exitStatus() == 0)
        await collector.stop()
    }
}
