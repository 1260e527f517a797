import ByteReading
import CDTVRCurl
import Glibc
import HostSystem
import Synchronization

/// The thread that runs libcurl's multi handle, and the mailbox through which other threads control it.
final class TransferLoop: Sendable {
    /// A command from another thread.
    enum Wish: Sendable {
        case start(Exchange)
        case resume(UInt64)
        case cancel(UInt64)
    }

    private struct Box {
        var wishes: [Wish] = []
        var isClosing = false
        /// The multi handle; present while wake-ups are allowed, from before the thread starts until its work ends.
        var multi: MultiHandle?
        var lastIdentifier: UInt64 = 0
    }

    private let box: Mutex<Box>
    private let settings: HTTPClientSettings

    init(settings: HTTPClientSettings) throws(HTTPTransferError) {
        self.settings = settings
        guard unsafe dtvr_curl_missing() == nil else {
            throw HTTPTransferError(.local, target: "HTTP", detail: "libcurl is not installed")
        }
        guard let multi = MultiHandle(settings) else {
            throw HTTPTransferError(.local, target: "HTTP", detail: "libcurl did not start")
        }
        box = Mutex(Box(multi: multi))
        try startThread()
    }

    func nextIdentifier() -> UInt64 {
        box.withLock { box in
            box.lastIdentifier += 1
            return box.lastIdentifier
        }
    }

    func post(_ wish: Wish) {
        let isClosed = box.withLock { box in
            if box.isClosing { return true }
            // Earlier wishes that the thread has not taken have already woken it.
            if box.wishes.isEmpty { box.multi?.wakeUp() }
            box.wishes.append(wish)
            return false
        }
        if isClosed, case .start(let exchange) = wish {
            exchange.finish(.failure(HTTPTransferError(.closed, target: exchange.request.target)))
        }
    }

    func close() {
        box.withLock { box in
            box.isClosing = true
            box.multi?.wakeUp()
        }
    }

    // MARK: The thread

    private func startThread() throws(HTTPTransferError) {
        do throws(SystemError) {
            // The thread ends when the client is closed, and is never joined.
            try HostThread.start(name: "dtvr-http") { [self] in run() }
        } catch {
            throw HTTPTransferError(.local, target: "HTTP", detail: "no thread (\(error.reason))")
        }
    }

    private func run() {
        guard let multi = box.withLock({ $0.multi }) else { return }
        var transfers = Transfers(settings)
        while true {
            let (wishes, isClosing) = box.withLock { box in
                defer { box.wishes = [] }
                return (box.wishes, box.isClosing)
            }
            // First resume those who wait for a cancelled transfer: libcurl takes long to close thousands of
            // connections.
            for case .cancel(let identifier) in wishes {
                if let transfer = transfers.running[identifier] {
                    Self.end(transfer.exchange, as: .cancelled)
                }
            }
            for wish in wishes { fulfil(wish, multi, &transfers) }
            if isClosing { break }
            repeat { start(multi, &transfers) } while finish(multi, &transfers)
            multi.process()
        }
        for transfer in transfers.running.values {
            multi.remove(transfer)
            Self.end(transfer.exchange, as: .closed)
        }
        for exchange in transfers.waiting.values { Self.end(exchange, as: .closed) }
        transfers.running = [:]
        // Prevents wake-ups of the handle, which is freed with the reference of this thread.
        box.withLock { $0.multi = nil }
    }

    /// The unfinished transfers of the thread.
    private struct Transfers {
        var queue: TransferQueue
        var running: [UInt64: RunningTransfer] = [:]
        var waiting: [UInt64: Exchange] = [:]

        init(_ settings: HTTPClientSettings) {
            queue = TransferQueue(
                all: max(1, settings.maximumConnectionCount),
                perHost: max(1, settings.maximumConnectionCountPerHost))
        }

        /// Removes a transfer that has ended.
        mutating func remove(_ identifier: UInt64) {
            running[identifier] = nil
            queue.remove(identifier)
        }
    }

    private func fulfil(_ wish: Wish, _ multi: MultiHandle, _ transfers: inout Transfers) {
        switch wish {
        case .start(let exchange):
            transfers.waiting[exchange.identifier] = exchange
            transfers.queue.add(
                exchange.identifier, of: exchange.request.owner,
                to: HTTPOrigin(exchange.request.url))
        case .resume(let identifier):
            guard let transfer = transfers.running[identifier] else { return }
            let code = multi.resume(transfer)
            guard code != CURLE_OK else { return }
            transfers.remove(identifier)
            multi.remove(transfer)
            transfer.finish(code)
        case .cancel(let identifier):
            if let exchange = transfers.waiting.removeValue(forKey: identifier) {
                transfers.queue.remove(identifier)
                Self.end(exchange, as: .cancelled)
            } else if let transfer = transfers.running[identifier] {
                transfers.remove(identifier)
                multi.remove(transfer)
                Self.end(transfer.exchange, as: .cancelled)
            }
        }
    }

    /// Starts all transfers that the limits allow.
    private func start(_ multi: MultiHandle, _ transfers: inout Transfers) {
        while let identifier = transfers.queue.takeNext() {
            guard let exchange = transfers.waiting.removeValue(forKey: identifier) else { continue }
            do throws(HTTPTransferError) {
                let transfer = try RunningTransfer(exchange, settings: settings)
                try multi.add(transfer)
                transfers.running[identifier] = transfer
            } catch {
                transfers.queue.remove(identifier)
                exchange.finish(.failure(error))
            }
        }
    }

