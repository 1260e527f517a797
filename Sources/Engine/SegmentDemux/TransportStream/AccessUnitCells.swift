import ByteReading

/// Removes the headers of metadata access-unit cells from PES packets (ISO/IEC 13818-1, 2.12.4, table 2-97).
///
/// Only PES packets with stream_id 0xFC contain cells, and some muxers omit the cell headers there. Five bytes are
/// therefore treated as a header only if a tag, or the rest of one, follows them.
struct AccessUnitCells: Sendable {
    static let streamID: UInt8 = 0xFC
    private static let headerByteCount = 5

    /// The number of bytes of the open cell that are still missing, or nil outside a cell.
    private var remaining: Int?

    init() {}

    /// Returns the fragment without cell headers; `isTagOpen` is true if a tag needs more bytes.
    mutating func strip(_ fragment: PESFragment, isTagOpen: Bool) -> PESFragment {
        guard fragment.header.streamID == Self.streamID else { return fragment }
        let bytes = fragment.bytes.span
        if fragment.beginsPacket || fragment.followsDiscontinuity { remaining = nil }
        var position = 0
        var isOpen = isTagOpen
        var stripped = fragment
        stripped.bytes = []
        stripped.pieces = []
        if fragment.beginsPacket {
            guard let length = Self.cellByteCount(bytes, at: 0, isTagOpen: isOpen) else { return fragment }
            position = Self.headerByteCount
            remaining = length
        } else if remaining == nil {
            return fragment
        }
        while position < bytes.count {
            let count = min(remaining ?? bytes.count, bytes.count - position)
            stripped.append(fragment, position..<position + count)
            position += count
            isOpen = true
            guard let open = remaining else { break }
            remaining = open - count
            guard remaining == 0 else { break }
            guard let length = Self.cellByteCount(bytes, at: position, isTagOpen: isOpen) else {
                // The last cell is followed by padding or by a tag without a cell header.
                remaining = nil
                continue
            }
            remaining = length
            position += Self.headerByteCount
        }
        return stripped
    }

    /// Returns the length of the cell at `offset` after its header, or nil if no cell begins there.
    private static func cellByteCount(_ bytes: Span<UInt8>, at offset: Int, isTagOpen: Bool) -> Int? {
        guard bytes.count - offset > headerByteCount else { return nil }
        let length = Int(bytes.bigEndianUInt16(at: offset + 3))
        guard length > 0 else { return nil }
        let content = offset + headerByteCount
        // cell_fragmentation_indication: the upper bit is set if an access unit begins in this cell.
        if bytes[offset + 2] & 0x80 != 0 {
            return TagExtent.measure(bytes, content..<bytes.count) == .none ? nil : length
        }
        return isTagOpen && TagExtent.measure(bytes, offset..<bytes.count) == .none ? length : nil
    }
}
