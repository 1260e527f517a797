/// Which bytes of a response are wanted: so many are passed over, and so many taken.
///
/// A server may ignore the range of a request and send everything, or send a range that begins earlier.
struct RangeSelection {
    private var skipCount: UInt64
    /// How many bytes are still to come; nil where all are wanted to the end.
    private(set) var remainingCount: UInt64?

    /// All bytes.
    static var everything: RangeSelection { RangeSelection(skipping: 0, taking: nil) }

    init(skipping skipCount: UInt64, taking remainingCount: UInt64?) {
        self.skipCount = skipCount
        self.remainingCount = remainingCount
    }

    /// Whether nothing more is wanted.
    var isComplete: Bool { remainingCount == 0 }

    /// Whether bytes are still wanted of a body that has ended.
    var isMissingBytes: Bool { (remainingCount ?? 0) > 0 }

    /// The wanted part of the `count` bytes that come next.
    mutating func advance(by count: Int) -> Range<Int> {
        let skipped = min(skipCount, UInt64(count))
        skipCount -= skipped
        let taken = min(UInt64(count) - skipped, remainingCount ?? .max)
        if let remainingCount { self.remainingCount = remainingCount - taken }
        // Both are parts of `count`, so that they and their sum are in its range.
        return Int(skipped)..<Int(skipped + taken)
    }
}
