import CDTVRHeader
import HostSystem
import PlayerSession
import Synchronization

/// The notifications of a session that wait for its C callback, which runs on a dedicated thread, one at a time.
@safe final class CallbackQueue: MeasurementSessionDelegate {
    /// The callback and its context argument.
    ///
    /// They may be used on any thread, because dtvr.h documents that callbacks run on a library thread.
    @safe private struct Callback: Sendable {
        let function:
            @convention(c) (
                UnsafeMutableRawPointer?, dtvr_notice, Int32, UnsafePointer<CChar>?, Int, Int64
            ) -> Void
        /// The caller's context pointer, passed back unchanged.
        let contextBits: UInt
    }

    private let callback: Mutex<Callback?>
    private let thread: SerialThreadExecutor
    /// The notifications that wait while the callback runs; the thread has one piece of work for each.
    private let waiting = Mutex<[SessionNotification]>([])

    /// Starts the callback thread; returns nil if `function` is null.
    init?(_ function: dtvr_notify?, context: UnsafeMutableRawPointer?) throws(ArgumentError) {
        guard let function = unsafe function else { return nil }
        do throws(SystemError) {
            thread = try SerialThreadExecutor(name: "dtvr-notify")
        } catch {
            throw ArgumentError(status: DTVR_NO_THREAD)
        }
        unsafe callback = Mutex(Callback(function: function, contextBits: UInt(bitPattern: context)))
    }

    func session(_ session: MeasurementSession, didNotify notification: SessionNotification) {
        if waiting.withLock({ $0.add(notification) }) { thread.enqueue { [self] in callNext() } }
    }

    /// Stops the callbacks, and waits for a running one to return.
    func stop() {
        callback.withLock { $0 = nil }
        let isDone = Semaphore()
        thread.enqueue { isDone.signal() }
        isDone.wait()
    }

    private func callNext() {
        let next = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let notification = next, let callback = callback.withLock({ $0 }) else { return }
        let notice =
            switch notification.kind {
            case .event: DTVR_NOTICE_EVENT
            case .error: DTVR_NOTICE_ERROR
            case .finding: DTVR_NOTICE_FINDING
            }
        var text = notification.text
        text.append("\0")
        text.withUTF8 { bytes in
            // Safe: the text lives until the closure ends, and the callback must not keep the pointer.
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe callback.function(
                    UnsafeMutableRawPointer(bitPattern: callback.contextBits), notice,
                    Int32(notification.code), bytes.baseAddress, bytes.count - 1,
                    notification.timestamp)
            }
        }
    }
}
