import HTTPTransfer
import NielsenID3
import SegmentDemux
import TagPolicy
import TimedMedia

/// Reads the segments of one rendition in order, creates tag occurrences, and checks each against a policy.
///
/// It works in the same way for recordings and live channels: state is kept from segment to segment.
final class SegmentReader {
    private let stream: ReadStream
    private let policy: TagPolicy
    private let keepsOtherTags: Bool
    private let division: StreamParts.Division

    /// The source of segments, whose limits may change from segment to segment.
    var reader: ResourceReader

    private var demuxer: SegmentDemuxer
    private var clock = SegmentClock()
    private var playback = PlaybackPosition()
    private var initialization: Presentation.Initialization?
    /// Whether bytes are missing before the next segment, so that nothing can continue in it.
    private var isBroken = false

    /// The number of segments passed to the demuxer, including initialization segments.
    private var demuxedCount = 0
    /// The segments in which an open tag may have started, newest last.
    private var begun: [(index: Int, place: SegmentClock.SegmentPosition)] = []

    /// The stream that is being read in parts; nil between streams.
    private var parts: StreamParts?

    /// Creates a reader for a rendition.
    init(
        _ stream: ReadStream, reader: ResourceReader, policy: TagPolicy, keepsOtherTags: Bool = false,
        division: StreamParts.Division = StreamParts.Division()
    ) {
        self.division = division
        self.stream = stream
        self.reader = reader
        self.policy = policy
        self.keepsOtherTags = keepsOtherTags
        demuxer = SegmentDemuxer(limits: stream.limits)
    }

    /// The position of the reader in seconds of the playlist, or of the media without a playlist.
    var position: Double { playback.seconds }

    /// Frees memory that is not needed until the next segment.
    func releaseMemory() { demuxer.releaseMemory() }

    /// Whether the last segment is a stream that continues: the next part of it must be read before another segment.
    var isInStream: Bool {
        switch parts {
        case .some: true
        case nil: false
        }
    }

    /// Marks segments as missing before the next one, so that nothing continues in it.
    func interrupt() { isBroken = true }

    /// A tag that was read from a segment.
    struct ReadTag {
        let occurrence: TagOccurrence
        /// The playback position of the segment in which the tag begins, in seconds.
        let segmentPosition: Double
    }

    /// The result for a segment; the caller fills `reading.tags`, after merging renditions.
    struct ReadSegment {
        var reading: SegmentReading
        var tags: [ReadTag] = []
        /// The number of bytes received, including an initialization segment.
        var byteCount: UInt64
    }

    /// Reads a segment, or the next part of a stream, and reports an error as its outcome, so that the following
    /// segments can still be read.
    ///
    /// - Parameters:
    ///   - prefetched: The prefetched segment, if any.
    ///   - isLast: Whether this is the last segment.
    func read(
        _ segment: Presentation.Segment, prefetched: PrefetchedSegment? = nil, isLast: Bool
    ) async -> ReadSegment {
        var read = SegmentContent()
        if segment.isGap {
            skip(segment, into: &read)
        } else if let error = segment.unreadable {
            read.outcome = .failed(error)
            skip(segment, into: &read)
        } else if let opened = segment.stream {
            readPart(of: segment, opened, into: &read)
        } else {
            let beginsAnew = segment.isDiscontinuity || isBroken
            let failure = await readInitialization(of: segment, beginsAnew: beginsAnew, into: &read)
            await self.read(segment, prefetched: prefetched, beginsAnew: beginsAnew, into: &read)
            // The tags of a segment can be read without the initialization segment, but their times may be wrong.
            if let failure, case .read = read.outcome {
                read.outcome = .failed(failure)
                read.segment?.facts = nil
            }
        }
        let isLast = isLast && !isInStream
        let trailing = isLast ? demuxer.finish().compactMap { readTag($0) } : []
        var reading = SegmentReading(
            source: stream.source, name: segment.displayName, outcome: read.outcome,
            observation: SegmentObservation(
                rendition: stream.rendition, segment: read.segment, tags: read.tags.map(\.occurrence),
                trailingTags: trailing.map(\.occurrence), otherTagCount: read.otherTagCount,
                malformedOtherTags: read.malformedOtherTags, isLast: isLast))
        reading.otherTags = read.otherTags
        return ReadSegment(reading: reading, tags: read.tags + trailing, byteCount: read.byteCount)
    }

