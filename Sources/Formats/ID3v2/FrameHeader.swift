import ByteReading

/// The encoding of a frame's size.
enum FrameSizeForm {
    /// A plain number of 24 bits in version 2.2 and of 32 bits in the others.
    case plain
    /// Four bytes of seven bits each.
    case syncSafe

    /// Returns the encoding that the standard of a version requires.
    static func standard(of version: ID3Version) -> FrameSizeForm {
        version == .v24 ? .syncSafe : .plain
    }
}

/// The header of a frame: six bytes in version 2.2, ten in the others.
struct FrameHeader {
    let id: ID3FrameID
    /// The number of bytes after the header, not counting inserted zeros if the tag is unsynchronised.
    let size: Int
    let flags: UInt16
    /// The offset of the first byte after the header.
    let bodyStart: Int
    /// Whether the two encodings of the size give different numbers.
    let isSizeAmbiguous: Bool
}

/// The content found at a position at which a frame may begin.
enum FrameStart {
    case frame(FrameHeader)
    /// A zero byte: padding, up to the end of the region.
    case padding
    case notAnIdentifier
    case sizeInvalid
    /// The bytes or the tag end inside the header.
    case truncated
}

/// The part of a tag that contains its frames and padding, with the encoding of its sizes.
struct FrameRegion {
    let version: ID3Version
    /// The offset of the first frame.
    let start: Int
    /// The end of the padding, which may be after the last available byte.
    let end: Int
    let sizeForm: FrameSizeForm
    /// Whether zeros were inserted into the region, including the frame headers (versions 2.2 and 2.3).
    let isUnsynchronised: Bool

    /// Reads the frame header, padding or invalid bytes at `position`.
    @inline(__always)
    func frameStart(in bytes: Span<UInt8>, at position: Int) -> FrameStart {
        let limit = min(end, bytes.count)
        guard position < limit else { return .truncated }
        if bytes[position] == 0 { return .padding }
        guard limit - position >= version.frameHeaderLength else { return .truncated }
        if version == .v22 || isUnsynchronised { return frameStartByByte(in: bytes, at: position) }
        guard let id = ID3FrameID(code: bytes.bigEndianUInt32(at: position)) else { return .notAnIdentifier }
        return start(
            id: id, rawSize: bytes.bigEndianUInt32(at: position + 4),
            flags: bytes.bigEndianUInt16(at: position + 8), bodyStart: position + 10)
    }

    @inline(never)
    private func frameStartByByte(in bytes: Span<UInt8>, at position: Int) -> FrameStart {
        var reader = FrameByteReader(bytes, from: position, limit: end, isUnsynchronised: isUnsynchronised)
        let width = version == .v22 ? 3 : 4
        guard let code = reader.number(of: width), let rawSize = reader.number(of: width),
            let flags = version == .v22 ? 0 : reader.number(of: 2)
        else { return .truncated }
        guard let id = ID3FrameID(code: version == .v22 ? code << 8 : code) else { return .notAnIdentifier }
        return start(
            id: id, rawSize: rawSize, flags: UInt16(truncatingIfNeeded: flags), bodyStart: reader.position)
    }

    @inline(__always)
    private func start(id: ID3FrameID, rawSize: UInt32, flags: UInt16, bodyStart: Int) -> FrameStart {
        let size: UInt32
        switch sizeForm {
        case .plain: size = rawSize
        case .syncSafe:
            guard rawSize & 0x8080_8080 == 0 else { return .sizeInvalid }
            size = SyncSafe.value(ofRaw: rawSize)
        }
        return .frame(
            FrameHeader(
                id: id, size: Int(size), flags: flags, bodyStart: bodyStart,
                isSizeAmbiguous: rawSize >= 0x80 && version != .v22))
    }

    /// Returns the end of a frame's body and the number of its bytes that are missing.
    @inline(__always)
    func bodyEnd(of header: FrameHeader, in bytes: Span<UInt8>) -> (position: Int, missing: Int) {
        let limit = min(end, bytes.count)
        if isUnsynchronised {
            return Unsynchronisation.end(of: header.size, in: bytes, from: header.bodyStart, limit: limit)
        }
        let room = limit - header.bodyStart
        return header.size <= room ? (header.bodyStart + header.size, 0) : (limit, header.size - room)
    }
}

/// Decoding of sync-safe integers (ID3v2.4.0 structure, 6.2).
enum SyncSafe {
    /// Returns the 28-bit value of a raw number; the top bit of each byte must be zero.
    static func value(ofRaw raw: UInt32) -> UInt32 {
        let high = raw >> 3 & 0x0FE0_0000 | raw >> 2 & 0x001F_C000
        return high | raw >> 1 & 0x0000_3F80 | raw & 0x0000_007F
    }
}
