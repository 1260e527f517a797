import Glibc
internal import HostSystem

/// The status of an open buffer, written to a file at most once a second.
///
/// Used only on the buffer's thread.
final class StatusWriter {
    private let folder: StoreFolder
    private let settings: StoreSettings
    private let time: StoreTime
    private let disk: DiskSpace
    private let gate: DatabaseGate
    private let overflow: Overflow
    private let outbox: Outbox
    private let published: PublishedTotals
    private var written: Duration?
    /// A delayed write of changes that the last status file does not include.
    private var laterWrite: Task<Void, Never>?

    init(
        _ folder: StoreFolder, settings: StoreSettings, time: StoreTime, disk: DiskSpace, gate: DatabaseGate,
        overflow: Overflow, outbox: Outbox, published: PublishedTotals
    ) {
        self.folder = folder
        self.settings = settings
        self.time = time
        self.disk = disk
        self.gate = gate
        self.overflow = overflow
        self.outbox = outbox
        self.published = published
    }

    /// Returns the current status.
    func status() throws(SQLiteFailure) -> StoreStatus { try status(state) }

    private var state: StoreStatus.State {
        if !overflow.isEmpty || !gate.isOpen { return .degraded }
        return disk.isFull ? .diskFull : .normal
    }

    private func status(_ state: StoreStatus.State) throws(SQLiteFailure) -> StoreStatus {
        var status = StoreStatus(
            storeID: gate.id?.text ?? "", processID: getpid(), written: time.wall, state: state,
            lastSequence: gate.ledger.lastSequence, inFlightCount: Int64(outbox.inFlight.count),
            files: folder.fileSizes, settings: settings, isClockTrusted: time.isTrusted,
            unknownAge: time.unknownAge, commitCount: gate.commitCount, totals: published.totals)
        try gate.complete(&status)
        status.oldestReceived = status.oldestReceived ?? overflow.rows.first?.fields.receivedWall
        status.newestReceived = overflow.rows.last?.fields.receivedWall ?? status.newestReceived
        status.overflowCount = Int64(overflow.count)
        return status
    }

    /// Writes the status if the last write is at least a second old, and otherwise schedules a write.
    ///
    /// The scheduled write makes sure that the last changes before the buffer becomes idle are published too.
    ///
    /// - Parameters:
    ///   - isInPlace: Whether the files are still there, which is asked only if the status is written.
    ///   - later: Calls `writeLater` on the buffer's thread.
    func update(if isInPlace: @autoclosure () -> Bool, later: @escaping @Sendable () async -> Void) {
        if isDue {
            if isInPlace() { write(state) }
            return
        }
        guard laterWrite == nil else { return }
        laterWrite = Task.detached {
            do {
                try await Task.sleep(for: .milliseconds(1_010))
            } catch {
                // The buffer was closed and has already written its last status.
                return
            }
            await later()
        }
    }

    /// Writes the status that `update` has scheduled, if the files are still there.
    func writeLater(isInPlace: Bool) {
        laterWrite = nil
        if isInPlace, isDue { write(state) }
    }

    /// Cancels a scheduled write.
    func cancel() { laterWrite?.cancel() }

    private var isDue: Bool { time.isDue(since: written, every: .seconds(1)) }

    /// Writes the status with the given state.
    func write(_ state: StoreStatus.State) {
        do throws(SQLiteFailure) {
            try status(state).write(in: folder)
            written = time.sinceBoot
        } catch {
            // The next write may succeed. The older status stays, with its timestamp.
        }
    }
}