    /// The data collected while reading a segment.
    private struct SegmentContent {
        var outcome = SegmentReading.Outcome.gap
        var byteCount: UInt64 = 0
        var segment: ObservedSegment?
        var tags: [ReadTag] = []
        var otherTags: [OtherTagOccurrence] = []
        var otherTagCount = 0
        var malformedOtherTags = CarriageFacts.Bounded<CarriageFacts.MalformedRange>()
    }

    /// Advances past a segment that is not read.
    private func skip(_ segment: Presentation.Segment, into read: inout SegmentContent) {
        isBroken = true
        clock.skip(segment)
        let place = playback.add(segment, facts: nil)
        read.segment = ObservedSegment(segment, at: place, facts: nil)
    }

    /// Reads the initialization segment of a segment, unless it was the last one read.
    private func readInitialization(
        of segment: Presentation.Segment, beginsAnew: Bool, into read: inout SegmentContent
    ) async -> InputError? {
        guard let section = segment.initialization, section != initialization else { return nil }
        initialization = section
        remember(demuxedCount, clock.place(section, at: playback.seconds))
        let resource = Resource(section)
        let content = await demux(resource, beginsAnew: beginsAnew)
        read.byteCount += content.bytes.byteCount
        add(content.demuxed.tags, to: &read)
        return content.failure
    }

    private func read(
        _ segment: Presentation.Segment, prefetched: PrefetchedSegment?, beginsAnew: Bool,
        into read: inout SegmentContent
    ) async {
        let index = demuxedCount
        let content = await demux(Resource(segment), prefetched: prefetched, beginsAnew: beginsAnew)
        record(content, index: index, of: segment, into: &read)
    }

    /// Reads the next part of a stream, and ends the stream at its end or after an error.
    private func readPart(
        of segment: Presentation.Segment, _ opened: OpenedStream, into read: inout SegmentContent
    ) {
        let index = demuxedCount
        demuxedCount += 1
        let resource = Resource(segment)
        let isContinuation = isInStream
        if !isInStream {
            demuxer.beginSegment(isDiscontinuous: isBroken)
            parts = StreamParts(opened, named: resource.name, division: division)
        }
        var content = DemuxedResource(bytes: ReadBytes())
        var part: DemuxedSegment?
        do throws(InputError) {
            part = try parts?.next(into: &demuxer)
        } catch {
            content.failure = error
        }
        content.bytes = parts?.removeReadBytes() ?? ReadBytes()
        if let part {
            content.demuxed = part
        } else {
            parts = nil
            end(&content, of: resource) { (demuxer) throws(DemuxError) in try demuxer.endSegment() }
        }
        record(content, index: index, of: segment, into: &read)
        read.segment?.isContinuation = isContinuation
    }

    /// Adds a demuxed resource to the timeline, and its tags and facts to the result.
    private func record(
        _ content: DemuxedResource, index: Int, of segment: Presentation.Segment,
        into read: inout SegmentContent
    ) {
        let facts = content.demuxed.facts
        read.byteCount += content.bytes.byteCount
        let place = playback.add(segment, facts: facts)
        remember(index, clock.place(segment, at: place.position, facts: facts))
        add(content.demuxed.tags, to: &read)
        if let newest = begun.last?.place { clock.proceed(from: newest) }
        // Unrelated files in a directory are not part of the stream and do not affect it.
        let isOfStream = !(content.isUnknown && segment.isInDirectory)
        isBroken = content.failure != nil && isOfStream
        if content.isUnknown, segment.isInDirectory, PlaylistSignature.isAtFront(of: content.bytes.front) {
            read.outcome = .playlist
            return
        }
        if isOfStream {
            read.segment = ObservedSegment(segment, at: place, facts: content.failure == nil ? facts : nil)
        }
        read.outcome =
            content.failure.map { .failed($0) } ?? .read(byteCount: content.bytes.byteCount, facts: facts)
    }

    /// The result of demuxing a resource: the tags and facts before any error.
    private struct DemuxedResource {
        var bytes: ReadBytes
        var demuxed = DemuxedSegment()
        var failure: InputError?
        /// Whether the complete bytes are in no known container; `failure` describes them.
        var isUnknown = false
    }

