import ByteReading

/// The ten bytes at the start of a tag (ID3v2.4.0 structure, 3.1; ID3v2.3.0, 3.1; id3v2-00, 3.1).
///
///     "ID3" | version | revision | flags | size: 4 × 7 bits
package struct ID3Header: Sendable, Hashable {
    /// The length of the header in bytes; the footer of version 2.4 has the same length.
    package static let length = 10

    /// The version of the tag.
    package let version: ID3Version

    /// The revision of the version, never 0xFF.
    package let revision: UInt8

    /// The flags as written, including undefined ones.
    package let flags: Flags

    /// The number of bytes between header and footer: extended header, frames and padding.
    package let declaredSize: Int

    /// Whether a footer follows, according to the flag, unless the bytes show that there is none.
    package let hasFooter: Bool

    /// The length of the tag in bytes, header and footer included.
    @inlinable
    package var tagLength: Int {
        Self.length + declaredSize + (hasFooter ? Self.length : 0)
    }

    /// Reads the header that begins at `offset`.
    ///
    /// The frames after it resolve an ambiguous size. A size that is not sync-safe, or that ends inside a frame, is
    /// read as a plain number if the frames then fit. If only the ten bytes are available, the size is read as the
    /// standard requires.
    package init(_ bytes: Span<UInt8>, at offset: Int = 0) throws(ID3Error) {
        self = try TagLayout(bytes, at: offset).header
    }

    init(
        version: ID3Version, revision: UInt8, flags: Flags, declaredSize: Int, hasFooter: Bool
    ) {
        self.version = version
        self.revision = revision
        self.flags = flags
        self.declaredSize = declaredSize
        self.hasFooter = hasFooter
    }

    /// Returns whether a tag may begin at `offset`: ten bytes are available and all of them are possible.
    ///
    /// Examines only the header and, if the size is not sync-safe, the first frame's identifier.
    package static func isPlausible(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard bytes.hasASCII("ID3", at: offset), bytes.count - offset >= length,
            let version = ID3Version(rawValue: bytes[offset + 3]), bytes[offset + 4] != 0xFF
        else { return false }
        return bytes.syncSafeUInt28(at: offset + 6) != nil
            || isFollowedByFrame(bytes, at: offset, version: version)
    }

    /// Returns whether a frame identifier follows the header, which distinguishes a plain size from an invalid one.
    static func isFollowedByFrame(_ bytes: Span<UInt8>, at offset: Int, version: ID3Version) -> Bool {
        let start = offset + length
        guard bytes.count - start >= version.frameHeaderLength else { return false }
        let code = bytes.bigEndianUInt32(at: start)
        return ID3FrameID(code: version == .v22 ? code & 0xFFFF_FF00 : code) != nil
    }

    /// The flags of a tag header.
    package struct Flags: OptionSet, Sendable, Hashable {
        /// The byte as written.
        package let rawValue: UInt8

        /// Creates the flags from a byte.
        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Unsynchronisation of the whole tag up to version 2.3; in 2.4 the flags of each frame decide.
        package static let unsynchronisation = Flags(rawValue: 0x80)
        /// An extended header follows (version 2.3 and later); in 2.2 the tag is compressed.
        package static let extendedHeader = Flags(rawValue: 0x40)
        /// The tag is experimental (version 2.3 and later).
        package static let experimental = Flags(rawValue: 0x20)
        /// The tag ends with a footer (version 2.4).
        package static let footer = Flags(rawValue: 0x10)

        /// Returns the flags that a version defines.
        static func defined(in version: ID3Version) -> Flags {
            switch version {
            case .v22: [.unsynchronisation, .extendedHeader]
            case .v23: [.unsynchronisation, .extendedHeader, .experimental]
            case .v24: [.unsynchronisation, .extendedHeader, .experimental, .footer]
            }
        }
    }
}

/// The supported versions of ID3v2.
///
/// Version 2.1 was never published. Later versions are unsupported because their layout is unknown.
package enum ID3Version: UInt8, Sendable, Hashable, CaseIterable {
    /// ID3v2.2 (id3v2-00): identifiers of three letters, sizes of 24 bits.
    case v22 = 2
    /// ID3v2.3.0: identifiers of four letters, sizes of 32 bits, unsynchronisation of the whole tag.
    case v23 = 3
    /// ID3v2.4.0: sync-safe sizes, unsynchronisation frame by frame, a footer.
    case v24 = 4

    /// The length of a frame header in bytes: six in version 2.2, ten from 2.3 on.
    @inlinable
    package var frameHeaderLength: Int { self == .v22 ? 6 : 10 }
}
