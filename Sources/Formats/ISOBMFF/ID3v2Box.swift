/// A box with an ID3v2 tag, borrowed (mp4ra.org; ID3v2 in MPEG-4, 3).
///
///     pad (1 bit)  language (15 bits)  ID3v2 data
package struct ID3v2Box: ~Escapable {
    private let bytes: Span<UInt8>

    /// The offset of the tag in the payload.
    package let dataOffset = 6

    /// Reads the payload of the box.
    @_lifetime(copy payload)
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .id3v2, newestVersion: 0)
        try reader.skip(2)
        bytes = payload
    }

    /// The tag's bytes.
    package var data: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(dataOffset..<bytes.count) }
    }
}
