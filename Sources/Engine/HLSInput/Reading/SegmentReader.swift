import HTTPTransfer
import NielsenID3
import SegmentDemux
import TimedMedia

/// Reads segments of one rendition one after the other, and makes occurrences of the tags in them.
///
/// It is the same for the segments of a recording and of a live channel: state runs on from each to the next.
final class SegmentReader {
    private let stream: ReadStream
    private let keepsOtherTags: Bool

    /// Where segments come from; what it is limited to may change from segment to segment.
    var reader: ResourceReader

    private var demuxer: SegmentDemuxer
    private var clock = SegmentClock()
    private var playback = PlaybackPosition()
    private var initialization: Presentation.Initialization?
    /// Whether bytes are missing before the next segment, so that nothing can continue in it.
    private var isBroken = false

    /// How many segments the demuxer has been given, initialization segments included.
    private var demuxedCount = 0
    /// The segments that a tag may have begun in, the newest last.
    private var begun: [(index: Int, place: SegmentClock.Place)] = []

    /// Creates a reader for a rendition that starts with its next segment.
    init(_ stream: ReadStream, reader: ResourceReader, keepsOtherTags: Bool = false) {
        self.stream = stream
        self.reader = reader
        self.keepsOtherTags = keepsOtherTags
        demuxer = SegmentDemuxer(limits: stream.limits)
    }

    /// Where the rendition has been read to, in seconds of its playlist; without one, of its media.
    var position: Double { playback.seconds }

    /// Frees what is not needed until the next segment.
    func releaseMemory() { demuxer.releaseMemory() }

    /// Says that segments are missing before the next one, so that nothing continues in it.
    func interrupt() { isBroken = true }

    /// A tag that was found.
    struct FoundTag {
        let occurrence: TagOccurrence
        /// The seconds of the presentation before the segment that it begins in.
        let segmentPosition: Double
    }

    /// What a segment gave; `reading.tags` is for whoever merges renditions to fill.
    struct Found {
        var reading: SegmentReading
        var tags: [FoundTag] = []
        /// The bytes that came, those of an initialization segment included.
        var byteCount: UInt64
    }

    /// Reads a segment; what could not be read is an outcome, and the ones after it are read all the same.
    ///
    /// - Parameters:
    ///   - prefetched: the segment, where it was read before its turn.
    ///   - isLast: whether none comes after it.
    func read(
        _ segment: Presentation.Segment, prefetched: PrefetchedSegment? = nil, isLast: Bool
    ) async -> Found {
        var read = SegmentContent()
        if segment.isGap {
            skip(segment, into: &read)
        } else if let error = segment.unreadable {
            read.outcome = .failed(error)
            skip(segment, into: &read)
        } else {
            let beginsAnew = segment.isDiscontinuity || isBroken
            let failure = await readInitialization(of: segment, beginsAnew: beginsAnew, into: &read)
            await self.read(segment, prefetched: prefetched, beginsAnew: beginsAnew, into: &read)
            // The tags of a segment do not need the initialization segment, but their times may.
            if let failure, case .read = read.outcome {
                read.outcome = .failed(failure)
                read.segment?.facts = nil
            }
        }
        let trailing = isLast ? demuxer.finish().compactMap { foundTag($0) } : []
        var reading = SegmentReading(
            source: stream.source, name: segment.displayName, outcome: read.outcome,
            observation: SegmentObservation(
                rendition: stream.rendition, segment: read.segment, tags: read.tags.map(\.occurrence),
                trailingTags: trailing.map(\.occurrence), otherTagCount: read.otherTagCount,
                malformedOtherTags: read.malformedOtherTags, isLast: isLast))
        reading.otherTags = read.otherTags
        return Found(reading: reading, tags: read.tags + trailing, byteCount: read.byteCount)
    }

    /// What is collected while a segment is read.
    private struct SegmentContent {
        var outcome = SegmentReading.Outcome.gap
        var byteCount: UInt64 = 0
        var segment: ObservedSegment?
        var tags: [FoundTag] = []
        var otherTags: [OtherTagOccurrence] = []
        var otherTagCount = 0
        var malformedOtherTags = CarriageFacts.Bounded<CarriageFacts.MalformedRange>()
    }

    /// Goes on after a segment of which nothing is read.
    private func skip(_ segment: Presentation.Segment, into read: inout SegmentContent) {
        isBroken = true
        clock.skip(segment)
        let place = playback.add(segment, facts: nil)
        read.segment = ObservedSegment(segment, at: place, facts: nil)
    }

    /// Reads the initialization segment that a segment needs, unless it is the one that was read last.
    private func readInitialization(
        of segment: Presentation.Segment, beginsAnew: Bool, into read: inout SegmentContent
    ) async -> InputError? {
        guard let section = segment.initialization, section != initialization else { return nil }
        initialization = section
        remember(demuxedCount, clock.place(section, at: playback.seconds))
        let resource = Resource(section)
        let (bytes, demuxed, failure) = await demux(resource, beginsAnew: beginsAnew)
        read.byteCount += bytes.byteCount
        add(demuxed.tags, to: &read)
        if failure == nil, demuxed.isUnknown { return UnknownContent.error(for: resource, bytes) }
        return failure
    }

