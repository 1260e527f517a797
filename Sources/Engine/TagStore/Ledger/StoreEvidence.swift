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

    /// What is known.
    ///
    /// - Parameters:
    ///   - ledger: The owner's, where `isInUse`.
    ///   - marked: What the high-water mark says; nil where it is not readable.
    ///   - status: The last; it has no checksum, and is believed only where its numbers fit together.
    init(
        _ ledger: Ledger, isInUse: Bool, marked: Int64?, overflow: OverflowMark?, status: StoreStatus?
    ) {
        self.ledger = ledger
        self.isInUse = isInUse
        self.overflow = overflow
        self.status = status.flatMap { $0.isConsistent ? $0 : nil }
        let told = self.status.map { $0.lastSequence - $0.overflowCount } ?? 0
        highestSequence = max(ledger.lastCommitted, marked ?? told)
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
