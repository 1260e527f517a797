/// What is known of a store beside its database: by its owner, or by the files around it.
struct StoreEvidence: Sendable {
    /// The ledger, where it is in use already; otherwise a new one.
    let ledger: Ledger
    let isInUse: Bool
    /// What the last owner wrote, for what a damaged database has lost.
    let status: StoreStatus?
    let overflow: OverflowMark?
    /// The last sequence that was committed; 0 where nobody knows.
    let highestSequence: Int64
    /// Whether there are files that only a store has, damaged or not.
    let isStoreBeside: Bool

    /// What is known.
    ///
    /// - Parameters:
    ///   - ledger: The owner's, where `isInUse`.
    ///   - mark: What the high-water mark says.
    ///   - status: The last; it has no checksum, and is believed only where its numbers fit together.
    ///   - inLog: Looks for the last sequence in the log, where there is no mark.
    init(
        _ ledger: Ledger, isInUse: Bool, mark: HighWaterMark.Reading, overflow: OverflowMark?,
        status: StoreStatus?,
        inLog: () -> Int64
    ) {
        self.ledger = ledger
        self.isInUse = isInUse
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

    /// The ledger that the numbers of a database make together with the rest.
    func ledger<Failure: Error>(
        from number: (_ key: String) throws(Failure) -> Int64?
    ) throws(Failure) -> Ledger {
        var ledger = ledger
        try ledger.read(from: number, fallback: status?.totals, overflow: overflow, isInUse: isInUse)
        return ledger
    }
}
