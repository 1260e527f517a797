/// Splits bytes that arrive in pieces into lines, each of a bounded length.
///
/// A line ends with LF or CR LF, or with the end of the bytes.
package struct LineSplitter: Sendable {
    /// A line without its end.
    package enum Line: Sendable, Hashable {
        /// The bytes of a line.
        case text([UInt8])
        /// A line that exceeds the maximum length; its bytes were dropped.
        case tooLong
    }

    /// The number of the line returned last, from 1.
    package private(set) var number = 0
    /// Whether the bytes have ended.
    package private(set) var isFinished = false
    private let maximumByteCount: Int
    private var rest: ArraySlice<UInt8> = []
    /// The position in `rest` up to which there is no line end.
    private var searched = 0
    private var isTooLong = false

    /// Creates a splitter for lines of at most `maximumByteCount` bytes.
    package init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    /// Adds the next bytes.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        rest.append(contentsOf: bytes)
    }

    /// Ends the bytes, so that the last line needs no line end.
    package mutating func finish() { isFinished = true }

    /// Removes and returns the next complete line, or nil if more bytes are needed or none are left.
    package mutating func next() -> Line? {
        if let end = rest[(rest.startIndex + searched)...].firstIndex(of: 0x0A) {
            defer { drop(through: end) }
            return line(rest[..<end])
        }
        searched = rest.count
        // The line may end with CR LF whose LF has not arrived.
        if rest.count > maximumByteCount + 1 {
            isTooLong = true
            rest = []
            searched = 0
        }
        guard isFinished, !rest.isEmpty || isTooLong else { return nil }
        defer {
            rest = []
            searched = 0
            isTooLong = false
        }
        return line(rest)
    }

    private mutating func line(_ bytes: ArraySlice<UInt8>) -> Line {
        number += 1
        let text = bytes.last == 0x0D ? bytes.dropLast() : bytes
        return isTooLong || text.count > maximumByteCount ? .tooLong : .text(Array(text))
    }

    private mutating func drop(through end: Int) {
        rest = rest[(end + 1)...]
        searched = 0
        isTooLong = false
    }
}
