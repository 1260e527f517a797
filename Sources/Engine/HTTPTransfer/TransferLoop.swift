import CDTVRCurl
import HostSystem
import Synchronization

/// The thread on which libcurl's multi handle lives, and the box in which the other threads leave their wishes.
final class TransferLoop: Sendable {
    /// What another thread wants of this one.
    enum Wish: Sendable {
        case start(Exchange)
        case resume(UInt64)
        case cancel(UInt64)
    }

    private struct Box: ~Copyable {
        var wishes: [Wish] = []
        var isClosing = false
        /// Set while wake-ups may be sent: from before the thread starts until it has ended its work.
        var multi: MultiHandle?
        var lastIdentifier: UInt64 = 0
    }

    private let box: Mutex<Box>
    private let settings: HTTPClientSettings

    init(settings: HTTPClientSettings) throws(HTTPTransferError) {
        self.settings = settings
        guard let multi = MultiHandle(settings) else {
            throw HTTPTransferError(.local, target: "HTTP", detail: "libcurl did not start")
        }
        box = Mutex(Box(multi: consume multi))
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
            // It ends by itself once the client is closed, and nobody waits for that.
            try HostThread.start(name: "dtvr-http") { [self] in run() }
        } catch {
            throw HTTPTransferError(.local, target: "HTTP", detail: "no thread (\(error.reason))")
        }
    }

    private func run() {
        guard let multi = box.withLock({ $0.multi?.pointer }) else { return }
        var running: [UInt64: RunningTransfer] = [:]
        while true {
            let (wishes, isClosing) = box.withLock { box in
                defer { box.wishes = [] }
                return (box.wishes, box.isClosing)
            }
            for wish in wishes { fulfil(wish, multi, &running) }
            if isClosing { break }
            multi.perform()
            multi.takeFinished { identifier, code in
                guard let transfer = running.removeValue(forKey: identifier) else { return }
                multi.remove(transfer)
                transfer.finish(code)
            }
            multi.wait()
        }
        for transfer in running.values {
            multi.remove(transfer)
            transfer.exchange.finish(
                .failure(HTTPTransferError(.closed, target: transfer.exchange.request.target)))
        }
        running = [:]
        // Nobody may wake what is about to go.
        let last = box.withLock { $0.multi.take() }
        _ = consume last
    }

    private func fulfil(_ wish: Wish, _ multi: MultiPointer, _ running: inout [UInt64: RunningTransfer]) {
        switch wish {
        case .start(let exchange):
            do throws(HTTPTransferError) {
                let transfer = try RunningTransfer(exchange, settings: settings)
                try multi.add(transfer)
                running[exchange.identifier] = transfer
            } catch {
                exchange.finish(.failure(error))
            }
        case .resume(let identifier):
            guard let transfer = running[identifier] else { return }
            let code = multi.resume(transfer)
            guard code != CURLE_OK else { return }
            running[identifier] = nil
            multi.remove(transfer)
            transfer.finish(code)
        case .cancel(let identifier):
            guard let transfer = running.removeValue(forKey: identifier) else { return }
            multi.remove(transfer)
            transfer.exchange.finish(
                .failure(HTTPTransferError(.cancelled, target: transfer.exchange.request.target)))
        }
    }
}
