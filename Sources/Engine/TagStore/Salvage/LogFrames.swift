internal import ByteReading

/// The frames of a write-ahead log (SQLite file format, section 4).
///
///     0          32                 4152
///     | header   | header | page   | header | page | ...
struct LogFrames: Sendable {
    static let headerByteCount = 32
    static let frameHeaderByteCount = 24

    private let bytes: [UInt8]
    /// The offset of the newest committed copy of each page, in the part of the log with valid checksums.
    private(set) var pageOffsets: [Int: Int] = [:]
    /// The number of database pages after the last commit; nil if the log contains no commit.
    private(set) var pageCount: Int?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        readCommitted()
    }

    /// The number of frames, regardless of their checksums.
    var frameCount: Int {
        max(0, bytes.count - Self.headerByteCount) / StoreBudget.frameByteCount
    }

    /// Returns the page of any frame, committed or not.
    func page(ofFrame index: Int) -> [UInt8] {
        let start = Self.headerByteCount + index * StoreBudget.frameByteCount + Self.frameHeaderByteCount
        return Array(bytes[start..<start + StoreBudget.pageByteCount])
    }

    /// Returns the newest committed copy of a page; nil if the log does not contain it.
    func page(_ number: Int) -> [UInt8]? {
        guard let start = pageOffsets[number] else { return nil }
        return Array(bytes[start..<start + StoreBudget.pageByteCount])
    }

    /// Follows the checksum chain, as SQLite does, and keeps the frames up to the last commit.
    private mutating func readCommitted() {
        // A separate reference, because `self` is mutated while the span is in use.
        let bytes = bytes
        let span = bytes.span
        guard bytes.count >= Self.headerByteCount, span.bigEndianUInt32(at: 0) & ~1 == 0x377F_0682,
            span.bigEndianUInt32(at: 8) == StoreBudget.pageByteCount
        else { return }
        var checksum = LogChecksum(isBigEndian: span.byte(at: 3) & 1 == 1)
        checksum.add(span.extracting(0..<24))
        guard checksum.isStored(in: span, at: 24) else { return }
        var uncommitted: [Int: Int] = [:]
        for index in 0..<frameCount {
            let start = Self.headerByteCount + index * StoreBudget.frameByteCount
            let page = start + Self.frameHeaderByteCount
            guard span.bigEndianUInt64(at: start + 8) == span.bigEndianUInt64(at: 16) else { return }
            checksum.add(span.extracting(start..<start + 8))
            checksum.add(span.extracting(page..<page + StoreBudget.pageByteCount))
            guard checksum.isStored(in: span, at: start + 16) else { return }
            uncommitted[Int(span.bigEndianUInt32(at: start))] = page
            let size = span.bigEndianUInt32(at: start + 4)
            guard size != 0 else { continue }
            pageCount = Int(size)
            pageOffsets.merge(uncommitted) { _, newer in newer }
            uncommitted.removeAll()
        }
    }
}

/// The cumulative checksum of a log (SQLite file format, section 4.2).
private struct LogChecksum {
    private let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// Adds bytes to the checksum.
    ///
    /// - Parameter bytes: The length is a multiple of eight.
    mutating func add(_ bytes: Span<UInt8>) {
        for offset in stride(from: 0, to: bytes.count, by: 8) {
            first &+= word(bytes, at: offset) &+ second
            second &+= word(bytes, at: offset + 4) &+ first
        }
    }

    private func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
        let word = bytes.bigEndianUInt32(at: offset)
        return isBigEndian ? word : word.byteSwapped
    }

    func isStored(in bytes: Span<UInt8>, at offset: Int) -> Bool {
        bytes.bigEndianUInt32(at: offset) == first && bytes.bigEndianUInt32(at: offset + 4) == second
    }
}
