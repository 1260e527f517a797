/// The part of a stream of bytes that is wanted: so many are passed over, and so many taken.
struct ByteWindow {
    private var skipCount: UInt64
    /// How many bytes are still to come; nil where all are wanted to the end.
    private(set) var restCount: UInt64?

    /// All bytes.
    static var everything: ByteWindow { ByteWindow(skipping: 0, taking: nil) }

    init(skipping skipCount: UInt64, taking restCount: UInt64?) {
        self.skipCount = skipCount
        self.restCount = restCount
    }

    /// Whether nothing more is wanted.
    var isFull: Bool { restCount == 0 }

    /// Whether bytes are still wanted of a stream that has ended.
    var isShort: Bool { (restCount ?? 0) > 0 }

    /// The wanted part of the `count` bytes that come next.
    mutating func take(_ count: Int) -> Range<Int> {
        let skipped = min(skipCount, UInt64(count))
        skipCount -= skipped
        let taken = min(UInt64(count) - skipped, restCount ?? .max)
        if let rest = restCount { restCount = rest - taken }
        // Both are parts of `count`, so that they and their sum are in its range.
        return Int(skipped)..<Int(skipped + taken)
    }
}
