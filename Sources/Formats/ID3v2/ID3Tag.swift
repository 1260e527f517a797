/// A tag of ID3v2.2, 2.3 or 2.4, borrowed from the bytes that contain it.
///
/// Nothing is copied or allocated: frames are views of the same bytes. A truncated tag is readable up to its last
/// available byte, and `isTruncated` is then true.
package struct ID3Tag: ~Escapable {
    /// The available bytes of the tag, from `ID3` to the end of its padding or footer.
    package let bytes: Span<UInt8>

    /// The header; its size is the one consistent with the frames.
    package let header: ID3Header

    /// The extended header; nil if there is none or it is unreadable.
    package let extendedHeader: ID3ExtendedHeader?

    /// Deviations from the standard that did not prevent reading the tag.
    package let deviations: ID3Deviations

    let region: FrameRegion

    /// Reads the tag at the start of `bytes` and ignores any bytes after it.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) throws(ID3Error) {
        let layout = try TagLayout(bytes, at: 0)
        header = layout.header
        extendedHeader = layout.extendedHeader
        deviations = layout.deviations
        region = layout.region
        self.bytes = bytes.extracting(0..<min(layout.header.tagLength, bytes.count))
    }

    /// Whether fewer bytes are available than the header declares.
    package var isTruncated: Bool { bytes.count < header.tagLength }

    /// An iterator over the frames, starting at the first.
    package var frames: ID3FrameCursor {
        @_lifetime(copy self)
        get { ID3FrameCursor(bytes, region: region) }
    }
}
