/// Where a tag was found: the input, the rendition and the media segment.
package struct TagOrigin: Sendable, Hashable {
    /// The input as the user gave it.
    package var source: String

    /// The URIs of the media playlists that carry the tag, as their multivariant playlist has them.
    ///
    /// Empty without one. The first is the one it was read from; the others carry copies of it.
    package var renditions: [String]

    /// The segment's URI as its playlist has it, or its file name in a directory; nil for a bare segment.
    package var segment: String?

    /// The media sequence number of the segment (RFC 8216, section 6.2.1); nil without a playlist.
    package var mediaSequence: UInt64?

    /// The programme date and time of the tag in Unix milliseconds (RFC 8216, section 4.3.2.6); nil without one.
    package var programDateTime: Int64?

    /// A place with the parts that are known.
    package init(
        source: String, renditions: [String] = [], segment: String? = nil, mediaSequence: UInt64? = nil,
        programDateTime: Int64? = nil
    ) {
        self.source = source
        self.renditions = renditions
        self.segment = segment
        self.mediaSequence = mediaSequence
        self.programDateTime = programDateTime
    }
}
