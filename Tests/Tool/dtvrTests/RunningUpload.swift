import Foundation
import Glibc
import TestSupport
import Testing

/// A `dtvr upload --follow` that runs until it is stopped or deallocated, with its output in files.
final class RunningUpload: Sendable {
    let process: ChildProcess
    private let outputPath: String
    private let errorsPath: String

    init(to collector: String, in folder: TemporaryFolder, _ arguments: String...) throws {
        let name = UUID().uuidString
        outputPath = try folder.write("\(name).out", [])
        errorsPath = try folder.write("\(name).err", [])
        let output: FileHandle = try #require(FileHandle(forWritingAtPath: outputPath))
        let errors: FileHandle = try #require(FileHandle(forWritingAtPath: errorsPath))
        process = try Tool.start(
            arguments: ["upload", "--follow", "--store", folder.path + "/store", "--collector", collector]
                + arguments, home: folder.path,
            output: output, errors: errors)
    }

    /// Starts an upload, and waits until it serves its buffer.
    static func start(to collector: String, in folder: TemporaryFolder) async throws -> RunningUpload {
        let upload = try RunningUpload(to: collector, in: folder)
        try await wait(for: "the upload") { upload.errors.contains("until stopped") }
        return upload
    }

    deinit { process.killAndWait() }

    var output: String { text(outputPath) }
    var errors: String { text(errorsPath) }

    private func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        process.signal(signal)
        return await process.exitStatus()
    }
}
