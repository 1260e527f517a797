import Glibc
internal import HostSystem

/// The status of the open buffer, written to a file at most once a second.
extension StoreEngine {
    /// Returns the current status.
    func status() throws(StoreError) -> StoreStatus {
        guard lock != nil else { throw .closed }
        do throws(SQLiteFailure) {
            return try status(state)
        } catch {
            throw error.storeError
        }
    }

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
    func updateStatus() {
        if isStatusDue {
            if isInPlace { writeStatus(state) }
            return
        }
        guard laterStatus == nil else { return }
        laterStatus = Task.detached { [weak self] in
            do {
                try await Task.sleep(for: .milliseconds(1_010))
            } catch {
                // The buffer was closed and has already written its last status.
                return
            }
            await self?.writeLaterStatus()
        }
    }

    private func writeLaterStatus() {
        laterStatus = nil
        // Another write may have come first, and then the changes since that one wait for the next.
        if lock != nil { updateStatus() }
    }

    private var isStatusDue: Bool { time.isDue(since: statusWritten, every: .seconds(1)) }

    /// Writes the status with the given state.
    func writeStatus(_ state: StoreStatus.State) {
        do throws(SQLiteFailure) {
            try status(state).write(in: folder)
            statusWritten = time.sinceBoot
        } catch {
            // The next write may succeed. The older status stays, with its timestamp.
        }
    }
}
