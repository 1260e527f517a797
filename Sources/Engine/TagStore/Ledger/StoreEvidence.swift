/// The facts about a store from sources other than its database: its owner and the files next to it.
struct StoreEvidence: Sendable {
    /// The ledger of the owner if it is already in use; otherwise a new one.
    let ledger: Ledger
    let isInUse: Bool
    /// The transaction of the owner whose commit failed.
    let unknown: Ledger.UnknownCommit?
    /// The status that the last owner wrote, a fallback for counters that a damaged database has lost.
    let status: StoreStatus?
    let overflow: OverflowMark?
    /// The last committed sequence; 0 if unknown.
    let highestSequence: Int64
    /// Whether the folder contains other files that only a store has, damaged or not.
    let isStoreBeside: Bool

    /// Combines the evidence from all sources.
    ///
    /// - Parameters:
    ///   - ledger: The ledger of the owner if `isInUse`.
    ///   - unknown: The transaction of the owner whose commit failed.
    ///   - mark: The content of the high-water mark.
    ///   - status: The last status; it has no checksum and is ignored if its numbers are inconsistent.
    ///   - inLog: Returns the last sequence in the log; called only if the mark is absent or damaged.
    init(
        _ ledger: Ledger, isInUse: Bool, unknown: Ledger.UnknownCommit?, mark: HighWaterMark.Reading,
        overflow: OverflowMark?, status: StoreStatus?, inLog: () -> Int64
    ) {
        self.ledger = ledger
        self.isInUse = isInUse
        self.unknown = unknown
        self.overflow = overflow
        self.status = status.flatMap { $0.isConsistent ? $0 : nil }
        isStoreBeside = mark != .absent || status != nil
        if let marked = mark.sequence {
            highestSequence = max(ledger.lastCommitted, marked)
        } else {
            let told = self.status.map { $0.lastSequence - $0.overflowCount } ?? 0
            highestSequence = max(ledger.lastCommitted, told, inLog())
        }
    }

    /// Returns the ledger that results from the counters of a database and this evidence.
    func ledger<Failure: Error>(
        from number: (_ key: String) throws(Failure) -> Int64?
    ) throws(Failure) -> Ledger {
        var ledger = ledger
        if let unknown { try ledger.adopt(unknown, from: number) }
        try ledger.read(from: number, fallback: status?.totals, overflow: overflow, isInUse: isInUse)
        return ledger
    }
}
