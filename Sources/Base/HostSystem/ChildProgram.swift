internal import CDTVRSpawn
import Glibc
import Synchronization

/// A child process in its own process group that inherits only its input.
///
/// Its standard input is a text, its output is discarded, and no other file of this process is open in it. It is always
/// reaped when it ends, even if no caller waits for it.
package final class ChildProgram: Sendable {
    /// The termination status of a program.
    package enum Ending: Sendable, Hashable {
        /// The program exited with this status.
        case status(Int32)
        /// This signal terminated the program.
        case signal(Int32)
        /// Another part of the process reaped it.
        case unknown
    }

    private struct State {
        var ending: Ending?
        var waiting: [CheckedContinuation<Ending, Never>] = []
    }

    private let processIdentifier: pid_t
    private let state = Mutex(State())

    /// Starts the program at a path, without a shell and without a search of `PATH`.
    ///
    /// - Parameters:
    ///   - arguments: the arguments after the program's own name; none may contain a zero byte.
    ///   - environment: the complete environment of the program.
    ///   - input: the bytes on standard input, limited by the capacity of a pipe (usually 1 MiB).
    package init(
        path: String, arguments: [String], environment: [String: String], input: [UInt8]
    ) throws(SystemError) {
        let pipe = try Self.pipe(holding: input)
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // Initialized here and destroyed here; the calls in between write only to them.
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawn_file_actions_adddup2(&actions, pipe.number, STDIN_FILENO)
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
        }
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
        // Reset the signals that this process ignores or blocks; the program does not expect either.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        let variables = environment.map { "\($0.key)=\($0.value)" }
        var child = pid_t()
        let code = unsafe Self.withTexts([path] + arguments) { arguments in
            unsafe Self.withTexts(variables) { variables in
                unsafe posix_spawn(&child, path, &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw SystemError(operation: "posix_spawn", path: path, code: code) }
        processIdentifier = child
        do throws(SystemError) {
            try HostThread.start(name: "dtvr-child", stackByteCount: 256 << 10) { [self] in awaitEnd() }
        } catch {
            // Without the thread, the end of the program could not be detected, so kill it.
            Glibc.kill(-child, SIGKILL)
            while waitpid(child, nil, 0) < 0, errno == EINTR {}
            throw error
        }
    }

    /// Returns the read end of a pipe that contains these bytes, then end of file; throws if the pipe cannot hold them.
    private static func pipe(holding bytes: [UInt8]) throws(SystemError) -> FileDescriptor {
        var ends: [Int32] = [-1, -1]
        // The call writes two numbers, and the array has room for both.
        guard unsafe Glibc.pipe(&ends) == 0 else { throw SystemError(operation: "pipe", code: errno) }
        let reading = FileDescriptor(adopting: ends[0], name: "standard input of a program")
        let writing = FileDescriptor(adopting: ends[1], name: "standard input of a program")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        guard fcntl(writing.number, F_SETFL, O_NONBLOCK) == 0 else { throw writing.failure("fcntl") }
        writing.enlargePipe(to: Int32(clamping: bytes.count))
        // Writes at most the size of the array, which is borrowed for the call.
        let count = bytes.isEmpty ? 0 : unsafe Glibc.write(writing.number, bytes, bytes.count)
        if count < 0 { throw writing.failure("write") }
        // The rest would fit only after a read.
        if count < bytes.count {
            throw SystemError(operation: "write", path: writing.path, code: EMSGSIZE)
        }
        return reading
    }

    /// Calls `body` with a null-terminated list of C strings.
    private static func withTexts<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0) }
        // Each copy was allocated above, and the list does not outlive the call.
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        return unsafe body(copies + [nil])
    }

    private func awaitEnd() {
        var facts = unsafe siginfo_t()
        // Wait without reaping: until then the process ID is not reused, so `kill` can use it safely.
        while unsafe waitid(P_PID, id_t(processIdentifier), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (ending, waiting) = state.withLock { state in
            let ending = Self.reap(processIdentifier)
            state.ending = ending
            defer { state.waiting = [] }
            return (ending, state.waiting)
        }
        for continuation in waiting { continuation.resume(returning: ending) }
    }

    private static func reap(_ child: pid_t) -> Ending {
        var status: Int32 = 0
        // The call writes only to the status.
        while unsafe waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return .unknown }
        }
        return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }

    /// Waits until the program ends and returns its termination status.
    package func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            let ending = state.withLock { state -> Ending? in
                if state.ending == nil { state.waiting.append(continuation) }
                return state.ending
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    /// Kills the program and its process group; does nothing if the program has ended.
    package func kill() {
        state.withLock { state in
            if state.ending == nil { _ = Glibc.kill(-processIdentifier, SIGKILL) }
        }
    }
}
