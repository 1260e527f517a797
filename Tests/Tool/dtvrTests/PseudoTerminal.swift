import Foundation
import Glibc
import TestSupport
import Testing

/// A terminal of a given width for the output of the tool.
final class PseudoTerminal: Sendable {
    /// The end for reading the displayed text.
    let controller: FileHandle
    /// The end to which the tool prints; to be closed after the tool was started.
    let output: FileHandle

    init(width: Int) throws {
        let controller = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(controller >= 0)
        self.controller = FileHandle(fileDescriptor: controller, closeOnDealloc: true)
        // TIOCSPTLCK and TIOCGPTPEER, which Glibc's module lacks.
        var isLocked: Int32 = 0
        try #require(unsafe ioctl(controller, 0x4004_5431, &isLocked) == 0)
        let terminal = ioctl(controller, 0x5441, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(terminal >= 0)
        output = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
        try resize(to: width)
    }

    /// Sets the width.
    func resize(to width: Int) throws {
        var size = winsize()
        size.ws_row = 24
        size.ws_col = UInt16(width)
        // The structure stays alive during the call.
        try #require(unsafe ioctl(controller.fileDescriptor, UInt(TIOCSWINSZ), &size) == 0)
    }

    /// Reads the text displayed so far: a terminal without a reader is full after a few pages, and the tool waits for
    /// it.
    func readAll() {
        var piece = [UInt8](repeating: 0, count: 4_096)
        // One entry, which stays alive during the call; a read returns only the available bytes.
        var entry = pollfd(fd: controller.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&entry, 1, 0) > 0, entry.revents & Int16(POLLIN) != 0 {
            guard unsafe Glibc.read(controller.fileDescriptor, &piece, piece.count) > 0 else { return }
        }
    }

    /// Runs the tool with a terminal as its standard output, and returns its status and the displayed lines.
    ///
    /// - Parameters:
    ///   - seconds: The time after which a service is stopped.
    ///   - later: The width of the terminal after half of that time.
    ///   - input: The standard input.
    ///   - showsErrors: Whether the terminal is the standard error instead.
    ///   - isEnough: Whether a piece of the displayed text is the one after which the tool is stopped with SIGTERM;
    ///     nil waits for its end.
    static func run(
        width: Int, _ arguments: [String], environment: [String: String] = [:],
        stoppingAfter seconds: Int32? = nil, resizingTo later: Int? = nil, input: FileHandle? = nil,
        showsErrors: Bool = false, stoppingWhen isEnough: (@Sendable (String) -> Bool)? = nil
    ) async throws -> (status: Int32, lines: [String]) {
        let terminal = try PseudoTerminal(width: width)
        let folder = try TemporaryFolder()
        let process = try Tool.start(
            arguments: arguments, home: folder.path, environment: environment, input: input,
            output: showsErrors ? nil : terminal.output, errors: showsErrors ? terminal.output : nil)
        try terminal.output.close()
        if let seconds {
            try await onOwnThread { _ = poll(nil, 0, seconds * 500) }
            if let later { try terminal.resize(to: later) }
            try await onOwnThread { _ = poll(nil, 0, seconds * 500) }
            process.signal(SIGTERM)
        }
        let shown = try await onOwnThread {
            Self.readToEnd(terminal.controller) { if isEnough?($0) == true { process.signal(SIGTERM) } }
        }
        let lines = shown.replacing("\r\n", with: "\n").split(
            separator: "\n", omittingEmptySubsequences: false)
        return (await process.exitStatus(), lines.map(String.init))
    }

    /// Reads until no process has the terminal open, and passes each piece on.
    private static func readToEnd(_ handle: FileHandle, _ pass: (String) -> Void) -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe Glibc.read(handle.fileDescriptor, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece[..<count]
            pass(String(decoding: piece[..<count], as: UTF8.self))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
