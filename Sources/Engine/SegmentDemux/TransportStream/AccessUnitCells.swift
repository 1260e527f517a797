import ByteReading

/// Takes the headers of metadata access-unit cells out of PES packets (ISO/IEC 13818-1, 2.12.4, table 2-97).
///
/// Such headers stand only in PES packets with stream_id 0xFC, and not in all of them: some muxers put the
/// bare tag there. So five bytes are taken for a header only where a tag, or the rest of one, follows them.
struct AccessUnitCells: Sendable {
    static let streamID: UInt8 = 0xFC
    private static let headerByteCount = 5

    /// What is left of the cell that the part before ended in; nil outside of cells.
    private var remaining: Int?

    init() {}

    /// The part without cell headers; `isTagOpen` says whether a tag waits for more bytes.
    mutating func strip(_ part: PESPart, isTagOpen: Bool) -> PESPart {
        guard part.header.streamID == Self.streamID else { return part }
        let bytes = part.bytes.span
        if part.beginsPacket || part.followsLoss { remaining = nil }
        var position = 0
        var isOpen = isTagOpen
        var stripped = part
        stripped.bytes = []
        stripped.pieces = []
        if part.beginsPacket {
            guard let length = Self.cellByteCount(bytes, at: 0, isTagOpen: isOpen) else { return part }
            position = Self.headerByteCount
            remaining = length
        } else if remaining == nil {
            return part
        }
        while position < bytes.count {
            let count = min(remaining ?? bytes.count, bytes.count - position)
            stripped.append(part, position..<position + count)
            position += count
            isOpen = true
            guard let open = remaining else { break }
            remaining = open - count
            guard remaining == 0 else { break }
            guard let length = Self.cellByteCount(bytes, at: position, isTagOpen: isOpen) else {
                // What follows the last cell is no cell: padding, or a tag without a header of its own.
                remaining = nil
                continue
            }
            remaining = length
            position += Self.headerByteCount
        }
        return stripped
    }

    /// How many bytes the cell at `offset` has behind its header; nil where no cell begins there.
    private static func cellByteCount(_ bytes: Span<UInt8>, at offset: Int, isTagOpen: Bool) -> Int? {
        guard bytes.count - offset > headerByteCount else { return nil }
        let length = Int(bytes.bigEndianUInt16(at: offset + 3))
        guard length > 0 else { return nil }
        let content = offset + headerByteCount
        // cell_fragmentation_indication: its upper bit says that an access unit begins with the cell.
        if bytes[offset + 2] & 0x80 != 0 {
            return TagExtent.measure(bytes, content..<bytes.count) == .none ? nil : length
        }
        return isTagOpen && TagExtent.measure(bytes, offset..<bytes.count) == .none ? length : nil
    }
}
