/// A part of a resource (RFC 8216, 4.3.2.2).
package struct ByteRange: Sendable, Hashable {
    /// The offset of the first byte.
    package let offset: Int

    /// The length in bytes.
    package let length: Int

    /// The offset after the last byte.
    package var end: Int { offset + length }

    /// Creates a range; returns nil if a bound is negative or the end overflows `Int`.
    package init?(offset: Int, length: Int) {
        guard offset >= 0, length >= 0, !offset.addingReportingOverflow(length).overflow else { return nil }
        self.offset = offset
        self.length = length
    }
}

/// A byte range in the notation of a playlist: `<length>[@<offset>]`.
struct StatedByteRange {
    let length: Int
    let offset: Int?

    /// Parses the range; returns nil if it does not have this form.
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

/// The default offset of the next byte range: the end of the previous range of the same resource.
struct ByteRangeChain {
    private var uri = ""
    private var end: Int?

    /// Returns the complete range; `isGuess` is whether it has neither an offset nor a predecessor.
    mutating func resolve(_ stated: StatedByteRange, of uri: String) -> (range: ByteRange?, isGuess: Bool) {
        let follows = self.uri == uri ? end : nil
        let range = ByteRange(offset: stated.offset ?? follows ?? 0, length: stated.length)
        self.uri = uri
        end = range?.end
        return (range, stated.offset == nil && follows == nil)
    }

    /// Forgets the previous range, after a resource without a range.
    mutating func reset() { end = nil }
}