    /// Reports the finished transfers, and returns whether there were any, so that waiting ones can start.
    private func finish(_ multi: MultiHandle, _ transfers: inout Transfers) -> Bool {
        let finished = multi.takeFinished()
        for (identifier, code) in finished {
            guard let transfer = transfers.running[identifier] else { continue }
            transfers.remove(identifier)
            multi.remove(transfer)
            transfer.finish(code)
        }
        return !finished.isEmpty
    }

    private static func end(_ exchange: Exchange, as kind: HTTPTransferError.Kind) {
        exchange.finish(.failure(HTTPTransferError(kind, target: exchange.request.target)))
    }
}

/// A libcurl multi handle.
///
/// Its sockets are watched with epoll: the cost of an event does not depend on the number of transfers, thousands of
/// which may wait for a host that does not answer.
@safe final class MultiHandle: @unchecked Sendable {
    // Sendable: only the transfer thread uses the handle. Other threads call only `wakeUp`, under the lock that guards
    // their reference.

    private let raw: UnsafeMutableRawPointer
    /// The epoll instance, and the event in it that wakes the thread.
    private let epoll: Int32
    private let event: Int32
    /// The next time limit in milliseconds of the monotonic clock; nil for none.
    private var deadline: Int64?
    /// The ready sockets with what they are ready for, and their maximum number.
    private var sockets = [Int32](repeating: 0, count: capacity)
    private var actions = [Int32](repeating: 0, count: capacity)
    private static let capacity = 256
    /// The longest time to wait, in milliseconds.
    private static let longestWait: Int64 = 60_000

    private static let isCurlReady: Bool = {
        // Initialize libcurl once per process, before any other call to it, but after libcrypto.
        Cryptography.isReady && dtvr_curl_start() == CURLE_OK
    }()

    init?(_ settings: HTTPClientSettings) {
        guard Self.isCurlReady else { return nil }
        var event: Int32 = -1
        // The function writes the descriptor of the event.
        epoll = unsafe dtvr_epoll_open(&event)
        self.event = event
        guard epoll >= 0 else { return nil }
        guard let handle = unsafe dtvr_curl_multi_init() else {
            Glibc.close(epoll)
            Glibc.close(event)
            return nil
        }
        // The handle is new and not shared yet. `TransferQueue` limits the running transfers; this limits idle
        // connections.
        unsafe dtvr_curl_multi_set_long(
            handle, CURLMOPT_MAXCONNECTS, max(1, settings.maximumConnectionCount))
        unsafe raw = handle
        // The callbacks are removed before this object is freed.
        unsafe dtvr_curl_multi_set_callbacks(
            handle, Self.socketCallback, Self.timerCallback, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        unsafe dtvr_curl_multi_set_callbacks(raw, nil, nil, nil)
        // The transfer thread has already removed all easy handles.
        unsafe dtvr_curl_multi_cleanup(raw)
        Glibc.close(epoll)
        Glibc.close(event)
    }

    /// Wakes the transfer thread to read its mailbox; callable from any thread.
    func wakeUp() { dtvr_epoll_signal(event) }

    // MARK: Transfer thread

    private static var milliseconds: Int64 {
        var time = timespec()
        // The call writes only to its argument.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static let socketCallback: dtvr_curl_socket_callback = { _, socket, what, context, _ in
        guard let context = unsafe context else { return 0 }
        // The handle, which owns this object's callbacks, is used by this object only.
        let handle = unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
        dtvr_epoll_watch(handle.epoll, socket, what)
        return 0
    }

    private static let timerCallback: dtvr_curl_timer_callback = { _, wait, context in
        guard let context = unsafe context else { return 0 }
        // As above.
        let handle = unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
        handle.deadline = wait < 0 ? nil : milliseconds + Int64(wait)
        return 0
    }

    /// Waits for socket activity, a time limit or a wake-up, and lets libcurl process it.
    func process() {
        let wait = deadline.map { min(max(0, $0 - Self.milliseconds), Self.longestWait) } ?? Self.longestWait
        // Both arrays have as many elements as the call may write.
        let count = unsafe dtvr_epoll_wait(
            epoll, event, Int32(wait), Int32(Self.capacity), &sockets, &actions)
        var runningCount: Int32 = 0
        for index in 0..<Int(count) {
            unsafe dtvr_curl_multi_socket_action(raw, sockets[index], actions[index], &runningCount)
        }
        guard let time = deadline, time <= Self.milliseconds else { return }
        // libcurl sets the next time limit during the call.
        deadline = nil
        unsafe dtvr_curl_multi_socket_action(raw, dtvr_curl_socket_timeout(), 0, &runningCount)
    }

    func add(_ transfer: RunningTransfer) throws(HTTPTransferError) {
        let code = unsafe dtvr_curl_multi_add_handle(raw, transfer.easy.pointer)
        if code != CURLM_OK {
            throw HTTPTransferError(
                .local, target: transfer.exchange.request.target,
                detail: "libcurl error \(code.rawValue)")
        }
    }

    func remove(_ transfer: RunningTransfer) {
        unsafe dtvr_curl_multi_remove_handle(raw, transfer.easy.pointer)
    }

    /// Resumes a transfer that was paused because its body was not read.
    ///
    /// libcurl delivers buffered data during the call. The returned code is the only report of an error in it: the
    /// transfer itself would continue and end successfully.
    func resume(_ transfer: RunningTransfer) -> CURLcode {
        unsafe dtvr_curl_easy_pause(transfer.easy.pointer, CURLPAUSE_CONT)
    }

    /// Returns the identifiers and result codes of the newly finished transfers.
    ///
    /// All messages are taken before a transfer is removed: its removal searches the messages that remain.
    func takeFinished() -> [(identifier: UInt64, code: CURLcode)] {
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
