import ByteReading
import CDTVRCurl
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
            box.wishes.append(wish)
            box.multi?.wakeUp()
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
            for wish in wishes { fulfil(wish, multi, &transfers) }
            if isClosing { break }
            repeat {
                start(multi, &transfers)
                multi.perform()
            } while finish(multi, &transfers)
            multi.wait()
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
        var hasFinished = false
        multi.takeFinished { identifier, code in
            guard let transfer = transfers.running[identifier] else { return }
            transfers.remove(identifier)
            multi.remove(transfer)
            transfer.finish(code)
            hasFinished = true
        }
        return hasFinished
    }

    private static func end(_ exchange: Exchange, as kind: HTTPTransferError.Kind) {
        exchange.finish(.failure(HTTPTransferError(kind, target: exchange.request.target)))
    }
}

/// A libcurl multi handle.
@safe final class MultiHandle: @unchecked Sendable {
    // Sendable: only the transfer thread uses the handle. Other threads call only `wakeUp`, which libcurl allows, under
    // the lock that guards their reference.

    private let raw: UnsafeMutableRawPointer

    private static let isCurlReady: Bool = {
        // Initialize libcurl once per process, before any other call to it, but after libcrypto.
        Cryptography.isReady && dtvr_curl_start() == CURLE_OK
    }()

    init?(_ settings: HTTPClientSettings) {
        guard Self.isCurlReady, let handle = unsafe dtvr_curl_multi_init() else { return nil }
        // The handle is new and not shared yet. `TransferQueue` limits the running transfers; this limits idle
        // connections.
        unsafe dtvr_curl_multi_set_long(
            handle, CURLMOPT_MAXCONNECTS, max(1, settings.maximumConnectionCount))
        unsafe raw = handle
    }

    deinit {
        // The transfer thread has already removed all easy handles.
        unsafe dtvr_curl_multi_cleanup(raw)
    }

    /// Wakes the transfer thread to read its mailbox; callable from any thread.
    func wakeUp() {
        // libcurl allows this call from any thread while the handle exists.
        unsafe dtvr_curl_multi_wakeup(raw)
    }

    // MARK: Transfer thread

    func perform() {
        var stillRunning: Int32 = 0
        unsafe dtvr_curl_multi_perform(raw, &stillRunning)
    }

    /// Waits for socket activity, a time limit or a wake-up.
    func wait() {
        unsafe dtvr_curl_multi_poll(raw, nil, 0, 60_000, nil)
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

    /// Calls `body` with the identifier and result code of each newly finished transfer.
    func takeFinished(_ body: (UInt64, CURLcode) -> Void) {
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
            body(UInt64(UInt(bitPattern: context)), code)
        }
    }
}
