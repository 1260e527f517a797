import Foundation
import Glibc
import TestSupport
import Testing

/// The tool, stopped by a signal while it waited.
struct InterruptedTool {
    /// The output and status of the tool.
    let result: Tool.Result

    /// Far beyond the promised second, for loaded machines; a tool that waits forever exceeds this limit too.
    private static let limit = Duration.seconds(600)

    /// Starts the tool, sends the signal as soon as `isWaiting` returns true, and waits for its end.
    ///
    /// The thread that polls also sends the signal. A task that waits for its turn could send it long after the tool
    /// has stopped waiting.
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
            try process.takePrecedence()
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
    /// Lets its threads run before those of other processes, if this process may.
    ///
    /// The tool ends by force after 0.7 s. On a loaded machine, it would have no processor for its last work.
    fileprivate func takePrecedence() throws {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/task")
        for thread in threads.compactMap(id_t.init) { setpriority(Int32(PRIO_PROCESS.rawValue), thread, -20) }
    }

    /// Returns the exit status, or throws an error if the process does not exit within the limit.
    func exitStatus(within limit: Duration) async throws -> Int32 {
        try await wait(for: "the end of process \(processIdentifier)", within: limit) { self.hasEnded }
        return await exitStatus()
    }

    /// Whether a thread waits in a function of the kernel.
    func isIn(_ function: String) throws -> Bool {
        let tasks = "/proc/\(processIdentifier)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).contains { task in
            // A thread that has just ended has no such file.
            guard let data = FileManager.default.contents(atPath: "\(tasks)/\(task)/wchan") else {
                return false
            }
            return String(decoding: data, as: UTF8.self).contains(function)
        }
    }
}

extension Pipe {
    /// Returns a pipe that contains unread bytes and stays open.
    static func holding(_ bytes: some Sequence<UInt8>) throws -> Pipe {
        let pipe = Pipe()
        let data = Data(bytes)
        // Space for all bytes; Swift does not import the constant.
        let setPipeSize: Int32 = 1031
        #expect(fcntl(pipe.fileHandleForWriting.fileDescriptor, setPipeSize, 1 << 20) >= data.count)
        try pipe.fileHandleForWriting.write(contentsOf: data)
        return pipe
    }

    /// Whether all written bytes have been read.
    ///
    /// The tool checks only before each read whether it must stop.
    static func isEmpty(_ descriptor: Int32) -> Bool {
        var count: Int32 = 1
        // The number of bytes in the pipe, stored in a variable that stays alive during the call.
        return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count == 0
    }
}

extension LoopbackServer {
    /// Whether a request for a path has arrived.
    func wasAsked(for target: String) -> Bool { requests.contains { $0.target == target } }
}
