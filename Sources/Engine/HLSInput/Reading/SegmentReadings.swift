import HLSPlaylist
import HTTPTransfer
import HostSystem
package import ID3v2
public import NielsenID3

extension Presentation {
    /// Returns a sequence of the presentation's segments with their tags.
    ///
    /// - Parameters:
    ///   - fetcher: The fetcher that reads the segments.
    ///   - keepsOtherTags: Whether tags of other owners are included, rather than only counted.
    ///   - policy: The policy that determines the problems of each tag.
    public func readings(
        through fetcher: ResourceFetcher, keepsOtherTags: Bool = false, policy: TagPolicy = TagPolicy()
    ) -> SegmentReadings {
        SegmentReadings(
            presentation: self, fetcher: fetcher, keepsOtherTags: keepsOtherTags, policy: policy)
    }
}

/// A sequence of the segments of a presentation with their tags, which reads all renditions and merges their tags.
///
/// Unreadable segments are elements too, and reading continues after them. If the task is canceled, the current
/// segment is truncated and is the last element.
public struct SegmentReadings: AsyncSequence, Sendable {
    /// The result of reading a segment.
    public typealias Element = SegmentReading
    /// The sequence never throws: errors are reported in its elements.
    public typealias Failure = Never

    /// The presentation to read.
    public let presentation: Presentation
    fileprivate let fetcher: ResourceFetcher
    fileprivate let keepsOtherTags: Bool
    fileprivate let policy: TagPolicy

    /// Whether standard input or a pipe is an element for each of its tags, so that none waits for the following media.
    ///
    /// Otherwise a transport stream from there is an element for each minute.
    package var splitsStreamsAtTags = false

    /// Whether reports show the users and queries of addresses.
    package var showsSecrets = false

    /// The properties of the presentation for reports.
    package var outline: PresentationOutline {
        var outline = presentation.outline
        if showsSecrets { return outline }
        let isInNetwork = PrintableAddress.isNetwork(outline.source)
        outline.source = PrintableAddress.of(outline.source)
        for (index, rendition) in outline.renditions.enumerated() {
            outline.renditions[index].name = rendition.name.map {
                PrintableAddress.of(reference: $0, inNetwork: isInNetwork)
            }
            outline.renditions[index].audioName = rendition.audioName.map {
                PrintableAddress.of(reference: $0, inNetwork: isInNetwork)
            }
        }
        return outline
    }

    /// The number of bytes of segments that the fetcher has read, for this and other presentations.
    package var readByteCount: Int { fetcher.meter.count }

    /// The size of the only segment, in bytes; nil for several segments, and if the size is not known in advance.
    package var onlySegmentByteCount: Int? {
        guard presentation.segmentCount == 1, !isStream,
            let segment = presentation.renditions[0].segments.first,
            case .path(let path) = segment.address
        else { return nil }
        return segment.byteRange.map { Int(clamping: $0.length) } ?? FileSystem.byteCount(of: path)
    }

    /// Whether the input is standard input or a pipe, whose bytes may arrive at any time.
    package var isStream: Bool {
        presentation.renditions.contains { $0.segments.count == 1 && $0.segments[0].stream != nil }
    }

    /// Returns an iterator that begins with the first segment.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator that reads one segment at a time.
    public struct Iterator: AsyncIteratorProtocol {
        /// The result of reading a segment.
        public typealias Element = SegmentReading
        /// The iterator never throws: errors are reported in its elements.
        public typealias Failure = Never

        private let fetcher: ResourceFetcher
        private let renditions: [RenditionReader]
        private var merger: RenditionMerger
        /// Whether the playlist of each rendition is from a network; nil if secrets are shown.
        private let isInNetwork: [Bool]?

        fileprivate init(_ readings: SegmentReadings) {
            var fetcher = readings.fetcher
            fetcher.cookies = readings.presentation.cookies
            self.fetcher = fetcher
            let presentation = readings.presentation
            let keys = KeyRing(fetcher: fetcher)
            let buffers = ReadBuffers()
            let depth = Swift.max(1, 2 * fetcher.threads.threadCount / presentation.renditions.count)
            renditions = presentation.renditions.indices.map { index in
                let reader = ResourceReader(
                    fetcher: fetcher, keys: keys, buffers: buffers,
                    policy: presentation.renditions[index].addressPolicy)
                return RenditionReader(
                    presentation, rendition: index, reader: reader, prefetchCount: depth,
                    policy: readings.policy, keepsOtherTags: readings.keepsOtherTags,
                    division: readings.splitsStreamsAtTags ? .atEachTag : StreamParts.Division())
            }
            merger = RenditionMerger(renditionCount: renditions.count)
            let isInNetwork = PrintableAddress.isNetwork(presentation.source)
            self.isInNetwork =
                readings.showsSecrets
                ? nil
                : presentation.renditions.map { rendition in
                    isInNetwork || rendition.uri.map(PrintableAddress.isNetwork) == true
                }
        }