    private func read(
        _ segment: Presentation.Segment, prefetched: PrefetchedSegment?, beginsAnew: Bool,
        into read: inout SegmentContent
    ) async {
        let index = demuxedCount
        let resource = Resource(segment)
        var (bytes, demuxed, failure) = await demux(resource, prefetched: prefetched, beginsAnew: beginsAnew)
        read.byteCount += bytes.byteCount
        let place = playback.add(segment, facts: demuxed.facts)
        remember(index, clock.place(segment, at: place.position, facts: demuxed.facts))
        add(demuxed.tags, to: &read)
        if let newest = begun.last?.place { clock.proceed(from: newest) }
        let isUnknown = failure == nil && demuxed.isUnknown
        // Other files in a directory are no part of the stream, and leave it as it is.
        let isOfStream = !(isUnknown && segment.isInDirectory)
        isBroken = (failure != nil || isUnknown) && isOfStream
        if isUnknown, segment.isInDirectory, PlaylistSignature.isAtFront(of: bytes.front) {
            read.outcome = .playlist
            return
        }
        if isUnknown { failure = UnknownContent.error(for: resource, bytes) }
        if isOfStream {
            read.segment = ObservedSegment(segment, at: place, facts: failure == nil ? demuxed.facts : nil)
        }
        read.outcome = failure.map { .failed($0) } ?? .read(byteCount: bytes.byteCount, facts: demuxed.facts)
    }

    /// Demuxes a resource; of one that breaks off, what came before is kept.
    private func demux(
        _ resource: Resource, prefetched: PrefetchedSegment? = nil, beginsAnew: Bool
    ) async -> (ReadBytes, DemuxedSegment, InputError?) {
        demuxedCount += 1
        do throws(DemuxError) {
            if let prefetched {
                let demuxed = try demuxer.demux(prefetched.content, isDiscontinuous: beginsAnew)
                return (prefetched.read, demuxed, prefetched.failure)
            }
        } catch {
            return (prefetched?.read ?? ReadBytes(), DemuxedSegment(), .demuxing(resource.name, error))
        }
        demuxer.beginSegment(isDiscontinuous: beginsAnew)
        let (bytes, failure) = await reader.read(resource, into: &demuxer)
        do throws(DemuxError) {
            return (bytes, try demuxer.endSegment(), failure)
        } catch {
            return (bytes, DemuxedSegment(), failure ?? .demuxing(resource.name, error))
        }
    }

    private func remember(_ index: Int, _ place: SegmentClock.Place) {
        if begun.count >= 2 * stream.maximumBegunCount { begun.removeFirst(stream.maximumBegunCount) }
        begun.append((index, place))
    }

    private func add(_ tags: [TimedMetadata], to read: inout SegmentContent) {
        for metadata in tags {
            if let tag = foundTag(metadata) {
                read.tags.append(tag)
            } else {
                read.otherTagCount += 1
                if keepsOtherTags { read.otherTags.append(otherTag(metadata)) }
                if let malformation = metadata.malformation { read.malformedOtherTags.append(malformation) }
            }
        }
    }

    private func foundTag(_ metadata: TimedMetadata) -> FoundTag? {
        guard let tag = NielsenTag(tagBytes: metadata.bytes.span) else { return nil }
        let entry = begun.lastIndex { $0.index == metadata.segmentIndex }
        let (place, seconds) = place(of: metadata, in: entry)
        let isTruncated = if case .truncated = metadata.completeness { true } else { false }
        let position = entry.map { begun[$0].place.position(of: metadata.time, on: metadata.carriage) }
        let occurrence = TagOccurrence(
            tag: tag, origin: stream.origin(of: place), time: metadata.time, seconds: seconds,
            carriage: metadata.carriage, transport: metadata.transport, isTruncated: isTruncated,
            position: position ?? playback.seconds)
        let start = entry.map { begun[$0].place.position } ?? playback.seconds
        return FoundTag(occurrence: occurrence, segmentPosition: start)
    }

    private func otherTag(_ metadata: TimedMetadata) -> OtherTagOccurrence {
        let (place, seconds) = place(of: metadata, in: begun.lastIndex { $0.index == metadata.segmentIndex })
        return OtherTagOccurrence(metadata: metadata, place: place, seconds: seconds)
    }

    /// Where a tag was found: in the segment that it begins in, if that is remembered.
    private func place(of metadata: TimedMetadata, in entry: Int?) -> (TagPlace, seconds: Double?) {
        var place = TagPlace(source: stream.source, renditions: stream.uri.map { [$0] } ?? [])
        guard let entry else { return (place, metadata.time?.seconds) }
        let seconds = metadata.time.map { begun[entry].place.seconds(of: $0, on: metadata.carriage) }
        let segment = begun[entry].place
        place.segment = segment.segmentName
        place.mediaSequence = segment.mediaSequence
        place.programDateTime = segment.programDateTime(ofSeconds: seconds)
        return (place, seconds)
    }
}

extension ObservedSegment {
    /// A segment of a playlist or a directory at its place; `facts` are nil where it was not read.
    ///
    /// The lead counts with it, so that all segments together last as long as the presentation.
    fileprivate init(_ segment: Presentation.Segment, at place: PlaybackPosition.Place, facts: CarriageFacts?)
    {
        self.init(
            name: segment.name, mediaSequence: segment.mediaSequence, duration: place.lead + place.duration,
            position: place.position - place.lead, isDiscontinuity: segment.isDiscontinuity,
            programDateTime: segment.programDateTime, facts: facts)
        isInBreak = segment.isInBreak
    }
}

extension DemuxedSegment {
    /// Whether nothing in the bytes was of a known kind.
    fileprivate var isUnknown: Bool { facts.container == .unknown && tags.isEmpty }
}
