import Foundation
import TestSupport
import Testing

/// The sources of the tool's settings, and the values that it refuses.
@Suite(.timeLimit(.minutes(30))) struct SettingSourceTests {
    private static let playlist = Tool.demo + "/index.m3u8"

    /// Returns the token that a run sends, as the collector receives it.
    private static func token(
        _ arguments: [String], environment: [String: String]
    ) async throws -> (status: Int32, field: String?) {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in [response("401 Unauthorized")] }
        defer { server.stop() }
        let result = try await Tool.run(
            arguments: [
                "run", playlist, "--store", folder.path + "/store", "--collector", server.base,
            ] + arguments, environment: environment)
        let field = server.requests.first?.header.split(separator: "\r\n")
            .first { $0.lowercased().hasPrefix("authorization: ") }
        return (result.status, field.map { String($0.dropFirst(15)) })
    }

    @Test func tokenFile_takesPrecedenceOverTheEnvironmentToken() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("token", "of-the-file\n".utf8)
        #expect(
            try await Self.token(["--token-file", file], environment: ["DTVR_TOKEN": "of-the-environment"])
                == (5, "Bearer of-the-file"))
        #expect(
            try await Self.token(
                [], environment: ["DTVR_TOKEN_FILE": file, "DTVR_TOKEN": "of-the-environment"])
                == (5, "Bearer of-the-file"))
        #expect(
            try await Self.token([], environment: ["DTVR_TOKEN": "of-the-environment"])
                == (5, "Bearer of-the-environment"))
        #expect(try await Self.token([], environment: ["DTVR_TOKEN": "", "DTVR_TOKEN_FILE": ""]) == (5, nil))
        #expect(try await Self.token([], environment: ["DTVR_TOKEN": "two words"]) == (2, nil))
    }

    @Test func configurationFile_isFoundInXDGConfigHome() async throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        for (place, store) in [("/xdg", "one"), ("/home/.config", "two")] {
            try files.createDirectory(
                atPath: folder.path + place + "/dtvr", withIntermediateDirectories: true)
            _ = try folder.write(
                "\(place.dropFirst())/dtvr/config", "store = \(folder.path)/\(store)\n".utf8)
        }
        let home = folder.path + "/home"
        for (environment, store) in [
            (["HOME": home, "XDG_CONFIG_HOME": folder.path + "/xdg"], "one"),
            (["HOME": home], "two"),
            // An empty variable counts as unset, and a relative path is ignored.
            (["HOME": home, "XDG_CONFIG_HOME": ""], "two"),
            (["HOME": home, "XDG_CONFIG_HOME": "xdg"], "two"),
            (["HOME": home, "DTVR_STORE": ""], "two"),
        ] as [([String: String], String)] {
            let result = try await Tool.run("store", "status", environment: environment)
            #expect(result.status == 4)
            #expect(
                result.errors.contains("\(folder.path)/\(store): there is no buffer"), "\(result.errors)")
        }
    }

    @Test func store_byDefault_isInXDGStateHome() async throws {
        let folder = try TemporaryFolder()
        for (environment, store) in [
            (["XDG_STATE_HOME": folder.path + "/state"], "/state/dtvr/store"),
            (["XDG_STATE_HOME": "", "HOME": folder.path], "/.local/state/dtvr/store"),
            (["XDG_STATE_HOME": "state", "HOME": folder.path], "/.local/state/dtvr/store"),
        ] as [([String: String], String)] {
            let result = try await Tool.run("store", "status", environment: environment)
            #expect(
                result.errors.contains("\(folder.path)\(store): there is no buffer"), "\(result.errors)")
        }
        #expect(try await Tool.run("store", "status", environment: ["HOME": ""]).status == 2)
    }

    /// Values that are well-formed but make no sense.
    static let absurd: [(call: [String], setting: String, value: String)] = [
        (["run", playlist], "max-bytes", "1"), (["run", playlist], "max-bytes", "1999999"),
        (["run", playlist], "max-bytes", "9000000GB"), (["run", playlist], "max-bytes", "-30000000"),
        (["run", playlist], "max-age", "0"), (["run", playlist], "max-age", "-1d"),
        (["run", playlist], "max-age", "100000d"), (["upload"], "max-bytes", "1"),
        (["store", "list"], "max-bytes", "1"), (["run", playlist], "max-segment-bytes", "0"),
        (["run", playlist], "wait", "-1"), (["run", playlist], "wait", "1000d"),
        (["store", "prune"], "older-than", "-1s"), (["store", "prune"], "older-than", "100000d"),
        (["synth", "/nonexistent/x"], "duration", "0"), (["synth", "/nonexistent/x"], "duration", "-1"),
        (["synth", "/nonexistent/x"], "duration", "10000d"), (["scan", playlist], "limit-gap", "-1s"),
        (["run", playlist], "store", "file:/tmp/x"), (["run", playlist], "store", "file:x"),
        (["run", playlist], "store", "https://host/x"), (["run", playlist], "collector", "ftp://host/"),
        (["run", playlist], "collector", "collector.example"), (["run", playlist], "collector", "http://"),
        (["upload"], "collector", "http://a b/"),
    ]

    @Test(arguments: absurd)
    func value_thatMakesNoSense_isAUsageError(call: [String], setting: String, value: String) async throws {
        let folder = try TemporaryFolder()
        var arguments = call + ["--\(setting)=\(value)"]
        if setting != "store", call[0] != "synth", call[0] != "scan" {
            arguments += ["--store", folder.path + "/store"]
        }
        let result = try await Tool.run(arguments: arguments)
        #expect(result.status == 2, "\(result.output)\(result.errors)")
        #expect(result.errors.contains("--\(setting)"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/store"))
    }
}
