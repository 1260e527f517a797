import CDTVRHeader
import Glibc
import HostSystem
import PlayerSession
import Synchronization

/// The object behind a C session pointer: the session, and the delegate that calls the C callback.
final class SessionHandle: Sendable {
    let session: MeasurementSession
    private let callbacks: CallbackQueue?

    /// Creates the handle of a session whose delegate is `callbacks`.
    init(session: MeasurementSession, callbacks: CallbackQueue?) {
        self.session = session
        self.callbacks = callbacks
    }

    /// The handles of the sessions that exist, by the number that C has as a pointer.
    private struct Table: Sendable {
        var handles: [UInt: SessionHandle] = [:]
        /// The last number; numbers are never used twice.
        var last: UInt = 0
    }

    private static let table = Mutex(Table())

    /// Adds the handle to those that exist, and returns its pointer for C.
    func register() -> OpaquePointer? {
        let number = Self.table.withLock { table in
            // A multiple of the alignment of pointers, which some callers check.
            table.last += 16
            table.handles[table.last] = self
            return table.last
        }
        return unsafe OpaquePointer(bitPattern: number)
    }

    /// Calls `body` with the handle of a session pointer.
    ///
    /// Returns an error for a null pointer, for that of a destroyed session, and in a forked child.
    static func with(
        _ pointer: OpaquePointer?, _ body: (SessionHandle) -> dtvr_status
    ) -> dtvr_status {
        guard let pointer = unsafe pointer else { return DTVR_NULL_POINTER }
        guard !LibraryProcess.isForked else { return DTVR_FORKED }
        let number = UInt(bitPattern: pointer)
        guard let handle = table.withLock({ $0.handles[number] }) else { return DTVR_NO_SESSION }
        return body(handle)
    }

    /// Ends the session of a pointer, and passes what was delivered and what waits to `body`.
    static func finish(
        _ pointer: OpaquePointer?, within limit: Duration, _ body: (SessionEnding) -> dtvr_status
    ) -> dtvr_status {
        guard let pointer = unsafe pointer else { return DTVR_DONE }
        guard !LibraryProcess.isForked else { return DTVR_FORKED }
        let number = UInt(bitPattern: pointer)
        guard let handle = table.withLock({ $0.handles.removeValue(forKey: number) }) else {
            return DTVR_NO_SESSION
        }
        let session = handle.session
        let isWritten = wait(atMost: limit) {
            await session.finish(timeLimit: .seconds(Int64.max))
        }
        handle.callbacks?.stop()
        guard isWritten != nil, let ending = session.ending else { return handle.status(nil) }
        let answer = body(ending)
        return answer == DTVR_DONE ? handle.status(isWritten) : answer
    }

    /// The maximum number of flushes and deliveries of the session in progress; their callers may have stopped waiting.
    private static let maximumFlushCount = 64
    private let flushCount = Mutex(0)

    private func beginFlush() -> Bool {
        flushCount.withLock { count in
            if count >= Self.maximumFlushCount { return false }
            count += 1
            return true
        }
    }

    private func endFlush() { flushCount.withLock { $0 -= 1 } }

    /// Waits until the session's tags are on the disk, for at most `limit`.
    func flush(within limit: Duration) -> dtvr_status {
        guard beginFlush() else { return status(nil) }
        return status(
            Self.wait(atMost: limit) { [self] in
                let isWritten = await session.flush(timeLimit: .seconds(Int64.max))
                endFlush()
                return isWritten
            })
    }

    /// Delivers the folder's tags for at most `limit`; returns nil if too many calls are in progress.
    func deliver(within limit: Duration) -> SessionDelivered? {
        guard beginFlush() else { return nil }
        return Self.wait(atMost: .seconds(Int64.max)) { [self] in
            await session.deliver(within: limit) { [self] in endFlush() }
        }
    }

    /// Returns the status for the result of a delivery.
    func status(of result: SessionDelivered) -> dtvr_status {
        if result.isComplete { return DTVR_DONE }
        if session.isBufferInUse { return DTVR_IN_USE }
        return switch result.delivery.state {
        case .off, .retrying, .held: DTVR_NOT_DELIVERED
        case .idle, .sending, .elsewhere: DTVR_TIMED_OUT
        }
    }

    /// Returns the status for whether everything is on the disk; nil if that took too long.
    private func status(_ isWritten: Bool?) -> dtvr_status {
        switch isWritten {
        case nil: session.isBufferInUse ? DTVR_IN_USE : DTVR_TIMED_OUT
        case false?: DTVR_NOT_ON_DISK
        case true?: DTVR_DONE
        }
    }

    /// Blocks the calling thread until `body` returns, and returns its result; nil if that takes longer than `limit`.
    ///
    /// The caller is a C thread, not a thread of Swift's concurrency pool.
    private static func wait<Value: Sendable>(
        atMost limit: Duration, for body: @escaping @Sendable () async -> Value
    ) -> Value? {
        let answer = AwaitedResult<Value>()
        Task.detached { answer.set(await body()) }
        return answer.wait(atMost: limit)
    }
}

/// A result that a task provides to a blocked thread.
private final class AwaitedResult<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = Semaphore()

    func set(_ result: Value) {
        value.withLock { $0 = result }
        semaphore.signal()
    }

    /// Returns the result; nil if it does not arrive in time.
    func wait(atMost limit: Duration) -> Value? {
        _ = semaphore.wait(atMost: limit)
        return value.withLock { $0 }
    }
}

/// The process that created the first session.
///
/// The library's threads exist only there, and not in a forked child.
enum LibraryProcess {
    private static let maker = Atomic<Int32>(0)

    /// Whether this process is a forked child of one that has created a session.
    static var isForked: Bool {
        let number = maker.load(ordering: .relaxed)
        return number != 0 && number != getpid()
    }

    /// Records that this process creates a session; returns false in a forked child of a process that already has.
    static func enter() -> Bool {
        let (isFirst, number) = maker.compareExchange(
            expected: 0, desired: getpid(), ordering: .relaxed)
        return isFirst || number == getpid()
    }
}
