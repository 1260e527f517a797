import HTTPServing
import HostSystem
import Synchronization

/// The shared state of a collector's connections: the storage, the tokens and the fault script.
final class CollectorCore: Sendable {
    let settings: CollectorSettings
    /// The files of a collector without a ledger.
    let archive: ArchiveStorage?
    /// The ledger of a collector that has one.
    let ledger: LedgerStorage?
    private let storage: any BatchStorage
    private let tokens: Mutex<CollectorTokens?>
    private let script: Mutex<FaultScript>
    private let clock: any HostClock
    /// The limits that the senders share.
    let budget: CollectorBudget

    init(
        settings: CollectorSettings, clock: any HostClock, report: @escaping @Sendable (String) -> Void
    ) throws(CollectorError) {
        self.settings = settings
        self.clock = clock
        budget = CollectorBudget(settings)
        switch settings.storage {
        case .folder(let folder):
            let archive = try ArchiveStorage(folder: folder, now: clock.unixMilliseconds)
            self.archive = archive
            ledger = nil
            storage = archive
        case .ledger(let address):
            let ledger = LedgerStorage(Ledger(address, clock: clock), report: report)
            archive = nil
            self.ledger = ledger
            storage = ledger
        }
        tokens = Mutex(settings.tokens)
        script = Mutex(FaultScript(settings.faults))
    }

    var status: CollectorStatus { storage.status }

    /// Returns the name of the sender of a request; nil if its token is missing or unknown.
    func sender(authorization field: String?) -> String? {
        let tokens = tokens.withLock { $0 }
        guard let tokens else { return CollectorTokens.nameWithoutToken }
        return tokens.name(authorization: field)
    }

    /// Returns whether a request may be meant for this collector: with tokens any, and without them on a loopback
    /// address only one whose host is this machine.
    func accepts(_ request: HTTPServerRequest) -> Bool {
        let isOpen = tokens.withLock { $0 == nil } && HTTPServerSettings.isLoopback(settings.address)
        return !isOpen || request.isForThisMachine
    }

    /// Ends all waits soon, and refuses later batches.
    func interrupt() {
        budget.interrupt()
        ledger?.interrupt()
    }

    /// Returns the answer to a batch that its sender may send again later.
    func refuse(_ failure: StorageFailure) -> HTTPServerAnswer {
        ledger?.countRefusal(.busy)
        return failure.answer
    }

    /// Replaces the tokens, for all later requests.
    func replaceTokens(_ new: CollectorTokens?) { tokens.withLock { $0 = new } }

    /// Returns the faults that apply to the next batch request.
    func nextFaults() -> [CollectorFault] { script.withLock { $0.next() } }

    func receive(_ batch: ReceivedBatch, from sender: String, faults: [CollectorFault]) -> RequestStep {
        let now = clock.unixMilliseconds
        let script = script.withLock { script in
            script.observe(batch)
            return script
        }
        for fault in faults {
            if let answer = fault.answer(to: batch, script: script, now: now) { return .answer(answer) }
        }
        var options = StorageOptions(sender: sender, now: now)
        options.isForgetful = faults.contains(.forgetful)
        for case .poison(let tag, .rejected) in faults {
            if let id = script.identifier(of: tag) { options.refused[id] = "bad_tag" }
        }
        let receipt: BatchReceipt
        do throws(StorageFailure) {
            receipt = try storage.store(batch, options)
        } catch {
            return .answer(error.answer)
        }
        if faults.contains(.lostAnswer) { return .drop }
        if faults.contains(.garbage) {
            return .answer(HTTPServerAnswer(status: 200, body: Array("{\"accepted\":\"all of them\"".utf8)))
        }
        return .answer(.receipt(receipt))
    }
}
