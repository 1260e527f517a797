import Foundation
import Glibc
import TestSupport
import Testing

/// The tool, told by a signal to stop while it was waiting for something.
struct InterruptedTool {
    /// What it left behind.
    let result: Tool.Result

    /// Far beyond the second that is promised, for a machine that is loaded; what would wait for ever does not end in
    /// this time either.
    private static let limit = Duration.seconds(600)

    /// Starts the tool, sends the signal once `isWaiting` returns, and waits for its end.
    init(
        _ arguments: [String], with number: Int32 = SIGINT, input: FileHandle? = nil,
        once isWaiting: (ChildProcess) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let output = try folder.file("output", [])
        let errors = try folder.file("errors", [])
        let process = try Tool.start(
            arguments: arguments, home: folder.path, input: input,
            output: FileHandle(forWritingTo: URL(fileURLWithPath: output)),
            errors: FileHandle(forWritingTo: URL(fileURLWithPath: errors)))
        defer { process.killAndWait() }
        try await isWaiting(process)
        process.signal(number)
        let status = try await process.exitStatus(within: Self.limit)
        func text(_ path: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        }
        result = Tool.Result(status: status, output: try text(output), errors: try text(errors))
    }
}

extension ChildProcess {
    /// Its exit status, where it ends within the limit.
    func exitStatus(within limit: Duration) async throws -> Int32 {
        try await wait(for: "the end of process \(processIdentifier)", within: limit) { self.hasEnded }
        return await exitStatus()
    }
}

extension Pipe {
    /// Writes bytes into the pipe and returns once they have been read.
    ///
    /// The tool looks whether it is to stop only before it reads on.
    func write(andWaitUntilRead bytes: some Sequence<UInt8> & Sendable) async throws {
        let descriptor = fileHandleForWriting.fileDescriptor
        let data = Data(bytes)
        try await onOwnThread {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: data)
        }
        try await wait(for: "somebody to read the pipe") {
            var count: Int32 = 1
            // The number of bytes in the pipe, into a variable that lives through the call.
            guard unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 else {
                throw CocoaError(.fileReadUnknown)
            }
            return count == 0
        }
    }
}

extension LoopbackServer {
    /// Waits until a request for a path has come.
    func waitForRequest(of target: String) async throws {
        try await wait(for: "a request of \(target)") { self.requests.contains { $0.target == target } }
    }
}
