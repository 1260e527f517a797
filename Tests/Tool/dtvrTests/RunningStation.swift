import Foundation
import Glibc
import TestSupport
import Testing

/// `dtvr synth --live` on a free loopback port, until it is stopped or deallocated.
final class RunningStation: Sendable {
    private let process: ChildProcess

    /// The URL of each channel.
    let urls: [String]

    private init(process: ChildProcess, urls: [String]) {
        self.process = process
        self.urls = urls
    }

    deinit { process.killAndWait() }

    /// Starts a live origin, and waits for its URLs.
    static func start(_ arguments: String...) async throws -> RunningStation { try await start(arguments) }

    /// Starts a live origin, and waits for its URLs.
    static func start(_ arguments: [String]) async throws -> RunningStation {
        let folder = try TemporaryFolder()
        let output = Pipe()
        let process = try Tool.start(
            arguments: ["synth", "--live", "0"] + arguments, home: folder.path,
            output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        let count = arguments.firstIndex(of: "--channels").flatMap { Int(arguments[$0 + 1]) } ?? 1
        var urls: [String] = []
        for _ in 0..<count { urls.append(try await output.fileHandleForReading.firstLine(of: process)) }
        try #require(urls.allSatisfy { $0.hasPrefix("http://127.0.0.1:") }, "it said: \(urls)")
        return RunningStation(process: process, urls: urls)
    }

    /// Stops the origin as a user would, with a signal, and returns its exit status.
    func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        process.signal(signal)
        return await process.exitStatus()
    }
}
