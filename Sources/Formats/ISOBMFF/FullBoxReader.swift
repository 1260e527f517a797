import ByteReading

/// A cursor over a payload that begins with version and flags (ISO/IEC 14496-12, 4.2.2).
///
/// Offsets in its errors count from the start of the payload.
struct FullBoxReader: ~Escapable {
    let bytes: Span<UInt8>
    let type: BoxType
    let version: UInt8
    let flags: UInt32
    private(set) var position = 4

    @_lifetime(copy payload)
    init(_ payload: Span<UInt8>, type: BoxType, newestVersion: UInt8) throws(ISOBMFFError) {
        guard payload.count >= 4 else {
            throw .truncated(at: 0, type: type, needed: 4, available: UInt64(payload.count))
        }
        bytes = payload
        self.type = type
        version = payload[0]
        flags = payload.bigEndianUInt24(at: 1)
        guard version <= newestVersion else { throw .unknownVersion(at: 0, type: type, version: version) }
    }

    /// Throws `truncated` if fewer than `count` bytes remain.
    func require(_ count: Int) throws(ISOBMFFError) {
        guard count <= bytes.count - position else {
            throw .truncated(
                at: UInt64(position), type: type, needed: UInt64(count),
                available: UInt64(bytes.count - position))
        }
    }

    @_lifetime(self: copy self)
    mutating func skip(_ count: Int) throws(ISOBMFFError) {
        try require(count)
        position += count
    }

    @_lifetime(self: copy self)
    mutating func readUInt32() throws(ISOBMFFError) -> UInt32 {
        try require(4)
        defer { position += 4 }
        return bytes.bigEndianUInt32(at: position)
    }

    @_lifetime(self: copy self)
    mutating func readUInt64() throws(ISOBMFFError) -> UInt64 {
        try require(8)
        defer { position += 8 }
        return bytes.bigEndianUInt64(at: position)
    }

    /// Reads four bytes in version 0 and eight in later versions.
    @_lifetime(self: copy self)
    mutating func readVersionedUInt() throws(ISOBMFFError) -> UInt64 {
        version == 0 ? UInt64(try readUInt32()) : try readUInt64()
    }

    /// Reads a zero-terminated text and returns its range without the zero byte.
    @_lifetime(self: copy self)
    mutating func readText() throws(ISOBMFFError) -> Range<Int> {
        let start = position
        var end = start
        while end < bytes.count, bytes[end] != 0 { end += 1 }
        guard end < bytes.count else { throw .unterminatedText(at: UInt64(start), type: type) }
        position = end + 1
        return start..<end
    }
}
