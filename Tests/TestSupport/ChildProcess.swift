import Foundation
public import Glibc
import Synchronization

/// A program that a test has started, and waits for without holding a thread of Swift's pool.
///
/// It inherits standard input, output and errors only. With `Foundation.Process` a program may inherit, from
/// one that is started at the same moment, the socket whose closing tells that one's end; then each is waited
/// for until the other has ended too.
public final class ChildProcess: Sendable {
    private struct State {
        var hasEnded = false
        var end = ContinuousClock.now
        var status: Int32 = 0
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    /// The number that the system gave it.
    public let processIdentifier: pid_t
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    /// Why a program could not be started.
    public struct NotStarted: Error {
        /// The program's path.
        public let program: String
        /// What the system said.
        public let code: Int32
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: all that it gets; nil gives it that of the test.
    ///   - input: descriptors for the three standard streams, which stay the caller's.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String]? = nil,
        input: Int32, output: Int32, errors: Int32
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        // Made here and destroyed here; so too the attributes.
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in [input, output, errors].enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        // All others: a pipe of another test that the child held open would never end. One that is not open is passed
        // over; other tests may open some meanwhile.
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

    /// Lends the call a list of C texts that ends with a null pointer.
    private static func withTexts<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        return unsafe body(copies + [nil])
    }

    private func awaitEnd() {
        var facts = unsafe siginfo_t()
        // Looked at before it is reaped: until then its number belongs to nobody else.
        while unsafe waitid(P_PID, id_t(processIdentifier), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (status, waiting) = state.withLock { state in
            var status: Int32 = 0
            while unsafe waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
            // A signal's number counts from 128, as in a shell.
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

    /// Whether it has ended.
    public var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// When it ended, which may be long before a task that waits for it runs; nil before.
    public var end: ContinuousClock.Instant? { state.withLock { $0.hasEnded ? $0.end : nil } }

    /// Waits until it has ended, and gives its exit status, or 128 and more where a signal ended it.
    ///
    /// A task that is cancelled meanwhile, as one that runs over its time limit is, kills it.
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

    /// Sends it a signal, where it has not ended.
    public func signal(_ number: Int32) {
        state.withLock { state in
            if !state.hasEnded { _ = kill(processIdentifier, number) }
        }
    }

    /// Kills it and waits until it is gone, which is as long as the system takes for that.
    public func killAndWait() {
        signal(SIGKILL)
        ended.wait()
        ended.signal()
    }
}
