import HTTPServing
import HostSystem
import Synchronization
import TextForms

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
        return .answer(.receipt(receipt, kinds: ledger == nil ? [] : ["period"]))
    }
}

/// Applies a list of faults, request by request.
struct FaultScript: Sendable {
    private let faults: [ScriptedFault]
    private var requestCount = 0
    /// The distinct tags received so far, up to the highest ordinal of a poisoned tag.
    private var seen: Set<UInt128> = []
    private var poisoned: [Int: UInt128] = [:]

    init(_ faults: [ScriptedFault]) { self.faults = faults }

    /// Returns the faults that apply to the next request.
    mutating func next() -> [CollectorFault] {
        if faults.isEmpty { return [] }
        requestCount += 1
        return faults.filter { $0.selection.includes(requestCount) }.map(\.fault)
    }

    /// Records the tags of a batch, to find the n-th distinct tag.
    mutating func observe(_ batch: ReceivedBatch) {
        let ordinals = Set(
            faults.compactMap { scripted -> Int? in
                if case .poison(.ordinal(let ordinal), _) = scripted.fault { return ordinal }
                return nil
            })
        guard let highest = ordinals.max(), seen.count < highest else { return }
        for line in batch.lines where seen.insert(line.id.value).inserted && ordinals.contains(seen.count) {
            poisoned[seen.count] = line.id.value
        }
    }

    /// Returns the ID of a poisoned tag, or nil if that tag has not arrived yet.
    func identifier(of tag: CollectorFault.PoisonedTag) -> UInt128? {
        switch tag {
        case .id(let text): ReceivedID(text: text)?.value
        case .ordinal(let ordinal): poisoned[ordinal]
        }
    }
}

extension CollectorFault {
    /// Returns the answer that replaces normal processing, or nil if the fault has another effect.
    func answer(to batch: ReceivedBatch, script: FaultScript, now: Int64) -> HTTPServerAnswer? {
        switch self {
        case .status(let status, let retryAfter):
            var fields: [HTTPServerRequest.Pair] = []
            switch retryAfter {
            case nil: break
            case .seconds(let seconds): fields = [.init(name: "Retry-After", value: String(seconds))]
            case .date(let seconds):
                fields = [
                    .init(
                        name: "Retry-After", value: HTTPDate.text(unixSeconds: now / 1_000 + Int64(seconds)))
                ]
            }
            return .error(status, "scripted", "a scripted fault", fields: fields)
        case .tooLarge(let count):
            guard batch.lines.count > count else { return nil }
            return .error(413, "too_large", "a scripted limit of \(count) tags")
        case .poison(let tag, .status(let status)):
            guard let id = script.identifier(of: tag), batch.lines.contains(where: { $0.id.value == id })
            else {
                return nil
            }
            return .error(status, "bad_tag", "a scripted poison tag")
        case .portal(let status):
            let fields =
                status == 302
                ? [HTTPServerRequest.Pair(name: "Location", value: "http://portal.invalid/")] : []
            return HTTPServerAnswer(
                status: status, type: "text/html", fields: fields,
                body: Array("<html><body>Please log in to the hotel's network.</body></html>".utf8))
        default:
            return nil
        }
    }
}
