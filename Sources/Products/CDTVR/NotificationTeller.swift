import CDTVRHeader
import HostSystem
import PlayerSession
import Synchronization

/// Tells C of a session's notifications, one after the other on a thread of its own.
@safe final class NotificationTeller: MeasurementSessionDelegate {
    /// The function and what it is told with, until nobody is told any more.
    ///
    /// They may be used on any thread: the header says so.
    @safe private struct Listener: Sendable {
        let function:
            @convention(c) (
                UnsafeMutableRawPointer?, dtvr_notice, Int32, UnsafePointer<CChar>?, Int, Int64
            ) -> Void
        /// The caller's pointer, which is only handed back.
        let contextBits: UInt
    }

    private let listener: Mutex<Listener?>
    private let thread: SerialThreadExecutor

    /// Nil where there is nobody to tell.
    init?(_ function: dtvr_notify?, context: UnsafeMutableRawPointer?) throws(RefusedArgument) {
        guard let function = unsafe function else { return nil }
        do throws(SystemError) {
            thread = try SerialThreadExecutor(name: "dtvr-notify")
        } catch {
            throw RefusedArgument(status: DTVR_NO_THREAD)
        }
        unsafe listener = Mutex(Listener(function: function, contextBits: UInt(bitPattern: context)))
    }

    func session(_ session: MeasurementSession, didNotify notification: SessionNotification) {
        thread.enqueue { [self] in tell(notification) }
    }

    /// Returns once nobody is told any more.
    func stop() {
        listener.withLock { $0 = nil }
        let isDone = Semaphore()
        thread.enqueue { isDone.signal() }
        isDone.wait()
    }

    private func tell(_ notification: SessionNotification) {
        guard let listener = listener.withLock({ $0 }) else { return }
        let notice = notification.kind == .event ? DTVR_NOTICE_EVENT : DTVR_NOTICE_ERROR
        var text = notification.text
        text.append("\0")
        text.withUTF8 { bytes in
            // The text lives until the closure ends, and the function keeps no pointer to it.
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe listener.function(
                    UnsafeMutableRawPointer(bitPattern: listener.contextBits), notice,
                    Int32(notification.code), bytes.baseAddress, bytes.count - 1,
                    notification.timestamp)
            }
        }
    }
}
