import ByteReading

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
    /// The number of bytes up to the end of the line returned last, including its line end.
    package private(set) var end = 0
    /// Whether the bytes have ended.
    package private(set) var isFinished = false
    private let maximumByteCount: Int
    private var rest: ArraySlice<UInt8> = []
    /// The number of bytes of the current line that were dropped, because it is too long.
    private var droppedByteCount = 0
    /// The position in `rest` up to which there is no line end.
    private var searched = 0

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
        let lineEnd = rest.span.firstIndex(of: 0x0A, from: searched)
        if lineEnd < rest.count {
            defer { drop(lineEnd + 1) }
            return line(rest.prefix(lineEnd))
        }
        searched = rest.count
        // The line may end with CR LF whose LF has not arrived.
        if rest.count > maximumByteCount + 1 {
            droppedByteCount += rest.count
            rest = []
            searched = 0
        }
        guard isFinished, !rest.isEmpty || droppedByteCount > 0 else { return nil }
        defer { drop(rest.count) }
        return line(rest)
    }

    private mutating func line(_ bytes: ArraySlice<UInt8>) -> Line {
        number += 1
        let text = bytes.last == 0x0D ? bytes.dropLast() : bytes
        return droppedByteCount > 0 || text.count > maximumByteCount ? .tooLong : .text(Array(text))
    }

    private mutating func drop(_ byteCount: Int) {
        end += droppedByteCount + byteCount
        rest = rest.dropFirst(byteCount)
        searched = 0
        droppedByteCount = 0
    }
}
