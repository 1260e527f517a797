import ByteReading
import CDTVRCurl
import Glibc
import HostSystem
import Synchronization

/// The thread that runs libcurl's multi handles, and the mailbox through which other threads control it.
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
        /// The sockets; present while wake-ups are allowed, from before the thread starts until its work ends.
        var sockets: WatchedSockets?
        var lastIdentifier: UInt64 = 0
    }

    private let box: Mutex<Box>
    private let settings: HTTPClientSettings

    init(settings: HTTPClientSettings) throws(HTTPTransferError) {
        self.settings = settings
        guard unsafe dtvr_curl_missing() == nil else {
            throw HTTPTransferError(.local, target: "HTTP", detail: "libcurl is not installed")
        }
        guard MultiHandle.isCurlReady, let sockets = WatchedSockets() else {
            throw HTTPTransferError(.local, target: "HTTP", detail: "libcurl did not start")
        }
        box = Mutex(Box(sockets: sockets))
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
            if box.wishes.isEmpty { box.sockets?.wakeUp() }
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
            box.sockets?.wakeUp()
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
        guard let sockets = box.withLock({ $0.sockets }) else { return }
        let multi = MultiHandles(sockets, settings)
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
        // Prevents wake-ups of the sockets, which are freed with the reference of this thread.
        box.withLock { $0.sockets = nil }
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

    private func fulfil(_ wish: Wish, _ multi: MultiHandles, _ transfers: inout Transfers) {
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
    private func start(_ multi: MultiHandles, _ transfers: inout Transfers) {
        while let identifier = transfers.queue.takeNext() {
            guard let exchange = transfers.waiting.removeValue(forKey: identifier) else { continue }
            begin(exchange, multi, &transfers)
        }
    }

    private func begin(
        _ exchange: Exchange, isRepetition: Bool = false, _ multi: MultiHandles, _ transfers: inout Transfers
    ) {
        do throws(HTTPTransferError) {
            let transfer = try RunningTransfer(exchange, settings: settings, isRepetition: isRepetition)
            try multi.add(transfer)
            transfers.running[exchange.identifier] = transfer
        } catch {
            transfers.remove(exchange.identifier)
            exchange.finish(.failure(error))
        }
    }

    /// Reports the finished transfers, and returns whether there were any, so that waiting ones can start.
    private func finish(_ multi: MultiHandles, _ transfers: inout Transfers) -> Bool {
        let finished = multi.takeFinished()
        for (identifier, code) in finished {
            guard let transfer = transfers.running[identifier] else { continue }
            multi.remove(transfer)
            if transfer.shouldRepeat(after: code) {
                // It keeps its place among the running transfers.
                begin(transfer.exchange, isRepetition: true, multi, &transfers)
            } else {
                transfers.remove(identifier)
                transfer.finish(code)
            }
        }
        return !finished.isEmpty
    }

    private static func end(_ exchange: Exchange, as kind: HTTPTransferError.Kind) {
        exchange.finish(.failure(HTTPTransferError(kind, target: exchange.request.target)))
    }
}
