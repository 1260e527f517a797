import HTTPServing
import HostSystem
import Synchronization

/// The shared state of a collector's connections: the archive and the fault script.
final class CollectorCore: Sendable {
    let settings: CollectorSettings
    private let archive: Mutex<TagArchive>
    private let script: Mutex<FaultScript>
    private let clock: any HostClock

    init(settings: CollectorSettings, clock: any HostClock) throws(CollectorError) {
        self.settings = settings
        self.clock = clock
        let day = TagArchive.day(unixMilliseconds: clock.unixMilliseconds)
        archive = Mutex(try TagArchive(folder: settings.folder, day: day))
        script = Mutex(FaultScript(settings.faults))
    }

    var status: CollectorStatus { archive.withLock { $0.status } }
    var repairedByteCount: Int { archive.withLock { $0.repairedByteCount } }
    var damagedLineCount: Int { archive.withLock { $0.damagedLineCount } }
    var rememberedIDCount: Int { archive.withLock { $0.rememberedIDCount } }

    /// Returns the faults that apply to the next batch request.
    func nextFaults() -> [CollectorFault] { script.withLock { $0.next() } }

    func receive(_ batch: ReceivedBatch, faults: [CollectorFault]) -> RequestStep {
        let now = clock.unixMilliseconds
        let script = script.withLock { script in
            script.observe(batch)
            return script
        }
        for fault in faults {
            if let answer = fault.answer(to: batch, script: script, now: now) { return .answer(answer) }
        }
        var refused: [UInt128: String] = [:]
        for case .poison(let tag, .rejected) in faults {
            if let id = script.identifier(of: tag) { refused[id] = "bad_tag" }
        }
        let receipt: BatchReceipt
        do {
            receipt = try archive.withLock { archive in
                try archive.store(
                    batch, refusing: refused, forgetting: faults.contains(.forgetful),
                    day: TagArchive.day(unixMilliseconds: now))
            }
        } catch {
            return .answer(
                .error(
                    503, "storage", "the batch could not be stored",
                    fields: [.init(name: "Retry-After", value: "30")]))
        }
        if faults.contains(.lostAnswer) { return .drop }
        if faults.contains(.garbage) {
            return .answer(HTTPServerAnswer(status: 200, body: Array("{\"accepted\":\"all of them\"".utf8)))
        }
        return .answer(.receipt(receipt))
    }
}
