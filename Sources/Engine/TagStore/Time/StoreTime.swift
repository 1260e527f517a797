internal import HostSystem

/// What time it is for a buffer, whether to believe it, and the epochs that ages are told by.
///
/// Used on the buffer's thread only.
final class StoreTime {
    private let clock: any HostClock
    private(set) var epochs = ClockEpochs()
    /// Whether a server's time has agreed with the wall clock since that was last set.
    private var isConfirmed = false
    /// Whether the database has the epochs as they are.
    private var isWritten = true

    init(_ clock: any HostClock) { self.clock = clock }

    /// Whether somebody vouches for the wall clock.
    var isTrusted: Bool { clock.isSynchronized || isConfirmed }

    /// Why the ages of some tags are not known: tags of earlier boots, by a wall clock that nobody vouches for.
    var unknownAge: StoreStatus.UnknownAge? {
        let earlier = epochs.epochs.filter { $0.bootID != clock.bootID }
        if earlier.isEmpty { return nil }
        if !isTrusted { return .clockNow }
        return earlier.contains { $0.trustedOffset == nil } ? .clockThen : nil
    }

    /// The times at this moment.
    var now: ClockReading { moment(wall: clock.unixMilliseconds, boot: clock.sinceBoot.milliseconds) }

    /// Milliseconds of Unix time.
    var wall: Int64 { clock.unixMilliseconds }

    /// How long the machine has been on.
    var sinceBoot: Duration { clock.sinceBoot }

    /// The moment at which the clocks of this boot said that.
    func moment(wall: Int64, boot: Int64) -> ClockReading {
        ClockReading(wall: wall, boot: boot, bootID: clock.bootID, isTrusted: isTrusted)
    }

    /// Takes note of a time that a server sent: a wall clock within five minutes of it is trusted until it is set.
    func confirm(serverTime: Int64) {
        let wall = clock.unixMilliseconds
        let distance = wall > serverTime ? wall &- serverTime : serverTime &- wall
        isConfirmed = distance <= 300_000
    }

    // MARK: Epochs

    /// The number of a moment's epoch; where that begins here, `sequence` is the first that may be given in it.
    func enter(_ moment: ClockReading, sequence: Int64) -> Int64 {
        let before = epochs.epochs.last?.number
        let (number, hasChanged) = epochs.enter(moment, sequence: sequence)
        if hasChanged { isWritten = false }
        // A clock that was set is no longer the one that a server's time was compared with.
        if let before, before != number { isConfirmed = false }
        return number
    }

    /// Forgets epochs whose tags are all gone.
    func forgetEpochs(before sequence: Int64) {
        let before = epochs
        epochs.forget(before: sequence)
        if epochs != before { isWritten = false }
    }

    // MARK: In the database

    /// Whether a transaction is due that writes the epochs down.
    var isWritingDue: Bool { !isWritten }

    /// Writes the epochs where the database does not have them, in any transaction; `noteCommit` is to follow.
    func write(to meta: MetaTable) throws(SQLiteFailure) {
        if !isWritten { try meta.set(MetaKey.epochs, epochs.encoded) }
    }

    /// The transaction that wrote them has ended well.
    func noteCommit() { isWritten = true }

    /// Takes over the epochs of a database; where there are some already, that database is to get them.
    func read(from meta: MetaTable) throws(SQLiteFailure) {
        guard epochs.epochs.isEmpty else {
            isWritten = false
            return
        }
        epochs = ClockEpochs(encoded: try meta.value(MetaKey.epochs) ?? [])
    }
}
