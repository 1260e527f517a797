import HostSystem

/// The requests and the memory that the senders of a collector share.
final class CollectorBudget: Sendable {
    /// The number of batches from their head to their answer.
    private let batches: FairShares
    /// The bytes of the bodies as sent.
    private let bodies: FairShares
    /// The bytes of the decoded batches and their rows.
    ///
    /// They are separate from the bodies: otherwise, bodies that wait for their decoding could fill the memory.
    private let records: FairShares
    private let settings: CollectorSettings

    /// The part of a batch in the budget.
    struct Shares {
        /// The request, up to the end of its answer.
        let batch: FairShares.Share
        /// The body, up to its decoding.
        let body: FairShares.Share
    }

    init(_ settings: CollectorSettings) {
        self.settings = settings
        batches = FairShares(capacity: settings.maximumConnectionCount)
        bodies = FairShares(capacity: max(1, settings.memoryByteCount / 4))
        records = FairShares(capacity: max(1, settings.memoryByteCount - settings.memoryByteCount / 4))
    }

    /// The memory in use, and an upper limit of the largest one so far.
    var memoryUsage: (current: Int, peak: Int) {
        let (bodies, records) = (bodies.usage, records.usage)
        return (bodies.current + records.current, bodies.peak + records.peak)
    }

    /// The number of batches in progress.
    var batchCount: Int { batches.usage.current }

    /// Ends all waits, and refuses later batches.
    func interrupt() {
        for shares in [batches, bodies, records] { shares.interrupt() }
    }

    /// Returns the shares of a batch whose head has arrived.
    ///
    /// - Parameter byteCount: The size of the body; nil if the head does not state it.
    func begin(_ sender: String, byteCount: Int?) throws(StorageFailure) -> Shares {
        guard let batch = batches.acquire(1, for: sender) else {
            throw .busy("too many batches of this sender, or of all, are in progress")
        }
        let most = settings.maximumBodyByteCount
        guard let body = bodies.acquire(min(byteCount ?? most, most), for: sender) else {
            throw .busy("the batches of this sender, or of all, have too many bytes")
        }
        return Shares(batch: batch, body: body)
    }

    /// Returns the share of a batch that is about to be decoded.
    ///
    /// - Parameter byteCount: The largest decoded size.
    func decode(_ sender: String, byteCount: Int) throws(StorageFailure) -> FairShares.Share {
        let count = min(settings.maximumTagCount, byteCount / Self.shortestLine)
        let most = Self.byteCount(decoded: byteCount, recordCount: count)
        guard let share = records.acquire(most, for: sender, waitingAtMost: settings.memoryWait) else {
            throw .busy("the batches of this sender, or of all, need too much memory")
        }
        return share
    }

    /// The length of a line that has nothing but an id.
    private static let shortestLine = 42

    /// Returns the memory of a decoded batch and its rows.
    ///
    /// The bytes of a line are in the decoded batch and, with up to four for three bytes, in its row. Without them, a
    /// record takes up to 700 bytes for its row, keys, positions and receipt.
    static func byteCount(decoded: Int, recordCount: Int) -> Int { 3 * decoded + 768 * recordCount }
}
