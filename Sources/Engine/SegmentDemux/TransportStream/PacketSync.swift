/// Where transport packets begin, and how far they lie apart.
struct PacketSync: Sendable, Hashable {
    /// Where the first sync byte is.
    let offset: Int
    /// From sync byte to sync byte: 188, 192 (a time code before each packet) or 204 (parity bytes after each).
    let stride: Int

    /// The forms of a transport stream, the usual one first.
    static let strides = [188, 192, 204]

    /// How many sync bytes must follow the first one at equal distances.
    static let confirmations = 4

    /// How many bytes from a sync byte on a decision needs.
    static let decisionByteCount = 204 * confirmations + 1 + timeCodeByteCount

    /// How many bytes stand before each packet of the 192-byte form.
    static let timeCodeByteCount = 4

    enum Answer {
        case found(PacketSync)
        /// None begins before this offset; from it on more bytes are needed.
        case undecided(from: Int)
    }

    /// The first place at or after `start` where packets begin.
    ///
    /// Unless the segment ends with these bytes, a place is decided on with `decisionByteCount` bytes at hand, so
    /// that the answer does not depend on the chunks. `preferred` is the stride tried first.
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

    /// The stride of packets that begin at `offset`; nil where they do not.
    ///
    /// Near the end of the bytes, all the places that are there must have sync bytes; a single packet must end
    /// with the bytes.
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

    /// The sync byte of 192-byte packets, where a byte of the time code before it may look like one.
    ///
    /// The time code's first byte keeps its value for half a second, and that may be 0x47.
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
