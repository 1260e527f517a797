/// The position of transport packets and the distance between them.
struct PacketSync: Sendable, Hashable {
    /// The offset of the first sync byte.
    let offset: Int
    /// The distance between sync bytes: 188, 192 (a time code before each packet) or 204 (parity bytes after each).
    let stride: Int

    /// The possible strides, most common first.
    static let strides = [188, 192, 204]

    /// The number of sync bytes that must follow the first one at equal distances.
    static let confirmations = 4

    /// The number of bytes after a sync byte that are needed to decide.
    static let decisionByteCount = 204 * confirmations + 1 + timeCodeByteCount

    /// The length of the time code before each packet in the 192-byte form.
    static let timeCodeByteCount = 4

    enum Answer {
        case found(PacketSync)
        /// No packets begin before this offset, and more bytes are needed after it.
        case undecided(from: Int)
    }

    /// Searches for the first position at or after `start` where packets begin.
    ///
    /// Unless the segment ends with these bytes, a position is decided only with `decisionByteCount` bytes available.
    /// The result therefore does not depend on the chunks. `preferred` is the stride tried first.
    static func search(
        _ bytes: Span<UInt8>, from start: Int, isEnd: Bool, preferring preferred: Int
    ) -> Answer {
        var offset = start
        while offset < bytes.count {
            guard isEnd || bytes.count - offset >= decisionByteCount else { return .undecided(from: offset) }
            if let stride = stride(bytes, at: offset, preferring: preferred) {
                let first = stride == 192 ? afterTimeCode(bytes, at: offset) : offset
                return .found(PacketSync(offset: first, stride: stride))
            }
            offset += 1
        }
        return .undecided(from: bytes.count)
    }

    /// Returns the stride of the packets that begin at `offset`, or nil if none begin there.
    ///
    /// Near the end of the bytes, every position within them must have a sync byte. A single packet must end exactly at
    /// the end of the bytes.
    static func stride(_ bytes: Span<UInt8>, at offset: Int, preferring preferred: Int) -> Int? {
        guard offset >= 0, offset < bytes.count, bytes[offset] == TransportPacket.syncByte,
            bytes.count - offset >= TransportPacket.byteCount
        else { return nil }
        if isConfirmed(bytes, at: offset, stride: preferred) { return preferred }
        for stride in strides where stride != preferred {
            if isConfirmed(bytes, at: offset, stride: stride) { return stride }
        }
        return nil
    }

    /// Returns the offset of the sync byte of 192-byte packets, skipping a time code byte that looks like one.
    ///
    /// The first byte of the time code is constant for half a second, and its value may be 0x47.
    private static func afterTimeCode(_ bytes: Span<UInt8>, at offset: Int) -> Int {
        var last = offset
        for distance in 1...timeCodeByteCount where offset + distance < bytes.count {
            let isSync = bytes[offset + distance] == TransportPacket.syncByte
            if isSync, isConfirmed(bytes, at: offset + distance, stride: 192) { last = offset + distance }
        }
        return last
    }

    private static func isConfirmed(_ bytes: Span<UInt8>, at offset: Int, stride: Int) -> Bool {
        let rest = bytes.count - offset
        if rest <= stride { return rest == stride || rest == TransportPacket.byteCount }
        var distance = stride
        for _ in 0..<confirmations {
            guard distance < rest else { return true }
            guard bytes[offset + distance] == TransportPacket.syncByte else { return false }
            distance += stride
        }
        return true
    }
}
