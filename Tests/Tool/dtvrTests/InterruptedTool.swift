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

    /// Starts the tool, sends the signal as soon as `isWaiting` says so, and waits for its end.
    ///
    /// The signal goes out on the thread that asks: a task that has to wait for its turn would send it when what the
    /// tool waits for has long been given up.
    init(
        _ arguments: [String], with number: Int32 = SIGINT, input: FileHandle? = nil,
        once isWaiting: @escaping @Sendable (ChildProcess) throws -> Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let output = try folder.write("output", [])
        let errors = try folder.write("errors", [])
        let process = try Tool.start(
            arguments: arguments, home: folder.path, input: input,
            output: FileHandle(forWritingTo: URL(fileURLWithPath: output)),
            errors: FileHandle(forWritingTo: URL(fileURLWithPath: errors)))
        defer { process.killAndWait() }
        try await wait(for: "the tool to wait") {
            guard try isWaiting(process) else { return process.hasEnded }
            process.signal(number)
            return true
        }
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
    /// A pipe that holds bytes which nobody has read yet, and stays open.
    static func holding(_ bytes: some Sequence<UInt8>) throws -> Pipe {
        let pipe = Pipe()
        let data = Data(bytes)
        // Room for all of them; the constant is not among those that Swift imports.
        let setPipeSize: Int32 = 1031
        #expect(fcntl(pipe.fileHandleForWriting.fileDescriptor, setPipeSize, 1 << 20) >= data.count)
        try pipe.fileHandleForWriting.write(contentsOf: data)
        return pipe
    }

    /// Whether all that was written has been read.
    ///
    /// The tool looks whether it is to stop only before it reads on.
    static func isEmpty(_ descriptor: Int32) -> Bool {
        var count: Int32 = 1
        // The number of bytes in the pipe, into a variable that lives through the call.
        return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count == 0
    }
}

extension LoopbackServer {
    /// Whether a request for a path has come.
    func wasAsked(for target: String) -> Bool { requests.contains { $0.target == target } }
}
