/// The bytes to use from a response: a number of bytes to skip, and a number of bytes to take.
///
/// A server may ignore the range of a request and send everything, or send a range that begins earlier.
struct RangeSelection {
    private var skipCount: UInt64
    /// The number of bytes still to take, or nil to take everything to the end.
    private(set) var remainingCount: UInt64?

    /// A selection of all bytes.
    static var everything: RangeSelection { RangeSelection(skipping: 0, taking: nil) }

    init(skipping skipCount: UInt64, taking remainingCount: UInt64?) {
        self.skipCount = skipCount
        self.remainingCount = remainingCount
    }

    /// Whether all selected bytes have arrived.
    var isComplete: Bool { remainingCount == 0 }

    /// Whether selected bytes are missing from a body that has ended.
    var isMissingBytes: Bool { (remainingCount ?? 0) > 0 }

    /// Returns the selected part of the next `count` bytes.
    mutating func advance(by count: Int) -> Range<Int> {
        let skipped = min(skipCount, UInt64(count))
        skipCount -= skipped
        let taken = min(UInt64(count) - skipped, remainingCount ?? .max)
        if let remainingCount { self.remainingCount = remainingCount - taken }
        // Both are parts of `count`, so their sum cannot overflow.
        return Int(skipped)..<Int(skipped + taken)
    }
}
