/// The unsynchronisation scheme (ID3v2.4.0 structure, 6.1).
///
/// It inserts a zero byte after every 0xFF that could be mistaken for the start of an audio frame.
enum Unsynchronisation {
    /// Returns the end of `count` bytes from `start`, not counting inserted zeros, and the number of missing bytes.
    static func end(
        of count: Int, in bytes: Span<UInt8>, from start: Int, limit: Int
    ) -> (position: Int, missing: Int) {
        var position = start
        var missing = count
        while missing > 0, position < limit {
            let byte = bytes[position]
            position += 1
            missing -= 1
            if byte == 0xFF, position < limit, bytes[position] == 0 { position += 1 }
        }
        return (position, missing)
    }

    /// Returns whether the bytes contain an inserted zero, so that they differ from the content.
    static func isApplied(to bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 1 else { return false }
        for position in 1..<bytes.count where bytes[position] == 0 && bytes[position - 1] == 0xFF {
            return true
        }
        return false
    }

    /// Returns whether bytes that are marked as unsynchronised cannot be unsynchronised.
    ///
    /// Some writers set the flag of the tag or the frame without changing the bytes. Bytes that contain 0xFF followed
    /// by 0xE0 or more were never unsynchronised, and removing zeros would damage them.
    static func isFalselyClaimed(of bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard range.count > 1 else { return false }
        for position in range.dropFirst() where bytes[position] >= 0xE0 && bytes[position - 1] == 0xFF {
            return true
        }
        return false
    }

    /// Appends the bytes to `content` without the inserted zeros.
    static func reverse(_ bytes: Span<UInt8>, into content: inout [UInt8]) {
        content.reserveCapacity(content.count + bytes.count)
        var isAfterSync = false
        for position in bytes.indices {
            let byte = bytes[position]
            if !(isAfterSync && byte == 0) { content.append(byte) }
            isAfterSync = byte == 0xFF
        }
    }
}

/// A reader for single bytes that skips inserted zeros if the tag is unsynchronised.
struct FrameByteReader: ~Escapable {
    private let bytes: Span<UInt8>
    private let limit: Int
    private let isUnsynchronised: Bool

    /// The offset of the next byte.
    private(set) var position: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, from start: Int, limit: Int, isUnsynchronised: Bool) {
        self.bytes = bytes
        self.limit = min(limit, bytes.count)
        self.isUnsynchronised = isUnsynchronised
        position = start
    }

    /// Returns the next byte, or nil at the limit.
    @_lifetime(self: copy self)
    mutating func next() -> UInt8? {
        guard position < limit else { return nil }
        let byte = bytes[position]
        position += 1
        if isUnsynchronised, byte == 0xFF, position < limit, bytes[position] == 0 { position += 1 }
        return byte
    }

    /// Reads up to four bytes as a big-endian number; returns nil if fewer remain.
    @_lifetime(self: copy self)
    mutating func number(of count: Int) -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let byte = next() else { return nil }
            value = value << 8 | UInt32(byte)
        }
        return value
    }
}
