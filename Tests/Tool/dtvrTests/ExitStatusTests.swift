import Foundation
import TagStore
import TestSupport
import Testing

@testable import dtvr

/// The exit statuses that scripts depend on.
///
/// `OutputTests` has those of output, `InterruptionTests` those of signals, `DeliveryTests` those of collectors.
@Suite(.timeLimit(.minutes(30))) struct ExitStatusTests {
    private static let segment = Tool.demo + "/v360/seg00001.ts"

    /// Runs a call with a temporary folder in place of FOLDER, in which `store` is a buffer with a tag.
    private static func run(_ call: [String]) async throws -> Tool.Result {
        let folder = try TemporaryFolder()
        #expect(try await Tool.run("run", segment, "--store", folder.path + "/store").status == 0)
        return try await Tool.run(arguments: call.map { $0.replacing("FOLDER", with: folder.path) })
    }

    static let goodCalls: [[String]] =
        [
            ["run", segment, "--store", "FOLDER/store"], ["scan", segment], ["check", segment],
            ["store", "status", "--store", "FOLDER/store"], ["store", "list", "--store", "FOLDER/store"],
            ["store", "export", "--store", "FOLDER/store"], ["store", "verify", "--store", "FOLDER/store"],
            ["store", "prune", "--older-than", "1h", "--store", "FOLDER/store"],
            ["store", "retry", "--store", "FOLDER/store"],
            ["replay", ReplayTests.trace, "--store", "FOLDER/store"],
            ["certify", CertifyTests.good], ["certify", "--list"], ["certify", "--explain", "all"],
            ["replay", "--list"], ["replay", "--explain", "all"],
            ["collect", "--fault", "list"], ["synth", "--fault", "list"],
            ["synth", "FOLDER/stream", "--duration", "3s"],
            ["--help"], ["--version"], ["check", "--list"], ["check", "--explain", "all"], ["manual"],
            ["manual", "dtvr.1"],
        ] + CommandRegistry.declarations.map { [$0.name, "--help"] }
        + CompletionShell.allCases.map { ["completions", $0.rawValue] }

    @Test(arguments: goodCalls) func validCall_exitsWith0_withOutputAndNoErrors(call: [String]) async throws {
        let result = try await Self.run(call)
        #expect(result.status == 0 && !result.output.isEmpty, "\(result)")
        #expect(result.errors.isEmpty || call[0] == "run", "\(result.errors)")
    }

    @Test func validCalls_coverEveryStoreAction() {
        let actions = Self.goodCalls.filter { $0[0] == "store" && $0[1] != "--help" }.map { $0[1] }
        #expect(Set(actions) == Set(StoreCommand.declaration.operandChoices))
    }

    static let wrongCalls: [[String]] =
        CommandRegistry.declarations.map { [$0.name, "--no-such-option"] }
        + CommandRegistry.declarations.map { [$0.name, "--color", "blue"] }
        + CommandRegistry.declarations.map { [$0.name, "--config", "/no/such/file"] }
        + [
            [], ["no-such-command"], ["--no-such-option"], ["help", "no-such-command"],
            ["run"], ["scan"], ["check"], ["store"], ["synth"], ["completions"], ["upload"],
            ["store", "lose"], ["store", "status", "list"], ["store", "prune", "--store", "FOLDER/store"],
            ["certify"], ["certify", "--market", "moon", "log"], ["certify", "--format", "csv", "log"],
            ["replay"], ["replay", "--speed", "0", "log"], ["replay", "--collector", "nowhere", "log"],
            ["upload", "operand"], ["collect", "operand"], ["synth", "FOLDER/one", "FOLDER/two"],
            ["completions", "tcsh"], ["completions", "bash", "zsh"], ["check", "--list", "operand"],
            ["manual", "scan"], ["manual", "dtvr.1", "dtvr-scan.1"],
            ["check", "--format", "csv", "--owners", "-"], ["scan", "--all", "--format", "csv", segment],
            ["run", segment, "--store", "FOLDER/store", "--collector", "ftp://127.0.0.1/"],
            ["run", segment, "--cacert", "/no/such.pem"], ["collect", "--listen", "nowhere"],
            ["collect", "--token-file", "/no/such"], ["collect", "--fault", "no-such-fault"],
            ["synth", "FOLDER/made", "--fault", "no-such-fault"],
            ["synth", "FOLDER/made", "--fault", "time.gap", "--duration", "10s"],
            ["synth", "FOLDER/made", "--duration", "0s"], ["scan", "--jobs", "0", segment],
        ]
        + flagsWithoutEffect

    /// Calls whose error message names the flag.
    static let flagsWithoutEffect: [[String]] = [
        ["store", "status", "--store", "FOLDER/store", "--dead"],
        ["store", "status", "--store", "FOLDER/store", "--wait", "1s"],
        ["store", "list", "--store", "FOLDER/store", "--output", "FOLDER/list"],
        ["store", "export", "--store", "FOLDER/store", "--format", "json"],
        ["store", "verify", "--store", "FOLDER/store", "--older-than", "1h"],
        ["store", "retry", "--store", "FOLDER/store", "--dead"],
        ["run", segment, "--store", "FOLDER/store", "--token-file", "FOLDER/store/lock"],
        ["replay", ReplayTests.trace, "--store", "FOLDER/store", "--cacert", "/etc/hostname"],
        ["monitor", "http://127.0.0.1:9/a.m3u8", "--store", "FOLDER/s", "--token-file", "FOLDER/store/lock"],
        ["certify", "--list", "--market", "us"], ["certify", "--jobs", "2", "log"],
        ["certify", "--format", "json", "--all", "log"],
        ["check", "--list", "--jobs", "2"], ["check", "--explain", "id3.malformed", "--format", "json"],
        ["check", "--explain", "id3.malformed", segment],
        ["synth", "FOLDER/made", "--channels", "2"], ["synth", "--live", "0", "--overwrite"],
    ]

    @Test(arguments: flagsWithoutEffect) func flagWithoutEffect_isNamed(call: [String]) async throws {
        let message = try #require(try await Self.run(call).errors.split(separator: "\n").first)
        let arguments = call.map { Substring($0) }
        let names = message.split { " ':".contains($0) }
        #expect(
            names.contains { arguments.contains($0) && ($0.hasPrefix("--") || $0.hasSuffix(".ts")) },
            "\(message)")
    }

    /// The environment and the configuration file apply to many commands; only a flag is meant for one command.
    @Test func variableWithoutEffect_isIgnored() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", Self.segment, "--store", store).status == 0)
        for name in ["DTVR_WAIT", "DTVR_OLDER_THAN"] {
            let status = try await Tool.run(
                arguments: ["store", "status", "--store", store], environment: [name: "1h"])
            #expect(status.status == 0, "\(name)")
        }
    }

    @Test(arguments: wrongCalls) func invalidCall_exitsWith2_withoutOutput(call: [String]) async throws {
        let result = try await Self.run(call)
        #expect(result.status == 2 && result.output.isEmpty, "\(result)")
        #expect(
            result.errors.hasPrefix("dtvr: ") && result.errors.contains("\nusage: dtvr "), "\(result.errors)")
    }

    @Test func run_withoutReadableInput_exitsWith3_andReportsItInTheVerdict() async throws {
        let result = try await Self.run(["run", "/no/such.ts", "/no/such/folder", "--store", "FOLDER/store"])
        #expect(result.status == 3)
        #expect(result.outputLines.last == "verdict    none: nothing could be read")
        #expect(result.outputLines.contains("buffer     1 tag waiting"))
    }

    /// Threads may still run at the end, and use memory that exit handlers of libraries free, such as OpenSSL's.
    @Test func exit_runsNoExitHandlers() async throws {
        let result = try await Tool.run("scan", Self.segment, environment: ["LD_DEBUG": "files"])
        #expect(result.status == 0 && !result.output.isEmpty)
        #expect(result.errors.contains("calling init:"))
        #expect(!result.errors.contains("calling fini:"))
    }

    @Test func check_exitsWith1_onlyIfACheckFails() async throws {
        for (limit, status) in [("9s", Int32(1)), ("10s", 0)] {
            let result = try await Tool.run("check", "--limit-longest-tag", limit, Self.segment)
            #expect(result.status == status, "\(limit)")
        }
        // A warning is not a failure.
        let call = [
            "check", "--limit-count-interval", "1s", "--rendition", "lowest", Tool.demo + "/index.m3u8",
        ]
        let warned = try await Tool.run(arguments: call)
        #expect(warned.status == 0 && warned.output.hasPrefix("WARN"), "\(warned)")
    }

    /// One byte of one stored body is changed.
    @Test func store_withADamagedRow_exitsWith4_andNamesIt() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        // Compression does not change these bytes, so they can be found in the file.
        let body = (0..<300).map { _ in UInt8.random(in: .min ... .max) }
        let buffer = try await TagBuffer.open(directory: store)
        for body in [[1, 2, 3], body, [4, 5, 6]] { _ = try await buffer.append([NewTag(body: body)]) }
        await buffer.close()
        #expect(try await Tool.run("store", "verify", "--store", store).status == 0)

        let database = URL(fileURLWithPath: store + "/tags.sqlite")
        var bytes = try Data(contentsOf: database)
        let place = try #require(bytes.range(of: Data(body[100..<200]))).lowerBound
        bytes[place] ^= 1
        try bytes.write(to: database)
        let result = try await Tool.run("store", "verify", "--store", store)
        #expect(result.status == 4)
        #expect(result.outputLines.first == "3 rows read, 1 damaged", "\(result)")
        #expect(result.outputLines.contains("damaged: tag 2") && result.outputLines.last == "damaged")
        // A body that is not a tag of this tool cannot be shown.
        for action in ["list", "export"] {
            #expect(try await Tool.run("store", action, "--store", store).status == 4)
        }
    }
}
