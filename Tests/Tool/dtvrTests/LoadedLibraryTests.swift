import Foundation
import TestSupport
import Testing

/// The libraries that the tool opens at their first use.
@Suite(.timeLimit(.minutes(30))) struct LoadedLibraryTests {
    private static let segment = Tool.demo + "/v360/seg00001.ts"

    /// Returns what the tool prints in a system without these libraries: files of their names are in their place.
    private static func run(without libraries: String..., arguments: [String]) async throws -> Tool.Result {
        let folder = try TemporaryFolder()
        let manager = FileManager.default
        let installed = try manager.contentsOfDirectory(atPath: "/usr/lib").filter {
            $0.hasSuffix("-linux-gnu")
        }
        .flatMap { try manager.contentsOfDirectory(atPath: "/usr/lib/" + $0) }
        for name in installed where libraries.contains(where: { name.hasPrefix($0 + ".so.") }) {
            try Data("not a library".utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        return try await Tool.run(arguments: arguments, environment: ["LD_LIBRARY_PATH": folder.path])
    }

    /// The libraries of libav with theirs are nine tenths of the time to start.
    @Test(arguments: [["--version"], ["tag", "www.nielsen.com/a"], ["--help"]])
    func command_thatReadsNoMedia_loadsOnlyTheLibrariesOfEachCommand(call: [String]) async throws {
        let errors = try await Tool.run(arguments: call, environment: ["LD_DEBUG": "libs"]).errors
        let loaded = errors.matches(of: #/calling init: \S*/(?<name>[^/\s]+)\.so/#).map { String($0.name) }
        #expect(loaded.contains("libsqlite3") && loaded.count < 40, "\(loaded)")
        for name in [
            "libavformat", "libavcodec", "libavutil", "libcurl", "libpq", "libmicrohttpd", "libgnutls",
        ] {
            #expect(!loaded.contains(name), "\(name)")
        }
    }

    @Test func version_withoutLibraries_isPrinted() async throws {
        let result = try await Self.run(
            without: "libavformat", "libcurl", "libpq", "libmicrohttpd", arguments: ["--version"])
        #expect(result.status == 0 && result.output.hasPrefix("dtvr "), "\(result)")
    }

    static let calls: [(library: String, arguments: [String], message: String)] = [
        (
            "libavformat", ["scan", segment],
            "libavformat is not installed, or has another version than at the build"
        ),
        ("libavformat", ["synth", "/tmp/none/stream", "--duration", "3s"], "libavformat"),
        ("libcurl", ["scan", "http://127.0.0.1:9/a.m3u8"], "libcurl is not installed"),
        ("libmicrohttpd", ["collect", "--listen", "127.0.0.1:0"], "libmicrohttpd is not installed"),
        (
            "libpq", ["collect", "--listen", "127.0.0.1:0", "--ledger", "postgres://localhost/dtvr"],
            "needs the library libpq, which is not installed"
        ),
    ]

    @Test(arguments: calls)
    func command_withoutItsLibrary_fails_andNamesIt(
        call: (library: String, arguments: [String], message: String)
    ) async throws {
        let result = try await Self.run(without: call.library, arguments: call.arguments)
        #expect((1..<128).contains(result.status), "\(result)")
        #expect(result.errors.contains(call.message), "\(result.errors)")
    }
}
