import ByteReading

/// How the size of a frame is written.
enum FrameSizeForm {
    /// As a plain number, of 24 bits in version 2.2 and 32 in the others.
    case plain
    /// As four bytes of seven bits.
    case syncSafe

    /// The form that the standard of a version wants.
    static func standard(of version: ID3Version) -> FrameSizeForm {
        version == .v24 ? .syncSafe : .plain
    }
}

/// The six or ten bytes that a frame begins with.
struct FrameHeader {
    let id: ID3FrameID
    /// How many bytes follow, put-in zeros not counted where the whole tag is unsynchronised.
    let size: Int
    let flags: UInt16
    /// The offset of the first byte behind the header.
    let bodyStart: Int
    /// Whether the two forms of the size give two numbers.
    let isSizeAmbiguous: Bool
}

/// What stands where a frame may begin.
enum FrameStart {
    case frame(FrameHeader)
    /// A zero byte: from here to the end there is padding.
    case padding
    case notAnIdentifier
    case sizeInvalid
    /// The bytes, or the tag, end inside the header.
    case cut
}

/// The part of a tag that holds its frames and padding, and how it is to be read.
struct FrameRegion {
    let version: ID3Version
    /// The offset of the first frame.
    let start: Int
    /// Where the padding ends; may lie behind the bytes that are there.
    let end: Int
    let sizeForm: FrameSizeForm
    /// Whether zeros were put into the region as a whole, frame headers included (versions 2.2 and 2.3).
    let isUnsynchronised: Bool

    /// What stands at `position`.
    @inline(__always)
    func frameStart(in bytes: Span<UInt8>, at position: Int) -> FrameStart {
        let limit = min(end, bytes.count)
        guard position < limit else { return .cut }
        if bytes[position] == 0 { return .padding }
        guard limit - position >= version.frameHeaderLength else { return .cut }
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
        else { return .cut }
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

    /// Where the body of a frame ends, and how many of its bytes are not there.
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

/// Sync-safe integers (ID3v2.4.0 structure, 6.2) in a register.
enum SyncSafe {
    /// The 28 bits of a number whose four top bits are known to be zero.
    static func value(ofRaw raw: UInt32) -> UInt32 {
        let high = raw >> 3 & 0x0FE0_0000 | raw >> 2 & 0x001F_C000
        return high | raw >> 1 & 0x0000_3F80 | raw & 0x0000_007F
    }
}