    /// Demuxes a resource, keeping the data before an error.
    private func demux(
        _ resource: Resource, prefetched: PrefetchedSegment? = nil, beginsAnew: Bool
    ) async -> DemuxedResource {
        demuxedCount += 1
        var content: DemuxedResource
        if let prefetched {
            content = DemuxedResource(bytes: prefetched.read, failure: prefetched.failure)
        } else {
            demuxer.beginSegment(isDiscontinuous: beginsAnew)
            let (bytes, failure) = await reader.read(resource, into: &demuxer)
            content = DemuxedResource(bytes: bytes, failure: failure)
        }
        end(&content, of: resource) { (demuxer) throws(DemuxError) in
            if let prefetched { return try demuxer.demux(prefetched.content, isDiscontinuous: beginsAnew) }
            return try demuxer.endSegment()
        }
        return content
    }

    /// Ends the segment of a resource in the demuxer, and adds the tags and facts, or else the error.
    private func end(
        _ content: inout DemuxedResource, of resource: Resource,
        by demux: (inout SegmentDemuxer) throws(DemuxError) -> DemuxedSegment
    ) {
        do throws(DemuxError) {
            content.demuxed = try demux(&demuxer)
        } catch {
            // A failure to read the bytes is the cause of this one.
            guard content.failure == nil else { return }
            if case .unknownContainer = error {
                content.isUnknown = true
                // The first bytes of a stream may be too few to detect its container.
                content.failure =
                    Task.isCancelled
                    ? .cancelled(resource.name) : UnknownContent.error(for: resource, content.bytes)
            } else {
                content.failure = .demuxing(resource.name, error)
            }
        }
    }

    private func remember(_ index: Int, _ place: SegmentClock.SegmentPosition) {
        if begun.count >= 2 * stream.maximumBegunCount { begun.removeFirst(stream.maximumBegunCount) }
        begun.append((index, place))
    }

    private func add(_ tags: [TimedMetadata], to read: inout SegmentContent) {
        for metadata in tags {
            if let tag = readTag(metadata) {
                read.tags.append(tag)
            } else {
                read.otherTagCount += 1
                if keepsOtherTags { read.otherTags.append(otherTag(metadata)) }
                if let malformation = metadata.malformation { read.malformedOtherTags.append(malformation) }
            }
        }
    }

    private func readTag(_ metadata: TimedMetadata) -> ReadTag? {
        guard let tag = NielsenTag(tagBytes: metadata.bytes.span) else { return nil }
        let entry = begun.lastIndex { $0.index == metadata.segmentIndex }
        let (place, seconds) = place(of: metadata, in: entry)
        let isTruncated = if case .truncated = metadata.completeness { true } else { false }
        let position = entry.map { begun[$0].place.position(of: metadata.time, on: metadata.carriage) }
        let occurrence = policy.checked(
            TagOccurrence(
                tag: tag, origin: stream.origin(of: place), time: metadata.time, seconds: seconds,
                carriage: metadata.carriage, transport: metadata.transport, isTruncated: isTruncated,
                position: position ?? playback.seconds))
        let start = entry.map { begun[$0].place.position } ?? playback.seconds
        return ReadTag(occurrence: occurrence, segmentPosition: start)
    }

    private func otherTag(_ metadata: TimedMetadata) -> OtherTagOccurrence {
        let (place, seconds) = place(of: metadata, in: begun.lastIndex { $0.index == metadata.segmentIndex })
        return OtherTagOccurrence(metadata: metadata, place: place, seconds: seconds)
    }

    /// Returns the place of a tag: the segment in which it begins, if that is still remembered.
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

/// The identity of a rendition in the results for its segments.
struct ReadStream: Sendable {
    /// The input as named by the user.
    let source: String

    /// The rendition in the presentation or the channel.
    let rendition: RenditionID

    /// The media playlist's URI in the multivariant playlist, or nil without one.
    let uri: String?

    /// The channel ID, or nil for recorded input.
    var channel: String?

    /// The number of segments remembered for a tag that does not end, which may only be emitted when the next one
    /// begins.
    var maximumBegunCount = 512

    /// The memory limits of its demuxer.
    var limits = DemuxLimits()

    /// Returns the origin of a tag found at `place`.
    func origin(of place: TagPlace) -> TagOrigin {
        channel.map { .channel(id: $0, place) } ?? .recording(place)
    }
}
