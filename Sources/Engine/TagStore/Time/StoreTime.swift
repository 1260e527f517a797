internal import HostSystem

/// The clocks of a buffer, whether they are trusted, and the epochs for computing ages.
///
/// Used only on the buffer's thread.
final class StoreTime {
    private let clock: any HostClock
    private(set) var epochs = ClockEpochs()
    /// Whether the wall clock has matched a server's time since it was last set.
    private var isConfirmed = false
    /// Whether the database contains the current epochs.
    private var isWritten = true

    init(_ clock: any HostClock) { self.clock = clock }

    /// Whether the wall clock is trusted: synchronized, or confirmed by a server's time.
    var isTrusted: Bool { clock.isSynchronized == true || isConfirmed }

    /// The reason why the ages of some tags are unknown; nil if all are known.
    ///
    /// Only the ages of tags from earlier boots can be unknown.
    var unknownAge: StoreStatus.UnknownAge? {
        let earlier = epochs.epochs.filter { $0.bootID != clock.bootID }
        if earlier.isEmpty { return nil }
        if !isTrusted { return .clockNow }
        return earlier.contains { $0.trustedOffset == nil } ? .clockThen : nil
    }

    /// The current reading of the clocks.
    var now: ClockReading { moment(wall: clock.unixMilliseconds, boot: clock.sinceBoot.milliseconds) }

    /// The wall-clock time in Unix milliseconds.
    var wall: Int64 { clock.unixMilliseconds }

    /// The time since the machine booted.
    var sinceBoot: Duration { clock.sinceBoot }

    /// Returns whether `interval` has passed since a time after boot; true if there is none.
    func isDue(since last: Duration?, every interval: Duration) -> Bool {
        guard let last else { return true }
        return sinceBoot - last >= interval || sinceBoot < last
    }

    /// Returns a reading with the given clock values of this boot.
    func moment(wall: Int64, boot: Int64) -> ClockReading {
        ClockReading(wall: wall, boot: boot, bootID: clock.bootID, isTrusted: isTrusted)
    }

    /// Compares the wall clock with the time of a server, in Unix milliseconds.
    ///
    /// A wall clock within five minutes of the server's time is trusted until it is set.
    func confirm(serverTime: Int64) {
        isConfirmed = ClockEpochs.distance(clock.unixMilliseconds, serverTime) <= 300_000
    }

    // MARK: Epochs

    /// Returns the number of a moment's epoch, and starts a new epoch at `sequence` if necessary.
    func enter(_ moment: ClockReading, sequence: Int64) -> Int64 {
        let before = epochs.epochs.last?.number
        let (number, hasChanged) = epochs.enter(moment, sequence: sequence)
        if hasChanged { isWritten = false }
        // The clock was set, so the comparison with a server's time no longer applies.
        if let before, before != number { isConfirmed = false }
        return number
    }

    /// Removes the epochs whose tags are all gone.
    func forgetEpochs(before sequence: Int64) {
        let before = epochs
        epochs.forget(before: sequence)
        if epochs != before { isWritten = false }
    }

    // MARK: In the database

    /// Whether the next transaction must store the epochs.
    var isWritingDue: Bool { !isWritten }

    /// Writes the epochs if they changed; the caller must call `recordCommit` after the commit.
    func write(to meta: MetaTable) throws(SQLiteFailure) {
        if !isWritten { try meta.set(MetaKey.epochs, epochs.encoded) }
    }

    /// Records that the transaction with the epochs was committed.
    func recordCommit() { isWritten = true }

    /// Adopts the epochs of a database; if there are epochs already, schedules writing them to that database.
    func read(from meta: MetaTable) throws(SQLiteFailure) {
        guard epochs.epochs.isEmpty else {
            isWritten = false
            return
        }
        epochs = ClockEpochs(encoded: try meta.value(MetaKey.epochs) ?? [])
    }
}
