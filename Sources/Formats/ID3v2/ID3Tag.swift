/// A tag of ID3v2.2, 2.3 or 2.4, borrowed from the bytes that hold it.
///
/// Nothing is copied and nothing allocated: frames are views of the same bytes. A tag of which some bytes are
/// missing is a tag all the same: what is there is given, and `isTruncated` says that it is not all.
package struct ID3Tag: ~Escapable {
    /// The bytes of the tag, from `ID3` to the end of padding or footer, or as many of them as there are.
    package let bytes: Span<UInt8>

    /// The header; its size is the one that the frames bear out.
    package let header: ID3Header

    /// The extended header; nil where there is none, or none that can be read.
    package let extendedHeader: ID3ExtendedHeader?

    /// Ways in which the tag departs from the standard and could be read all the same.
    package let deviations: ID3Deviations

    let region: FrameRegion

    /// The tag that `bytes` begin with; bytes behind it are left alone.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) throws(ID3Error) {
        let layout = try TagLayout(bytes, at: 0)
        header = layout.header
        extendedHeader = layout.extendedHeader
        deviations = layout.deviations
        region = layout.region
        self.bytes = bytes.extracting(0..<min(layout.header.tagLength, bytes.count))
    }

    /// Whether bytes are missing that the header announces.
    package var isTruncated: Bool { bytes.count < header.tagLength }

    /// A walk over the frames, from the first.
    package var frames: ID3FrameCursor {
        @_lifetime(copy self)
        get { ID3FrameCursor(bytes, region: region) }
    }
}
