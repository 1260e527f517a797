import Foundation
import Glibc
import Synchronization
import TagStore
import TestSupport
import Testing

/// The surroundings of a call of `CommandEnds`: what it reads and waits for.
final class CommandScene: Sendable {
    /// The destination of standard output.
    enum Output: Sendable {
        /// To a file.
        case file
        /// To a disk without space.
        case fullDisk
        /// To a pipe without a reader.
        case closedPipe
        /// To a full pipe whose reader stays.
        case stalledPipe
    }

    let folder: TemporaryFolder
    /// The arguments, with paths and addresses in place of the words in capital letters.
    let arguments: [String]
    private let peer: SilentPeer
    private let pipe: Pipe
    /// The buffer that this process holds.
    private let held: TagBuffer?

    /// The texts of a service that is ready, and of a command that waits for a buffer.
    private static let markers = ["until stopped", "listening on ", "/index.m3u8", "waiting for the buffer"]

    init(_ call: CommandEnds.Call) async throws {
        folder = try TemporaryFolder()
        let peer = try SilentPeer()
        self.peer = peer
        pipe = try Pipe.holding("x\n".utf8)
        let path = folder.path
        let words = [
            "NEW": path + "/new", "FIFO": path + "/fifo", "HELD": path + "/held", "STORE": path + "/store",
            "EMPTY": path + "/empty", "BROKEN": "/proc/self/mem", "BREAKING": path + "/breaking",
            "LINES": path + "/lines", "INVALID": path + "/invalid", "FULL": "store",
        ]
        arguments = call.arguments.filter { $0 != "STALLED" }.map {
            words[$0] ?? $0.replacing("PEER", with: peer.address)
        }
        #expect(unsafe mkfifo(path + "/fifo", 0o600) == 0)
        // A file of a collector that takes long to read, because it has many lines without a record.
        let lineCount = call.arguments.contains("LINES") ? 100 << 20 : 0
        try folder.write("lines/tags-2026-11-20.ndjson", [UInt8](repeating: 0x0A, count: lineCount))
        try folder.write("invalid/tags-2026-11-20.ndjson", "no record\n")
        try folder.write("breaking/none", "")
        try FileManager.default.createSymbolicLink(
            atPath: path + "/breaking/tags-2026-11-20.ndjson", withDestinationPath: "/proc/self/mem")
        if call.arguments.contains("STORE") {
            #expect(try await Tool.run("run", CommandEnds.segment, "--store", path + "/store").status == 0)
        }
        await (try TagBuffer.open(directory: path + "/empty")).close()
        held = call.arguments.contains("HELD") ? try await TagBuffer.open(directory: path + "/held") : nil
    }

    /// Runs the call until it ends; a signal, if any, is sent as soon as it waits.
    ///
    /// - Returns: The result, and the time from the signal to the end.
    func run(to output: Output = .file, interruptedBy signal: Int32? = nil) async throws -> (
        result: Tool.Result, time: Duration
    ) {
        let outputPath = try folder.write("output", [])
        let errorsPath = try folder.write("errors", [])
        let outputPipe = Pipe()
        let outputHandle: FileHandle
        switch output {
        case .file: outputHandle = try FileHandle(forWritingTo: URL(fileURLWithPath: outputPath))
        case .fullDisk: outputHandle = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        case .closedPipe:
            try outputPipe.fileHandleForReading.close()
            outputHandle = outputPipe.fileHandleForWriting
        case .stalledPipe:
            outputHandle = outputPipe.fileHandleForWriting
            let descriptor = outputHandle.fileDescriptor
            // F_SETPIPE_SZ, which Glibc's module lacks.
            #expect(fcntl(descriptor, 1_031, 4_096) == 4_096)
            try outputHandle.write(contentsOf: Data(count: 4_096))
        }
        let process = try Tool.start(
            arguments: arguments, home: folder.path, input: pipe.fileHandleForReading, output: outputHandle,
            errors: FileHandle(forWritingTo: URL(fileURLWithPath: errorsPath)))
        defer { process.killAndWait() }
        let isStalled = if case .stalledPipe = output { true } else { false }
        let signaled = Mutex(ContinuousClock.now)
        if let signal {
            try await wait(for: "the tool to wait") { [self] in
                guard try process.hasEnded || isWaiting(process, outputPath, errorsPath, isStalled) else {
                    return false
                }
                signaled.withLock { $0 = .now }
                process.signal(signal)
                return true
            }
        }
        let status = try await process.exitStatus(within: .seconds(600))
        await held?.close()
        func text(_ path: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        }
        let time = signaled.withLock { $0 }.duration(to: process.end ?? .now)
        return (Tool.Result(status: status, output: try text(outputPath), errors: try text(errorsPath)), time)
    }

    private func isWaiting(
        _ process: ChildProcess, _ output: String, _ errors: String, _ isStalled: Bool
    ) throws -> Bool {
        let text = [output, errors].map { FileManager.default.contents(atPath: $0) ?? Data() }
            .map { String(decoding: $0, as: UTF8.self) }.joined()
        if Self.markers.contains(where: text.contains) || peer.hasConnection { return true }
        if isStalled { return try process.isIn("pipe_w") }
        // Opening for writing fails until there is a reader. The descriptor stays open, because closing it would end
        // the input.
        if unsafe open(folder.path + "/fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC) >= 0 { return true }
        if arguments.last == "-", Pipe.isEmpty(pipe.fileHandleForWriting.fileDescriptor) { return true }
        if try process.hasOpen(folder.path + "/lines") { return true }
        return FileManager.default.fileExists(atPath: folder.path + "/new") && arguments[0] == "synth"
    }
}

extension ChildProcess {
    /// Whether a file under a folder is open.
    fileprivate func hasOpen(_ folder: String) throws -> Bool {
        let files = "/proc/\(processIdentifier)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: files).contains {
            // A descriptor that has just been closed has no destination.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)"))?.hasPrefix(folder)
                == true
        }
    }
}
