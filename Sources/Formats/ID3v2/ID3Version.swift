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
