import Foundation
import Glibc
import HTTPTransfer
import TestSupport
import Testing

/// A monitor that runs until it is stopped or deallocated, with its output in files.
final class RunningMonitor: Sendable {
    let process: ChildProcess
    private let outputPath: String
    private let errorsPath: String

    /// Starts a monitor, with its output in `place` or, by default, in a file.
    init(
        _ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:],
        output place: FileHandle? = nil, tool: String = Tool.path
    ) throws {
        let name = UUID().uuidString
        outputPath = try folder.write("\(name).out", [])
        errorsPath = try folder.write("\(name).err", [])
        let output = try #require(place ?? FileHandle(forWritingAtPath: outputPath))
        let errors = try #require(FileHandle(forWritingAtPath: errorsPath))
        process = try Tool.start(
            tool, arguments: ["monitor", "--store", folder.path + "/store"] + arguments, home: folder.path,
            environment: environment, output: output, errors: errors)
    }

    deinit { process.killAndWait() }

    var output: String { text(outputPath) }
    var errors: String { text(errorsPath) }

    private func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// The JSON lines so far, without an incomplete one.
    var lines: [[String: Any]] {
        output.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
        }
    }

    func lines(_ type: String) -> [[String: Any]] { lines.filter { $0["type"] as? String == type } }

    func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        process.signal(signal)
        return await process.exitStatus()
    }

    // MARK: Its address

    private static let said = "dtvr: listening on "

    /// Starts a monitor that follows channels, and waits until it listens.
    static func start(
        _ channels: [String], in folder: TemporaryFolder, listen: String = "127.0.0.1:0",
        environment: [String: String] = [:], tool: String = Tool.path
    ) async throws -> RunningMonitor {
        let monitor = try RunningMonitor(
            ["--listen", listen] + channels, in: folder, environment: environment, tool: tool)
        try await wait(for: "the address") { monitor.errors.contains(said) }
        return monitor
    }

    /// The URL of the monitor; empty until it listens.
    var url: String {
        // The line begins with its time.
        for line in errors.split(separator: "\n") {
            if let said = line.firstRange(of: Self.said) { return String(line[said.upperBound...]) }
        }
        return ""
    }

    /// Sends a request to the monitor, and returns the answer.
    func answer(
        to path: String, _ method: HTTPRequest.Method = .get, token: String? = nil
    ) async throws -> (status: Int, text: String) {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        var request = HTTPRequest(method, url: url + path)
        request.bearerToken = token
        let response = try await client.send(request)
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }
}
