import Foundation
public import Glibc
import Synchronization

/// A program that a test runs, and can await without blocking a thread of Swift's pool.
///
/// It inherits only the three standard streams. `Foundation.Process` detects the end of a program when a socket is
/// closed. A program that starts at the same time may inherit that socket; then each wait also waits for the other
/// program.
public final class ChildProcess: Sendable {
    private struct State {
        var hasEnded = false
        var end = ContinuousClock.now
        var status: Int32 = 0
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    /// The process id.
    public let processIdentifier: pid_t
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    /// A failure to start a program.
    public struct NotStarted: Error {
        /// The path of the program.
        public let program: String
        /// The error number from the system.
        public let code: Int32
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: The complete environment; nil for that of the test.
    ///   - input: The descriptor for standard input. The caller closes it, like `output` and `errors`.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String]? = nil,
        input: Int32, output: Int32, errors: Int32
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        // Initialized here, and destroyed at the end of the scope.
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in [input, output, errors].enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        // Closes all other descriptors: if the child held a pipe of another test open, that pipe would never end.
        // Closing unused numbers is harmless, and other tests may open descriptors meanwhile.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            Int32($0)
        }
        for descriptor in 3..<(open.max() ?? 3) + 512 {
            unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }
        var child = pid_t()
        let code = unsafe Self.withTexts([program] + arguments) { arguments in
            unsafe Self.withTexts(variables) { variables in
                unsafe posix_spawn(&child, program, &actions, nil, arguments, variables)
            }
        }
        guard code == 0 else { throw NotStarted(program: program, code: code) }
        processIdentifier = child
        let thread = Thread { [self] in awaitEnd() }
        thread.stackSize = 1 << 18
        thread.start()
    }

    /// Calls `body` with the texts as C strings, and a null pointer at the end.
    private static func withTexts<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        return unsafe body(copies + [nil])
    }

    private func awaitEnd() {
        var facts = unsafe siginfo_t()
        // Waits without reaping: until the process is reaped, the system does not reuse its id.
        while unsafe waitid(P_PID, id_t(processIdentifier), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (status, waiting) = state.withLock { state in
            var status: Int32 = 0
            while unsafe waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
            // For a signal, 128 plus its number, as in a shell.
            state.status = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
            state.hasEnded = true
            state.end = .now
            let waiting = state.waiting
            state.waiting = []
            return (state.status, waiting)
        }
        ended.signal()
        for continuation in waiting { continuation.resume(returning: status) }
    }

    /// Whether the program has exited.
    public var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// The time of the exit, which may be long before a waiting task resumes; nil while the program runs.
    public var end: ContinuousClock.Instant? { state.withLock { $0.hasEnded ? $0.end : nil } }

    /// Waits for the exit, and returns the exit status, or 128 plus the number of the signal that ended the program.
    ///
    /// If the task is cancelled, for example at its time limit, the program is killed.
    public func exitStatus() async -> Int32 {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let status = state.withLock { state -> Int32? in
                    if state.hasEnded { return state.status }
                    state.waiting.append(continuation)
                    return nil
                }
                if let status { continuation.resume(returning: status) }
            }
        } onCancel: {
            signal(SIGKILL)
        }
    }

    /// The peak resident memory of the running program, in MiB (proc(5), VmHWM).
    public var peakMebibyteCount: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let count = line?.split { $0.isWhitespace }.dropFirst().first.flatMap { Int($0) }
            guard let count else { throw NoMemory(processIdentifier: processIdentifier) }
            return count / 1_024
        }
    }

    /// A process without memory, because it has exited.
    public struct NoMemory: Error {
        /// The id of the process.
        public let processIdentifier: pid_t
    }

    /// Sends a signal, unless the program has exited.
    public func signal(_ number: Int32) {
        state.withLock { state in
            if !state.hasEnded { _ = kill(processIdentifier, number) }
        }
    }

    /// Stops the process with SIGSTOP, and waits until each of its threads has stopped.
    public func suspend() async throws {
        signal(SIGSTOP)
        let threads = "/proc/\(processIdentifier)/task"
        try await wait(for: "the stop of process \(processIdentifier)") {
            try FileManager.default.contentsOfDirectory(atPath: threads).allSatisfy { thread in
                // The state follows the name, which is in parentheses. Without a file, the thread has ended.
                let text = try? String(contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8)
                return text?.split(separator: ")").last?.hasPrefix(" T") ?? true
            }
        }
    }

    /// Kills the program and blocks until it has exited.
    public func killAndWait() {
        signal(SIGKILL)
        ended.wait()
        ended.signal()
    }
}
