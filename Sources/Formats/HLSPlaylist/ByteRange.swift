/// A part of a resource (RFC 8216, 4.3.2.2).
package struct ByteRange: Sendable, Hashable {
    /// Where it begins, in bytes.
    package let offset: Int

    /// How many bytes it has.
    package let length: Int

    /// The byte after the last one.
    package var end: Int { offset + length }

    /// A range; nil where a bound is negative or the end is more than `Int` holds.
    package init?(offset: Int, length: Int) {
        guard offset >= 0, length >= 0, !offset.addingReportingOverflow(length).overflow else { return nil }
        self.offset = offset
        self.length = length
    }
}

/// A byte range as a playlist writes it: `<length>[@<offset>]`.
struct StatedByteRange {
    let length: Int
    let offset: Int?

    /// Reads the range; nil where it is not of this form.
    init?(in bytes: Span<UInt8>, _ range: Range<Int>) {
        let at = bytes.firstIndex(of: 0x40, in: range)
        guard
            let length = bytes.decimalInteger(in: bytes.trimmed(range.lowerBound..<(at ?? range.upperBound)))
        else { return nil }
        self.length = length
        guard let at else {
            offset = nil
            return
        }
        guard let offset = bytes.decimalInteger(in: bytes.trimmed(at + 1..<range.upperBound)) else {
            return nil
        }
        self.offset = offset
    }
}

/// Where a byte range without an offset begins: after the one before it, of the same resource.
struct ByteRangeChain {
    private var uri = ""
    private var end: Int?

    /// The range in full; `isGuess` where there is none before it that it could follow.
    mutating func resolve(_ stated: StatedByteRange, of uri: String) -> (range: ByteRange?, isGuess: Bool) {
        let follows = self.uri == uri ? end : nil
        let range = ByteRange(offset: stated.offset ?? follows ?? 0, length: stated.length)
        self.uri = uri
        end = range?.end
        return (range, stated.offset == nil && follows == nil)
    }

    /// Notes a resource that was named without a range, which no range can follow.
    mutating func reset() { end = nil }
}
