/// The memory limits of a demuxer, which hold for any input.
///
/// The defaults keep one demuxer under 64 MB, not counting the input chunk. Input that exceeds a limit is reported in
/// `CarriageFacts.malformed`, and demuxing continues.
package struct DemuxLimits: Sendable, Hashable {
    /// The maximum length of a tag, in bytes; longer tags are truncated.
    package var maximumTagByteCount = 4 << 20

    /// The maximum total length of the tags in one segment, in bytes.
    ///
    /// Each tag in a transport stream counts for 256 bytes more.
    package var maximumSegmentTagByteCount = 8 << 20

    /// The maximum total length of the incomplete tags of a transport stream, in bytes.
    package var maximumOpenTagByteCount = 8 << 20

    /// The approximate memory overhead per tag, in bytes, so that many small tags cannot exhaust the memory.
    static let tagOverheadByteCount = 256

    /// The maximum number of bytes before the first sync byte of a transport stream that are read as tags.
    package var maximumFrontByteCount = 1 << 20

    /// The maximum number of transport stream bytes buffered while no program map identifies them.
    package var maximumUnmappedByteCount = 4 << 20

    /// The maximum number of programs followed in a transport stream, in PAT order.
    package var maximumProgramCount = 64

    /// The maximum number of PIDs in a transport stream on which timed ID3 is followed.
    package var maximumMetadataStreamCount = 32

    /// Creates the default limits.
    package init() {}

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
