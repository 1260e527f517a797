import ByteReading

/// The optional header between the header of a tag and its frames (ID3v2.3.0, 3.2; ID3v2.4.0 structure, 3.2).
package struct ID3ExtendedHeader: Sendable, Hashable {
    /// The size as written: without its own four bytes in version 2.3, with them in 2.4.
    package let declaredSize: Int

    /// The CRC-32 of the frames; nil if there is none.
    package let crc: UInt32?

    /// The number of padding bytes that it announces; version 2.3 only.
    package let paddingSize: Int?

    /// Whether the tag updates an earlier one; version 2.4 only.
    package let isUpdate: Bool

    /// The restrictions on the tag as one byte; version 2.4 only.
    package let restrictions: UInt8?

    /// Reads the extended header at `start`; returns nil if the bytes cannot begin one.
    ///
    /// `end` is set to the offset after it, counted as the standard requires.
    init?(
        _ bytes: Span<UInt8>, at start: Int, limit: Int, version: ID3Version, isUnsynchronised: Bool,
        end: inout Int
    ) {
        var reader = FrameByteReader(bytes, from: start, limit: limit, isUnsynchronised: isUnsynchronised)
        guard let raw = reader.number(of: 4) else { return nil }
        if version == .v23 {
            self.init(layoutOf23: raw, &reader)
            // The size excludes its own four bytes; with unsynchronisation the stored length is greater.
            let counted = Unsynchronisation.end(of: 4 + Int(raw), in: bytes, from: start, limit: limit)
            end = isUnsynchronised ? counted.position : start + 4 + Int(raw)
        } else {
            guard raw & 0x8080_8080 == 0 else { return nil }
            self.init(layoutOf24: Int(SyncSafe.value(ofRaw: raw)), &reader)
            end = start + declaredSize
        }
    }

    /// Reads the size, two bytes of flags, the size of the padding, and a CRC if the first flag is set.
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

    /// Reads the size, the number of flag bytes (always one), the flags, and a length and data for each flag.
    private init?(layoutOf24 size: Int, _ reader: inout FrameByteReader) {
        guard let flagCount = reader.next(), flagCount == 1, let flags = reader.next() else { return nil }
        declaredSize = size
        paddingSize = nil
        isUpdate = flags & 0x40 != 0
        var restrictions: UInt8?
        var crc: UInt32?
        // A flag without data has a length of zero; data with a nonstandard length is ignored.
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
