import HTTPTransfer
import NielsenID3
import TagRecord

/// Reads the renditions of a programme side by side, a media segment at a time, and brings each tag once.
package final class ProgrammeReader {
    /// What is read.
    package let programme: Programme
    private let readers: [RenditionReader]
    private let fetcher: ResourceFetcher
    private let observes: Bool
    private var merger: RenditionMerger

    /// A reader at the beginning of a programme.
    ///
    /// - Parameters:
    ///   - keepsOtherTags: whether tags of other owners are decoded, not only counted.
    ///   - observes: whether each reading has its `observation`, for the checks.
    ///   - jobs: how many segments are read at once, each on a thread of its own, where they are files that
    ///     can be; at most twice as many are read ahead. What comes out, and its order, is the same for all.
    package init(
        _ programme: Programme, fetcher: ResourceFetcher, keepsOtherTags: Bool = false,
        observes: Bool = false, jobs: Int = 1
    ) {
        self.programme = programme
        self.fetcher = fetcher
        self.observes = observes
        let segmentSource = SegmentSource(fetcher: fetcher)
        let segmentCount = programme.renditions.reduce(0) { $0 + $1.segments.count }
        let threads =
            jobs > 1 && segmentCount > 1
            ? ThreadExecutor(name: "dtvr-prepare", threadCount: min(jobs, segmentCount)) : nil
        let depth = max(1, 2 * jobs / max(1, programme.renditions.count))
        readers = programme.renditions.map { rendition in
            RenditionReader(
                source: programme.source, rendition: rendition, segmentSource: segmentSource,
                lookahead: threads.map {
                    .init(rendition.segments, depth: depth, threads: $0)
                },
                keepsOtherTags: keepsOtherTags, observes: observes)
        }
        merger = RenditionMerger(renditionCount: readers.count)
    }

    /// How many segments there are in all.
    package var segmentCount: Int { programme.renditions.reduce(0) { $0 + $1.segments.count } }

    /// Reads the segment that comes next in time; nil at the end.
    package func readNext() async -> SegmentReading? {
        // The rendition that is furthest behind; the first of several.
        let behind = readers.indices.filter { !readers[$0].isAtEnd }.min {
            readers[$0].position < readers[$1].position
        }
        guard let behind else { return nil }
        let reader = readers[behind]
        let found = await fetcher.onThread { await reader.readNext() }
        let trailing = reader.isAtEnd ? reader.finish() : []
        for tag in found.tags + trailing { merger.add(tag.record, rendition: behind, position: tag.position) }
        merger.advance(rendition: behind, to: reader.isAtEnd ? .infinity : reader.position)
        var reading = found.reading
        reading.tags = merger.release()
        if observes {
            reading.observation = SegmentObservation(
                rendition: behind, segment: found.segment, tags: found.tags.map(\.record),
                trailingTags: trailing.map(\.record), otherTagCount: reading.otherTagCount,
                malformedOtherTags: found.malformedOtherTags, isLast: reader.isAtEnd)
        }
        return reading
    }
}
