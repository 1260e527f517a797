import NielsenID3

/// A reader of the segments of one rendition, in order.
final class RenditionReader {
    private let segments: Presentation.SegmentList
    private let reader: SegmentReader
    private let prefetch: SegmentPrefetch
    private var nextSegment = 0

    /// Creates a reader for one rendition of a presentation.
    init(
        _ presentation: Presentation, rendition index: Int, reader: ResourceReader, prefetchCount: Int,
        policy: TagPolicy, keepsOtherTags: Bool, division: StreamParts.Division
    ) {
        let rendition = presentation.renditions[index]
        segments = rendition.segments
        let stream = ReadStream(
            source: presentation.source, rendition: RenditionID(index), uri: rendition.uri)
        self.reader = SegmentReader(
            stream, reader: reader, policy: policy, keepsOtherTags: keepsOtherTags, division: division)
        prefetch = SegmentPrefetch(segments, reader: reader, maximumCount: prefetchCount)
    }

    /// The position of the reader in seconds of the playlist, or of the media without a playlist.
    var position: Double { reader.position }

    var isAtEnd: Bool { nextSegment >= segments.count }

    /// Reads the next segment, or the next part of a stream.
    func readNext() async -> SegmentReader.ReadSegment {
        let prefetched = await prefetch.removeSegment(at: nextSegment)
        defer { if !reader.isInStream { nextSegment += 1 } }
        return await reader.read(
            segments[nextSegment], prefetched: prefetched, isLast: nextSegment + 1 >= segments.count)
    }
}
