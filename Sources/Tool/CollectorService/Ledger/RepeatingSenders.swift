/// The senders that repeat records, such as the second copy of a monitor, whose batches are staged.
///
/// A sender belongs to them from a batch with a record that the ledger had or refused, until a number of its batches in
/// a row had none. The number is 8 at first, and doubles up to 1,024 with each time that the sender repeats records
/// after that. It is 8 again if as many further batches in a row had none.
struct RepeatingSenders {
    private struct Standing {
        var isStaged = true
        /// The number of batches in a row without a repeated record.
        var cleanCount = 0
        /// The value of `cleanCount` that ends this state.
        var requiredCount = RepeatingSenders.requiredCounts.lowerBound
    }

    private static let requiredCounts = 8...1_024
    /// The maximum number of senders, about 3 MB; all are forgotten beyond it, which costs each one direct copy.
    private static let limit = 16_384

    private var standings: [LedgerSender: Standing] = [:]

    /// Whether the batches of a sender are staged.
    func contains(_ sender: LedgerSender) -> Bool { standings[sender]?.isStaged == true }

    /// Notes a stored batch.
    ///
    /// - Parameter isClean: Whether all of its records were new.
    mutating func note(_ sender: LedgerSender, isClean: Bool) {
        guard var standing = standings[sender] else {
            if isClean { return }
            if standings.count == Self.limit { standings.removeAll() }
            standings[sender] = Standing()
            return
        }
        if isClean {
            standing.cleanCount += 1
            if standing.cleanCount == standing.requiredCount {
                guard standing.isStaged else {
                    standings[sender] = nil
                    return
                }
                standing.isStaged = false
                standing.cleanCount = 0
            }
        } else {
            standing.cleanCount = 0
            if !standing.isStaged {
                standing.isStaged = true
                standing.requiredCount = min(2 * standing.requiredCount, Self.requiredCounts.upperBound)
            }
        }
        standings[sender] = standing
    }
}
