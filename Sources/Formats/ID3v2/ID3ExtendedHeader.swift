import ByteReading

/// The optional header between the header of a tag and its frames (ID3v2.3.0, 3.2; ID3v2.4.0 structure, 3.2).
package struct ID3ExtendedHeader: Sendable, Hashable {
    /// The size as it is written: without its own four bytes in version 2.3, with them in 2.4.
    package let declaredSize: Int

    /// The CRC-32 that it has of the frames; nil where it has none.
    package let crc: UInt32?

    /// How many bytes of padding it announces; in version 2.3 only.
    package let paddingSize: Int?

    /// Whether the tag updates an earlier one; in version 2.4 only.
    package let isUpdate: Bool

    /// The restrictions on the tag as one byte; in version 2.4 only.
    package let restrictions: UInt8?

    /// The extended header at `start`, or nil where no extended header can begin so.
    ///
    /// `end` comes out as the offset of the byte behind it, by the standard's way of counting.
    init?(
        _ bytes: Span<UInt8>, at start: Int, limit: Int, version: ID3Version, isUnsynchronised: Bool,
        end: inout Int
    ) {
        var reader = FrameByteReader(bytes, from: start, limit: limit, isUnsynchronised: isUnsynchronised)
        guard let raw = reader.number(of: 4) else { return nil }
        if version == .v23 {
            self.init(layoutOf23: raw, &reader)
            // The size leaves out its own four bytes; with unsynchronisation the stored length is longer.
            let counted = Unsynchronisation.end(of: 4 + Int(raw), in: bytes, from: start, limit: limit)
            end = isUnsynchronised ? counted.position : start + 4 + Int(raw)
        } else {
            guard raw & 0x8080_8080 == 0 else { return nil }
            self.init(layoutOf24: Int(SyncSafe.value(ofRaw: raw)), &reader)
            end = start + declaredSize
        }
    }

    /// Size, two bytes of flags, the size of the padding, and with the first flag a CRC.
    private init?(layoutOf23 raw: UInt32, _ reader: inout FrameByteReader) {
        guard raw <= 1 << 28, let flags = reader.number(of: 2), let padding = reader.number(of: 4) else {
            return nil
        }
        declaredSize = Int(raw)
        crc = flags & 0x8000 != 0 ? reader.number(of: 4) : nil
        paddingSize = Int(padding)
        isUpdate = false
        restrictions = nil
    }

    /// Size, the number of flag bytes, which is one, the flags, and for each flag its data behind a length.
    private init?(layoutOf24 size: Int, _ reader: inout FrameByteReader) {
        guard let flagCount = reader.next(), flagCount == 1, let flags = reader.next() else { return nil }
        declaredSize = size
        paddingSize = nil
        isUpdate = flags & 0x40 != 0
        var restrictions: UInt8?
        var crc: UInt32?
        // A flag without data has a length of zero; one whose length is not the standard's is left unread.
        if flags & 0x40 != 0 { _ = reader.next() }
        if flags & 0x20 != 0, reader.next() == 5, let top = reader.next(), let low = reader.number(of: 4),
            low & 0x8080_8080 == 0
        {
            crc = UInt32(top & 0x0F) << 28 | SyncSafe.value(ofRaw: low)
        }
        if flags & 0x10 != 0, reader.next() == 1 { restrictions = reader.next() }
        self.crc = crc
        self.restrictions = restrictions
    }
}

extension ID3Tag {
    /// Whether the CRC-32 of the extended header is that of the frames; nil where there is none, or where the
    /// tag is cut short.
    ///
    /// Reads every byte of the tag. A wrong one is no reason to refuse a tag: writers change frames and leave
    /// the sum as it was.
    package var isCRCRight: Bool? {
        guard let crc = extendedHeader?.crc, !isTruncated else { return nil }
        // Version 2.3 sums the frames before unsynchronisation, without the padding; 2.4 all up to the footer.
        guard header.version == .v23 else {
            return CRC32.of(bytes.extracting(region.start..<region.end)) == crc
        }
        var frames = frames
        while frames.next() != nil {}
        let stored = bytes.extracting(region.start..<max(region.start, frames.position))
        guard region.isUnsynchronised else { return CRC32.of(stored) == crc }
        var content: [UInt8] = []
        Unsynchronisation.reverse(stored, into: &content)
        return CRC32.of(content.span) == crc
    }
}
