/// One frame of a tag, borrowed from the tag's bytes.
package struct ID3Frame: ~Escapable {
    /// The frame's identifier as written in the tag.
    package let id: ID3FrameID

    /// The offset of the frame's header, in bytes from the start of the tag.
    package let offset: Int

    /// The number of bytes after the frame's header, as the header declares.
    package let declaredSize: Int

    /// The stored bytes after the header, including the fields that the flags announce.
    package let storedBytes: Span<UInt8>

    /// Whether fewer bytes are available than the header declares.
    package let isTruncated: Bool

    /// The format of the content according to the frame's flags; empty in version 2.2.
    package let format: Format

    /// The version of the tag that contains the frame.
    package let version: ID3Version

    /// Whether the tag, and therefore the stored bytes, are unsynchronised.
    let isTagUnsynchronised: Bool

    @_lifetime(copy storedBytes)
    init(
        _ storedBytes: Span<UInt8>, header: FrameHeader, region: FrameRegion, offset: Int, isTruncated: Bool
    ) {
        self.storedBytes = storedBytes
        id = header.id
        self.offset = offset
        declaredSize = header.size
        self.isTruncated = isTruncated
        version = region.version
        format = Format(flags: header.flags, version: region.version)
        isTagUnsynchronised = region.isUnsynchronised
    }

    /// Whether the content is stored without any encoding, so that `storedContent` returns it.
    ///
    /// It is false if the content is compressed, encrypted, preceded by fields that flags announce, or contains
    /// inserted zeros.
    var isContentStored: Bool {
        format.isEmpty && !(isTagUnsynchronised && Unsynchronisation.isApplied(to: storedBytes))
    }

    /// The frame's content without a copy; nil if it is encoded and needs `decodeContent(into:)`.
    var storedContent: Span<UInt8>? {
        @_lifetime(copy self)
        get { isContentStored ? storedBytes : nil }
    }

    /// The owner identifier and data of a private frame, without a copy.
    ///
    /// Nil for other frames and for encoded content.
    package var privateFrame: PrivateFrame? {
        @_lifetime(copy self)
        get { id == .priv && isContentStored ? PrivateFrame(content: storedBytes) : nil }
    }

    /// The format of a frame's content (ID3v2.3.0, 3.3.1; ID3v2.4.0 structure, 4.1.2).
    package struct Format: OptionSet, Sendable, Hashable {
        /// The bits in the positions of version 2.4.
        package let rawValue: UInt8

        /// Creates a format from its bits.
        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The frame belongs to a group, identified by a byte before the content.
        package static let grouped = Format(rawValue: 0x40)
        /// The content is compressed with zlib.
        package static let compressed = Format(rawValue: 0x08)
        /// The content is encrypted by a method identified by a byte before the content.
        package static let encrypted = Format(rawValue: 0x04)
        /// Zeros were inserted into the stored bytes of the frame; version 2.4 only.
        package static let unsynchronised = Format(rawValue: 0x02)
        /// The content is preceded by its decoded length in four bytes.
        package static let hasLength = Format(rawValue: 0x01)

        /// Creates the format of a frame with these flags.
        ///
        /// In version 2.3 the bits have other positions, and a compressed frame always has the length.
        @inlinable
        init(flags: UInt16, version: ID3Version) {
            let bits = UInt8(truncatingIfNeeded: flags)
            guard version == .v23 else {
                rawValue = bits & 0x4F
                return
            }
            var format: Format = []
            if bits & 0x80 != 0 { format.formUnion([.compressed, .hasLength]) }
            if bits & 0x40 != 0 { format.insert(.encrypted) }
            if bits & 0x20 != 0 { format.insert(.grouped) }
            self = format
        }
    }
}
