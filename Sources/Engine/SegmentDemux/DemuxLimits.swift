/// How much memory a demuxer may take, whatever the bytes say.
///
/// The defaults keep one demuxer under 64 MB beyond the chunk that it is given. What passes a limit is
/// reported in `CarriageFacts.malformed`, and the stream goes on.
package struct DemuxLimits: Sendable, Hashable {
    /// The longest tag that is kept whole, in bytes; what a longer one has beyond it is left out.
    package var maximumTagByteCount = 4 << 20

    /// How many bytes all the tags of one segment may have together, 256 more for each counted in.
    package var maximumSegmentTagByteCount = 8 << 20

    /// How many bytes the tags of a transport stream that began and did not end yet may have together.
    package var maximumOpenTagByteCount = 8 << 20

    /// What a tag takes beside its bytes, roughly: a great many small ones must not fill the memory either.
    static let tagOverheadByteCount = 256

    /// How many bytes may stand before the first sync byte of a transport stream and still be read as tags.
    package var maximumFrontByteCount = 1 << 20

    /// How many bytes of a transport stream are kept while no programme map says what they are.
    package var maximumUnmappedByteCount = 4 << 20

    /// How many programmes of a transport stream are followed, in the order of the PAT.
    package var maximumProgramCount = 64

    /// On how many PIDs of a transport stream timed ID3 is followed.
    package var maximumMetadataStreamCount = 32

    /// The usual limits.
    package init() {}
}
