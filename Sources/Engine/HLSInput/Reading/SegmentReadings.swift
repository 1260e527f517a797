import HTTPTransfer
import HostSystem
import NielsenID3
import TimedMedia

extension Presentation {
    /// The segments of the presentation with their tags, read one after the other.
    ///
    /// - Parameter keepsOtherTags: whether tags of other owners are brought, not only counted.
    public func readings(through fetcher: ResourceFetcher, keepsOtherTags: Bool = false) -> SegmentReadings {
        SegmentReadings(presentation: self, fetcher: fetcher, keepsOtherTags: keepsOtherTags)
    }
}

/// The segments of a presentation with their tags: its renditions side by side, each tag once.
///
/// What could not be read is an element too, and the ones after it are read all the same. Where the task is cancelled,
/// the segment that is being read ends where it is, and is the last one.
public struct SegmentReadings: AsyncSequence, Sendable {
    /// What comes of a segment.
    public typealias Element = SegmentReading
    /// Nothing throws: what could not be read is an element.
    public typealias Failure = Never

    /// What is read.
    public let presentation: Presentation
    fileprivate let fetcher: ResourceFetcher
    fileprivate let keepsOtherTags: Bool

    /// Begins at the first segment.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads one segment after the other.
    public struct Iterator: AsyncIteratorProtocol {
        /// What comes of a segment.
        public typealias Element = SegmentReading
        /// Nothing throws: what could not be read is an element.
        public typealias Failure = Never

        private let fetcher: ResourceFetcher
        private let renditions: [RenditionReader]
        private var merger: RenditionMerger

        fileprivate init(_ readings: SegmentReadings) {
            fetcher = readings.fetcher
            let presentation = readings.presentation
            let keys = KeyRing(fetcher: fetcher)
            let buffers = ReadBuffers()
            let depth = Swift.max(1, 2 * fetcher.threads.threadCount / presentation.renditions.count)
            renditions = presentation.renditions.indices.map { index in
                let reader = ResourceReader(
                    fetcher: readings.fetcher, keys: keys, buffers: buffers,
                    policy: presentation.renditions[index].addressPolicy)
                return RenditionReader(
                    presentation, rendition: index, reader: reader, prefetchCount: depth,
                    keepsOtherTags: readings.keepsOtherTags)
            }
            merger = RenditionMerger(renditionCount: renditions.count)
        }

        /// Reads the segment that comes next in time; nil at the end, and once the task was cancelled.
        public mutating func next() async -> SegmentReading? {
            guard !Task.isCancelled else { return nil }
            // The rendition that is furthest back; the first of several.
            let furthestBack = renditions.indices.filter { !renditions[$0].isAtEnd }.min {
                renditions[$0].position < renditions[$1].position
            }
            guard let furthestBack else { return nil }
            let rendition = renditions[furthestBack]
            let found = await fetcher.onThread { await rendition.readNext() }
            for tag in found.tags {
                merger.add(tag.occurrence, rendition: furthestBack, position: tag.segmentPosition)
            }
            // Nothing is read after a cancellation: what waits for copies in other renditions waits in vain.
            if Task.isCancelled {
                for index in renditions.indices { merger.advance(rendition: index, to: .infinity) }
            }
            merger.advance(rendition: furthestBack, to: rendition.isAtEnd ? .infinity : rendition.position)
            var reading = found.reading
            reading.tags = merger.release()
            return reading
        }
    }
}

extension Presentation {
    /// How many segments there are in all.
    public var segmentCount: Int { renditions.reduce(0) { $0 + $1.segments.count } }
}