        /// Reads the next segment in playback order, or returns nil at the end and after cancellation.
        public mutating func next() async -> SegmentReading? {
            guard !Task.isCancelled else { return nil }
            // Select the first of the renditions with the lowest position.
            let furthestBack = renditions.indices.filter { !renditions[$0].isAtEnd }.min {
                renditions[$0].position < renditions[$1].position
            }
            guard let furthestBack else { return nil }
            let rendition = renditions[furthestBack]
            let read = await fetcher.onThread { await rendition.readNext() }
            for tag in read.tags {
                merger.add(tag.occurrence, rendition: furthestBack, position: tag.segmentPosition)
            }
            // Nothing is read after cancellation, so tags need not wait for copies in other renditions.
            if Task.isCancelled {
                for index in renditions.indices { merger.advance(rendition: index, to: .infinity) }
            }
            merger.advance(rendition: furthestBack, to: rendition.isAtEnd ? .infinity : rendition.position)
            var reading = read.reading
            reading = fetcher.secrets.hidden(inReport: reading)
            if let isInNetwork { reading = reading.printable(inNetwork: isInNetwork[furthestBack]) }
            reading.tags = merger.release()
            return reading
        }
    }
}

extension Presentation {
    /// The total number of segments in all renditions.
    public var segmentCount: Int { renditions.reduce(0) { $0 + $1.segments.count } }
}

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

/// Merges the copies of a tag in several renditions of a presentation.
///
/// Renditions are read in parallel, one media segment at a time. A tag waits until every other rendition has been read
/// `window` seconds past its position. A copy found meanwhile adds its rendition to the tag. Duplicates within one
/// rendition are not merged. Positions are playlist seconds (sums of segment durations), which all renditions share
/// even if their timestamps differ.
struct RenditionMerger {
    /// The maximum distance between the segments of two copies, in seconds.
    static let window = 30.0

    private struct Waiting {
        var record: TagOccurrence
        let position: Double
        var carriers: [Int]
    }

    private let maximumWaitingCount: Int
    private var waiting: [Waiting] = []
    private var positions: [Double]

    /// Creates a merger for `renditionCount` renditions.
    ///
    /// - Parameter maximumWaitingCount: The maximum number of waiting tags, which bounds the memory if all segment
    ///   durations in a playlist are zero.
    init(renditionCount: Int, maximumWaitingCount: Int = 10_000) {
        self.maximumWaitingCount = maximumWaitingCount
        positions = Array(repeating: 0, count: renditionCount)
    }

    /// Adds a tag from a rendition, in a segment that begins at `position`.
    mutating func add(_ record: TagOccurrence, rendition: Int, position: Double) {
        let copy = waiting.firstIndex { candidate in
            candidate.record.tag.ownerIdentifier == record.tag.ownerIdentifier
                && candidate.record.isTruncated == record.isTruncated
                && !candidate.carriers.contains(rendition)
                && abs(candidate.position - position) <= Self.window
        }
        guard let copy else {
            waiting.append(Waiting(record: record, position: position, carriers: [rendition]))
            return
        }
        waiting[copy].carriers.append(rendition)
        waiting[copy].record.origin.place.renditions += record.origin.place.renditions
    }

    /// Records that a rendition has been read up to `position`, or to its end if it is infinity.
    mutating func advance(rendition: Int, to position: Double) {
        positions[rendition] = max(positions[rendition], position)
    }

    /// Returns and removes the tags to which no further copy can be added, in arrival order.
    mutating func release() -> [TagOccurrence] {
        let settled = waiting.firstIndex { !isSettled($0) } ?? waiting.endIndex
        let keep = max(settled, waiting.count - maximumWaitingCount)
        let released = waiting[..<keep].map(\.record)
        waiting.removeFirst(keep)
        return released
    }

    private func isSettled(_ entry: Waiting) -> Bool {
        positions.indices.allSatisfy { rendition in
            entry.carriers.contains(rendition) || positions[rendition] > entry.position + Self.window
        }
    }
}
