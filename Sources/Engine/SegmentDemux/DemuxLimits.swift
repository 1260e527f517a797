/// How much memory a demuxer may take, whatever the bytes say.
///
/// The defaults keep one demuxer under 64 MB beside the chunk that it is given. What exceeds a limit is reported in
/// `CarriageFacts.malformed`, and the stream goes on.
public struct DemuxLimits: Sendable, Hashable {
    /// The longest tag, in bytes; a longer one is truncated to it.
    package var maximumTagByteCount = 4 << 20

    /// How many bytes all the tags of one segment may have together; in a transport stream each counts 256 more.
    package var maximumSegmentTagByteCount = 8 << 20

    /// How many bytes the open tags of a transport stream, those that did not end yet, may have together.
    package var maximumOpenTagByteCount = 8 << 20

    /// What a tag takes beside its bytes, roughly: a great many small ones must not fill the memory either.
    static let tagOverheadByteCount = 256

    /// How many bytes before the first sync byte of a transport stream are read as tags.
    package var maximumFrontByteCount = 1 << 20

    /// How many bytes of a transport stream are kept while no program map says what they are.
    package var maximumUnmappedByteCount = 4 << 20

    /// How many programs of a transport stream are followed, in the order of the PAT.
    package var maximumProgramCount = 64

    /// On how many PIDs of a transport stream timed ID3 is followed.
    package var maximumMetadataStreamCount = 32

    /// The default limits.
    public init() {}

    /// The limits of one of several demuxers that run side by side and share the memory of one.
    ///
    /// - Parameter count: the number of demuxers. More than 16 have a sixteenth each: 512 KiB of tags in a segment.
    package init(sharedAmong count: Int) {
        let divisor = max(1, min(count, 16))
        maximumTagByteCount /= divisor
        maximumSegmentTagByteCount /= divisor
        maximumOpenTagByteCount /= divisor
        maximumFrontByteCount /= divisor
        maximumUnmappedByteCount /= divisor
    }
}
