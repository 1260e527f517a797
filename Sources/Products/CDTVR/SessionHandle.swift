import CDTVRHeader
import HostSystem
import PlayerSession

/// What the pointer to a session stands for: the session, and who is told of its notifications.
final class SessionHandle: Sendable {
    let session: MeasurementSession
    private let teller: NotificationTeller?

    init(session: MeasurementSession, teller: NotificationTeller?) {
        self.session = session
        self.teller = teller
        session.delegate = teller
    }

    /// The pointer that C gets, with a reference of its own.
    var pointer: OpaquePointer { unsafe OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

    /// Does something with the session of a pointer, or says why not.
    static func with(
        _ pointer: OpaquePointer?, _ body: (SessionHandle) -> dtvr_status
    ) -> dtvr_status {
        guard let pointer = unsafe pointer else { return DTVR_NULL_POINTER }
        guard !LibraryProcess.isForked else { return DTVR_FORKED }
        // The caller owns a reference until `dtvr_destroy`, which nobody may call meanwhile.
        return body(
            unsafe Unmanaged<SessionHandle>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue())
    }

    /// Ends the session of a pointer, and takes its reference back.
    static func destroy(_ pointer: OpaquePointer?, within limit: Duration) -> dtvr_status {
        guard let pointer = unsafe pointer else { return DTVR_DONE }
        guard !LibraryProcess.isForked else { return DTVR_FORKED }
        // As above; nobody uses the pointer from now on.
        let handle = unsafe Unmanaged<SessionHandle>.fromOpaque(UnsafeRawPointer(pointer)).takeRetainedValue()
        let session = handle.session
        let isWritten = wait(atMost: limit) {
            await session.finish()
        }
        handle.teller?.stop()
        return status(isWritten)
    }

    /// Waits for the disk.
    func settle(within limit: Duration) -> dtvr_status {
        let session = session
        return Self.status(Self.wait(atMost: limit) { await session.settle() })
    }

    private static func status(_ isWritten: Bool?) -> dtvr_status {
        switch isWritten {
        case nil: DTVR_TIMED_OUT
        case false?: DTVR_NOT_ON_DISK
        case true?: DTVR_DONE
        }
    }

    /// Blocks the caller, which is no thread of Swift's, until something is done; nil where that takes too long.
    private static func wait(atMost limit: Duration, for body: @escaping @Sendable () async -> Bool) -> Bool?
    {
        let answer = WaitedAnswer()
        Task.detached { answer.give(await body()) }
        return answer.wait(atMost: limit)
    }
}
