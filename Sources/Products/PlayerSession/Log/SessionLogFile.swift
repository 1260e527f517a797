import Glibc
import HostSystem
import Synchronization
import TextForms

/// The file of the logs of a process's sessions, or its standard error.
///
/// A thread writes the lines, so that no call waits for the disk. A file begins with each launch, and at 10 MB; the
/// previous one is kept as `FILE.1`.
final class SessionLogFile: Sendable {
    /// The maximum size of a file, in bytes.
    static let maximumByteCount = 10_000_000
    /// The maximum number of bytes that wait for the disk; further lines are left out, and counted.
    static let maximumPendingByteCount = 8 << 20

    fileprivate struct State: Sendable {
        var pending: [UInt8] = []
        /// The number of calls whose lines are left out since the last write.
        var leftOutCount = 0
        var isWriting = false
        var sessionCount = 0
        var origin: Duration?
        var failure: String?
        var listeners: [Int: @Sendable (String) -> Void] = [:]
    }

    private struct Known: Sendable {
        weak var file: SessionLogFile?
    }

    private static let known = Mutex<[String: Known]>([:])

    private let state = Mutex(State())
    private let output: Mutex<RotatedFile>
    private let executor: SerialThreadExecutor?

    private init(path: String?) {
        output = Mutex(RotatedFile(path: path, maximumByteCount: Self.maximumByteCount))
        do throws(SystemError) {
            executor = try SerialThreadExecutor(name: "dtvr-log")
        } catch {
            executor = nil
            state.withLock { $0.failure = error.description }
        }
    }

    /// Returns the file at a path, which all sessions of the process share.
    ///
    /// The path may lead through symbolic links to a folder, but not to the file: another user may have placed one.
    ///
    /// - Parameter path: nil for standard error.
    static func shared(_ path: String?) -> SessionLogFile {
        let key = path.map { FileSystem.canonicalPath(ofFileAt: $0) } ?? ""
        return known.withLock { known in
            if let file = known[key]?.file { return file }
            known = known.filter { $0.value.file != nil }
            let file = SessionLogFile(path: path == nil ? nil : key)
            known[key] = Known(file: file)
            return file
        }
    }

    /// Adds a session, and returns its number, from 1, and the start of the file on the clock of the calls.
    ///
    /// - Parameter now: the time on that clock.
    func join(at now: Duration) -> (number: Int, origin: Duration) {
        state.withLock { state in
            state.sessionCount += 1
            let origin = state.origin ?? now
            state.origin = origin
            return (state.sessionCount, origin)
        }
    }

    /// Calls `report` when the file cannot be written, at the first failure only.
    func reportFailure(to session: Int, _ report: @escaping @Sendable (String) -> Void) {
        let failure = state.withLock { state in
            state.listeners[session] = report
            return state.failure
        }
        if let failure { report(failure) }
    }

    /// Removes a session.
    func leave(_ session: Int) { _ = state.withLock { $0.listeners.removeValue(forKey: session) } }

    /// Enqueues the lines of a call.
    ///
    /// Safe to call with a lock held: it only enqueues.
    ///
    /// - Returns: whether the caller must call `beginWriting` after unlocking.
    func add(_ lines: [UInt8]) -> Bool {
        if lines.isEmpty { return false }
        return state.withLock { state in
            if state.pending.count + lines.count > Self.maximumPendingByteCount {
                state.leftOutCount += 1
            } else {
                state.pending += lines
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
    }

    /// Starts writing the enqueued lines.
    func beginWriting() { executor?.enqueue { [self] in write() } }

    /// Waits until all lines enqueued so far are written.
    func flush() async {
        guard let executor, state.withLock({ $0.isWriting }) else { return }
        await withCheckedContinuation { caller in executor.enqueue { caller.resume() } }
    }

    private func write() {
        while let lines = state.withLock({ $0.next() }) {
            do throws(SystemError) {
                try output.withLock { output throws(SystemError) in try output.append(lines) }
            } catch {
                fail(error.description)
            }
        }
    }

    private func fail(_ text: String) {
        let listeners = state.withLock { state in
            guard state.failure == nil else { return [@Sendable (String) -> Void]() }
            state.failure = text
            return Array(state.listeners.values)
        }
        for report in listeners { report(text) }
    }
}

extension SessionLogFile.State {
    /// Returns the lines to write, or nil when there are none; the writer then stops.
    fileprivate mutating func next() -> [UInt8]? {
        if leftOutCount > 0 {
            pending += Array(
                "# \(DecimalText.count(leftOutCount, "call is", "calls are")) left out: the disk was too slow\n"
                    .utf8)
            leftOutCount = 0
        }
        guard !pending.isEmpty else {
            isWriting = false
            return nil
        }
        defer { pending = [] }
        return pending
    }
}

/// A file that is replaced by an empty one when it is full, or the standard error.
struct RotatedFile: ~Copyable, Sendable {
    private let path: String?
    private let maximumByteCount: Int
    private var file: FileDescriptor?
    private var byteCount = 0

    /// Creates the file of a path, which is opened by the first write.
    ///
    /// - Parameter path: nil for standard error, which is never replaced.
    init(path: String?, maximumByteCount: Int) {
        self.path = path
        self.maximumByteCount = maximumByteCount
    }

    /// Appends lines, to a new file if they do not fit into the current one.
    mutating func append(_ lines: [UInt8]) throws(SystemError) {
        guard let path else {
            return try FileDescriptor(lent: 2, name: "standard error").write(lines.span)
        }
        let isFull = byteCount > 0 && byteCount + lines.count > maximumByteCount
        if isFull || file == nil { try begin(path) }
        try file?.write(lines.span)
        byteCount += lines.count
    }

    /// Opens an empty file, and keeps the previous one under another name.
    private mutating func begin(_ path: String) throws(SystemError) {
        file = nil
        byteCount = 0
        if try Self.open(path).byteCount() != 0 { try FileSystem.rename(path, to: path + ".1") }
        file = try Self.open(path)
    }

    /// Opens a file, but neither a symbolic link nor anything else.
    private static func open(_ path: String) throws(SystemError) -> FileDescriptor {
        // Does not wait for the reader of a named pipe.
        let file = try FileDescriptor(
            path: path, options: [.writing, .create, .append, .noFollow, .nonblocking], permissions: 0o600)
        guard try file.kind() == .regularFile else {
            throw SystemError(operation: "not a regular file:", path: path, code: EINVAL)
        }
        try file.makePrivate()
        return file
    }
}
