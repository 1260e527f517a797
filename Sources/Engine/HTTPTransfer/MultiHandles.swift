import ByteReading
import CDTVRCurl
import Glibc
import HostSystem

/// The libcurl multi handles of a transfer thread, which share the watched sockets.
///
/// libcurl searches the connections to a host one after the other, at the start and at the end of each transfer. With
/// one handle for ten thousand channels of a host, this takes more time than reading their segments. So the owners are
/// divided among some handles. Requests without an owner use the first one.
final class MultiHandles {
    private static let count = 16

    private let sockets: WatchedSockets
    private let settings: HTTPClientSettings
    private var handles = [MultiHandle?](repeating: nil, count: count)

    init(_ sockets: WatchedSockets, _ settings: HTTPClientSettings) {
        self.sockets = sockets
        self.settings = settings
    }

    /// Waits for socket activity, a time limit or a wake-up, and lets libcurl process it.
    func process() {
        let deadline = handles.lazy.compactMap { $0?.deadline }.min()
        for (socket, index, action) in sockets.wait(until: deadline) {
            handles[index]?.process(socket, action)
        }
        let time = WatchedSockets.milliseconds
        for case let handle? in handles { handle.advance(to: time) }
    }

    func add(_ transfer: RunningTransfer) throws(HTTPTransferError) {
        let target = transfer.exchange.request.target
        guard let handle = handle(of: transfer) else {
            throw HTTPTransferError(.local, target: target, detail: "libcurl did not start")
        }
        let code = handle.add(transfer)
        guard code != CURLM_OK else { return }
        throw HTTPTransferError(.local, target: target, detail: "libcurl error \(code.rawValue)")
    }

    func remove(_ transfer: RunningTransfer) { handle(of: transfer)?.remove(transfer) }

    /// Resumes a transfer that was paused because its body was not read.
    func resume(_ transfer: RunningTransfer) -> CURLcode {
        handle(of: transfer)?.resume(transfer) ?? CURLE_FAILED_INIT
    }

    /// Returns the identifiers and result codes of the newly finished transfers.
    func takeFinished() -> [(identifier: UInt64, code: CURLcode)] {
        handles.flatMap { $0?.takeFinished() ?? [] }
    }

    /// Returns the handle of the transfer's owner, which is created at its first transfer; nil if that failed.
    private func handle(of transfer: RunningTransfer) -> MultiHandle? {
        let index = (transfer.exchange.request.owner?.number ?? 0) % Self.count
        if handles[index] == nil {
            handles[index] = MultiHandle(sockets, index: index, settings)
        }
        return handles[index]
    }
}

/// The sockets of a transfer thread, watched with epoll, and an event that wakes the thread.
///
/// The cost of an event does not depend on the number of transfers: thousands may wait for a host that does not answer.
@safe final class WatchedSockets: @unchecked Sendable {
    // Sendable: only the transfer thread uses the arrays. Other threads call only `wakeUp`, under the lock that guards
    // their reference.

    private let epoll: Int32
    private let event: Int32
    /// The ready sockets, each with the index of its handle and what it is ready for.
    private var sockets = [Int32](repeating: 0, count: capacity)
    private var owners = [Int32](repeating: 0, count: capacity)
    private var actions = [Int32](repeating: 0, count: capacity)
    /// The maximum number of ready sockets that are returned at once.
    private static let capacity = 256
    /// The longest time to wait, in milliseconds.
    private static let longestWait: Int64 = 60_000

    init?() {
        var event: Int32 = -1
        // The function writes the descriptor of the event.
        epoll = unsafe dtvr_epoll_open(&event)
        self.event = event
        guard epoll >= 0 else { return nil }
    }

    deinit {
        guard epoll >= 0 else { return }
        Glibc.close(epoll)
        Glibc.close(event)
    }

    /// The time of the monotonic clock.
    static var milliseconds: Int64 {
        var time = timespec()
        // The call writes only to its argument.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Wakes the transfer thread to read its mailbox; callable from any thread.
    func wakeUp() { dtvr_epoll_signal(event) }

    /// Watches a socket of the handle with an index as libcurl requests.
    func watch(_ socket: Int32, _ what: Int32, index: Int) {
        dtvr_epoll_watch(epoll, socket, what, Int32(index))
    }

    /// Waits, and returns the ready sockets with the indices of their handles and what they are ready for.
    ///
    /// - Parameter deadline: the end of the wait in milliseconds of the monotonic clock; nil for none.
    func wait(until deadline: Int64?) -> [(socket: Int32, index: Int, action: Int32)] {
        let wait = deadline.map { min(max(0, $0 - Self.milliseconds), Self.longestWait) } ?? Self.longestWait
        // The arrays have as many elements as the call may write.
        let count = unsafe dtvr_epoll_wait(
            epoll, event, Int32(wait), Int32(Self.capacity), &sockets, &owners, &actions)
        return (0..<Int(max(0, count))).map { (sockets[$0], Int(owners[$0]), actions[$0]) }
    }
}

/// A libcurl multi handle, which only the transfer thread uses.
@safe final class MultiHandle {
    private let raw: UnsafeMutableRawPointer
    private let sockets: WatchedSockets
    private let index: Int
    /// The next time limit in milliseconds of the monotonic clock; nil for none.
    private(set) var deadline: Int64?
    /// Whether a transfer may have finished since they were last taken.
    private var mayHaveFinished = false
    /// The maximum number of connections that stay open.
    private static let maximumConnectionCount = 128

