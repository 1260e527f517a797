import CDTVRHeader
import HostSystem
import PlayerSession

/// The object behind a C session pointer: the session, and the delegate that calls the C callback.
final class SessionHandle: Sendable {
    let session: MeasurementSession
    private let teller: NotificationTeller?

    init(session: MeasurementSession, teller: NotificationTeller?) {
        self.session = session
        self.teller = teller
        session.delegate = teller
    }

    /// The pointer for C, which owns a new reference to the handle.
    var pointer: OpaquePointer { unsafe OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

    /// Calls `body` with the handle of a session pointer; returns an error for a null pointer or in a forked child.
    static func with(
        _ pointer: OpaquePointer?, _ body: (SessionHandle) -> dtvr_status
    ) -> dtvr_status {
        guard let pointer = unsafe pointer else { return DTVR_NULL_POINTER }
        guard !LibraryProcess.isForked else { return DTVR_FORKED }
        // Safe: the caller owns a reference until `dtvr_destroy`, which must not run during another call.
        return body(
            unsafe Unmanaged<SessionHandle>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue())
    }

    /// Ends the session of a pointer, and releases the pointer's reference.
    static func destroy(_ pointer: OpaquePointer?, within limit: Duration) -> dtvr_status {
        guard let pointer = unsafe pointer else { return DTVR_DONE }
        guard !LibraryProcess.isForked else { return DTVR_FORKED }
        // Safe: as above, and the caller must not use the pointer after this call.
        let handle = unsafe Unmanaged<SessionHandle>.fromOpaque(UnsafeRawPointer(pointer)).takeRetainedValue()
        let session = handle.session
        let isWritten = wait(atMost: limit) {
            await session.finish()
        }
        handle.teller?.stop()
        return status(isWritten)
    }

    /// Waits until the session's tags are on the disk, for at most `limit`.
    func flush(within limit: Duration) -> dtvr_status {
        let session = session
        return Self.status(Self.wait(atMost: limit) { await session.flush() })
    }

    private static func status(_ isWritten: Bool?) -> dtvr_status {
        switch isWritten {
        case nil: DTVR_TIMED_OUT
        case false?: DTVR_NOT_ON_DISK
        case true?: DTVR_DONE
        }
    }

    /// Blocks the calling thread until `body` returns, and returns its result; nil if that takes longer than `limit`.
    ///
    /// The caller is a C thread, not a thread of Swift's concurrency pool.
    private static func wait(atMost limit: Duration, for body: @escaping @Sendable () async -> Bool) -> Bool?
    {
        let answer = WaitedAnswer()
        Task.detached { answer.give(await body()) }
        return answer.wait(atMost: limit)
    }
}
