/// One frame of a tag, borrowed from the tag's bytes.
package struct ID3Frame: ~Escapable {
    /// The frame's identifier, as the tag has it.
    package let id: ID3FrameID

    /// Where the frame's header begins, in bytes from the start of the tag.
    package let offset: Int

    /// How many bytes the frame's header announces behind it.
    package let declaredSize: Int

    /// The bytes behind the header as they are stored, the fields that the flags announce included.
    package let storedBytes: Span<UInt8>

    /// Whether fewer bytes are there than the header announces.
    package let isTruncated: Bool

    /// What the frame's flags say about the form of its content; none in version 2.2.
    package let format: Format

    /// The version of the tag that the frame is in.
    package let version: ID3Version

    /// Whether the tag as a whole is unsynchronised, and the stored bytes with it.
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

    /// Whether the content is stored as it is, so that `storedContent` gives it.
    ///
    /// It is not where it is compressed, encrypted, preceded by the fields that flags announce, or where
    /// zeros were put into it.
    package var isContentStored: Bool {
        format.isEmpty && !(isTagUnsynchronised && Unsynchronisation.isApplied(to: storedBytes))
    }

    /// The frame's content without a copy; nil where it is not stored as it is: see `decodeContent(into:)`.
    package var storedContent: Span<UInt8>? {
        @_lifetime(copy self)
        get { isContentStored ? storedBytes : nil }
    }

    /// The owner identifier and data of a private frame without a copy.
    ///
    /// Nil for every other frame, and where the content is not stored as it is.
    package var privateFrame: PrivateFrame? {
        @_lifetime(copy self)
        get { id == .priv && isContentStored ? PrivateFrame(content: storedBytes) : nil }
    }

    /// What the flags of a frame say about the form of its content (ID3v2.3.0, 3.3.1; ID3v2.4.0 structure, 4.1.2).
    package struct Format: OptionSet, Sendable, Hashable {
        /// The bits as version 2.4 has them.
        package let rawValue: UInt8

        /// A format of these bits.
        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The frame belongs to a group, whose byte precedes the content.
        package static let grouped = Format(rawValue: 0x40)
        /// The content is compressed with zlib.
        package static let compressed = Format(rawValue: 0x08)
        /// The content is encrypted by a method whose byte precedes it.
        package static let encrypted = Format(rawValue: 0x04)
        /// Zeros were put into the stored bytes of the frame; in version 2.4 only.
        package static let unsynchronised = Format(rawValue: 0x02)
        /// The length of the content once decoded precedes it in four bytes.
        package static let hasLength = Format(rawValue: 0x01)

        /// The format of a frame with these flags.
        ///
        /// In version 2.3 the bits lie elsewhere, and a compressed frame always has the length.
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