    static let isCurlReady: Bool = {
        // Initialize libcurl once per process, before any other call to it, but after libcrypto.
        Cryptography.isReady && dtvr_curl_start() == CURLE_OK
    }()

    init?(_ sockets: WatchedSockets, index: Int, _ settings: HTTPClientSettings) {
        guard let handle = unsafe dtvr_curl_multi_init() else { return nil }
        // The handle is new and not shared. `TransferQueue` limits the running transfers; this limits idle connections.
        unsafe dtvr_curl_multi_set_long(
            handle, CURLMOPT_MAXCONNECTS,
            max(1, min(settings.maximumConnectionCount, Self.maximumConnectionCount)))
        unsafe raw = handle
        self.sockets = sockets
        self.index = index
        // The callbacks are removed before this object is freed.
        unsafe dtvr_curl_multi_set_callbacks(
            handle, Self.socketCallback, Self.timerCallback, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        unsafe dtvr_curl_multi_set_callbacks(raw, nil, nil, nil)
        // The transfer thread has already removed all easy handles.
        unsafe dtvr_curl_multi_cleanup(raw)
    }

    private static let socketCallback: dtvr_curl_socket_callback = { _, socket, what, context, _ in
        guard let context = unsafe context else { return 0 }
        // The handle, which owns this object's callbacks, is used by this object only.
        let handle = unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
        handle.sockets.watch(socket, what, index: handle.index)
        return 0
    }

    private static let timerCallback: dtvr_curl_timer_callback = { _, wait, context in
        guard let context = unsafe context else { return 0 }
        // As above.
        let handle = unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
        handle.deadline = wait < 0 ? nil : WatchedSockets.milliseconds + Int64(wait)
        return 0
    }

    /// Lets libcurl process what a socket is ready for.
    func process(_ socket: Int32, _ action: Int32) {
        var runningCount: Int32 = 0
        mayHaveFinished = true
        unsafe dtvr_curl_multi_socket_action(raw, socket, action, &runningCount)
    }

    /// Lets libcurl process a time limit that has passed.
    func advance(to time: Int64) {
        guard let deadline, deadline <= time else { return }
        // libcurl sets the next time limit during the call.
        self.deadline = nil
        process(dtvr_curl_socket_timeout(), 0)
    }

    func add(_ transfer: RunningTransfer) -> CURLMcode {
        mayHaveFinished = true
        return unsafe dtvr_curl_multi_add_handle(raw, transfer.easy.pointer)
    }

    func remove(_ transfer: RunningTransfer) {
        unsafe dtvr_curl_multi_remove_handle(raw, transfer.easy.pointer)
    }

    /// Resumes a paused transfer.
    ///
    /// libcurl delivers buffered data during the call. The returned code is the only report of an error in it: the
    /// transfer itself would continue and end successfully.
    func resume(_ transfer: RunningTransfer) -> CURLcode {
        mayHaveFinished = true
        return unsafe dtvr_curl_easy_pause(transfer.easy.pointer, CURLPAUSE_CONT)
    }

    /// Returns the identifiers and result codes of the newly finished transfers.
    ///
    /// All messages are taken before a transfer is removed: its removal searches the messages that remain.
    func takeFinished() -> [(identifier: UInt64, code: CURLcode)] {
        guard mayHaveFinished else { return [] }
        mayHaveFinished = false
        var finished: [(identifier: UInt64, code: CURLcode)] = []
        var left: Int32 = 0
        // The message is valid until the next libcurl call, which comes after it is read.
        while let message = unsafe dtvr_curl_multi_info_read(raw, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle
            else {
                continue
            }
            let code = unsafe dtvr_curl_message_result(message)
            var context: UnsafeMutableRawPointer?
            // CURLOPT_PRIVATE holds the identifier as the bits of a pointer that is never dereferenced.
            unsafe dtvr_curl_get_pointer(easy, CURLINFO_PRIVATE, &context)
            finished.append((UInt64(UInt(bitPattern: context)), code))
        }
        return finished
    }
}
