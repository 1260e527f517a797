import ByteReading

/// The ten bytes that a tag begins with (ID3v2.4.0 structure, 3.1; ID3v2.3.0, 3.1; id3v2-00, 3.1).
///
///     "ID3" | version | revision | flags | size: 4 × 7 bits
package struct ID3Header: Sendable, Hashable {
    /// How many bytes the header has; the footer of version 2.4 has as many.
    package static let length = 10

    /// The version of the tag.
    package let version: ID3Version

    /// The revision of the version, never 0xFF.
    package let revision: UInt8

    /// The flags as they stand, defined or not.
    package let flags: Flags

    /// How many bytes lie between header and footer: extended header, frames and padding.
    package let declaredSize: Int

    /// Whether a footer follows, as the flag says unless the bytes show that there is none.
    package let hasFooter: Bool

    /// Whether `declaredSize` was written as a plain number; see `ID3Deviations.plainTagSize`.
    package let isSizePlain: Bool

    /// How many bytes the whole tag has, header and footer included.
    @inlinable
    package var tagLength: Int {
        Self.length + declaredSize + (hasFooter ? Self.length : 0)
    }

    /// The header that begins at `offset`.
    ///
    /// Of the bytes behind it as many are looked at as are there, for the frames decide where the size is
    /// ambiguous: a size that is no sync-safe number, or one with which a frame would outlast its tag, is read
    /// as a plain number where the frames then fit. With the ten bytes alone the size is what the standard says.
    package init(_ bytes: Span<UInt8>, at offset: Int = 0) throws(ID3Error) {
        self = try TagLayout(bytes, at: offset).header
    }

    init(
        version: ID3Version, revision: UInt8, flags: Flags, declaredSize: Int, hasFooter: Bool,
        isSizePlain: Bool
    ) {
        self.version = version
        self.revision = revision
        self.flags = flags
        self.declaredSize = declaredSize
        self.hasFooter = hasFooter
        self.isSizePlain = isSizePlain
    }

    /// Whether a tag may begin at `offset`: ten bytes are there, and none of them forbids it.
    ///
    /// Looks at the header alone, and where the size is not sync-safe at the first frame's identifier too.
    package static func isPlausible(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard bytes.hasASCII("ID3", at: offset), bytes.count - offset >= length,
            let version = ID3Version(rawValue: bytes[offset + 3]), bytes[offset + 4] != 0xFF
        else { return false }
        return bytes.syncSafeUInt28(at: offset + 6) != nil
            || isFollowedByFrame(bytes, at: offset, version: version)
    }

    /// Whether a frame identifier stands behind the header: what tells a plain size from no size at all.
    static func isFollowedByFrame(_ bytes: Span<UInt8>, at offset: Int, version: ID3Version) -> Bool {
        let start = offset + length
        guard bytes.count - start >= version.frameHeaderLength else { return false }
        let code = bytes.bigEndianUInt32(at: start)
        return ID3FrameID(code: version == .v22 ? code & 0xFFFF_FF00 : code) != nil
    }

    /// What the header says about the tag.
    package struct Flags: OptionSet, Sendable, Hashable {
        /// The byte as it stands.
        package let rawValue: UInt8

        /// The flags of a byte.
        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Unsynchronisation: of the whole tag up to version 2.3; in 2.4 the frames' own flags decide.
        package static let unsynchronisation = Flags(rawValue: 0x80)
        /// An extended header follows, from version 2.3 on; in 2.2 the tag is compressed.
        package static let extendedHeader = Flags(rawValue: 0x40)
        /// The tag is in an experimental stage, from version 2.3 on.
        package static let experimental = Flags(rawValue: 0x20)
        /// A footer ends the tag, in version 2.4.
        package static let footer = Flags(rawValue: 0x10)

        /// The flags that a version defines.
        static func defined(in version: ID3Version) -> Flags {
            switch version {
            case .v22: [.unsynchronisation, .extendedHeader]
            case .v23: [.unsynchronisation, .extendedHeader, .experimental]
            case .v24: [.unsynchronisation, .extendedHeader, .experimental, .footer]
            }
        }
    }
}
