import HTTPTransfer
import ID3v2
import LibAVDemux
import NielsenID3
import SegmentDemux

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
    private var initializations: Initializations
    /// The bytes that the demuxer received before the next segment.
    private var predecessor = Predecessor.segmentBefore

    /// The last bytes that the demuxer received.
    ///
    /// A tag can continue only from those of the segment before.
    fileprivate enum Predecessor {
        case segmentBefore
        /// An incomplete reading of the same segment.
        case itself
        /// Bytes before a gap.
        case gap
    }

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
        initializations = Initializations(isLive: stream.channel != nil)
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
    func interrupt() { predecessor = .gap }

    /// The state between two segments, without that of the demuxer.
    struct Checkpoint: Sendable {
        fileprivate var clock = SegmentClock()
        fileprivate var playback = PlaybackPosition()
        fileprivate var begun: [(index: Int, place: SegmentClock.SegmentPosition)] = []
        fileprivate var predecessor = Predecessor.segmentBefore
    }

    /// The current state between two segments.
    var checkpoint: Checkpoint {
        Checkpoint(clock: clock, playback: playback, begun: begun, predecessor: predecessor)
    }

    /// Returns to an earlier state, to read its segment again.
    ///
    /// - Parameter wasBegun: Whether bytes of the segment have reached the demuxer, so that nothing can continue in it.
    func restore(_ checkpoint: Checkpoint, wasBegun: Bool) {
        clock = checkpoint.clock
        playback = checkpoint.playback
        begun = checkpoint.begun
        // The next attempt fails too if the initialization section is still missing.
        initializations.repeatReport()
        predecessor = checkpoint.predecessor
        if wasBegun, predecessor == .segmentBefore { predecessor = .itself }
    }

    /// Begins at a state of another reader.
    func begin(at checkpoint: Checkpoint) {
        restore(checkpoint, wasBegun: false)
        predecessor = .gap
        begun = []
    }

    /// Advances past a segment that may be read later, by another reader.
    func pass(_ segment: Presentation.Segment) {
        predecessor = .gap
        clock.skip(segment)
        _ = playback.add(segment, facts: nil)
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
            let beginsAnew = segment.isDiscontinuity || predecessor != .segmentBefore
            await initialize(for: segment, beginsAnew: beginsAnew, into: &read)
            await self.read(segment, prefetched: prefetched, beginsAnew: beginsAnew, into: &read)
            reportMissingInitialization(of: segment, in: &read)
        }
        let isLast = isLast && !isInStream
        let trailing = isLast ? demuxer.finish().flatMap { readTags(in: $0) } : []
        var reading = SegmentReading(
            source: stream.source, name: segment.displayName, outcome: read.outcome,
            observation: SegmentObservation(
                rendition: stream.rendition, segment: read.segment, tags: read.tags.map(\.occurrence),
                trailingTags: trailing.map(\.occurrence), otherTagCount: read.otherTagCount,
                malformedOtherTags: read.malformedOtherTags, isLast: isLast))
        reading.otherTags = read.otherTags
        reading.missingInitialization = read.missingInitialization
        return ReadSegment(
            reading: reading, tags: read.tags + trailing, byteCount: read.byteCount,
            lacksInitialization: read.lacksInitialization)
    }

    /// The data collected while reading a segment.
    private struct SegmentContent {
        var outcome = SegmentReading.Outcome.gap
        var byteCount: UInt64 = 0
        var segment: ObservedSegment?
        var missingInitialization: InputError?
        var lacksInitialization = false
        var tags: [ReadTag] = []
        var otherTags: [OtherTagOccurrence] = []
        var otherTagCount = 0
        var malformedOtherTags = CarriageFacts.Bounded<CarriageFacts.MalformedRange>()
    }

    /// Advances past a segment that is not read.
    private func skip(_ segment: Presentation.Segment, into read: inout SegmentContent) {
        predecessor = .gap
        clock.skip(segment)
        let place = playback.add(segment, facts: nil)
        read.segment = ObservedSegment(segment, at: place, facts: nil)
    }

    /// Brings the state of the demuxer to that of the segment's initialization section, which is read if necessary.
    private func initialize(
        for segment: Presentation.Segment, beginsAnew: Bool, into read: inout SegmentContent
    ) async {
        guard let section = segment.initialization else { return }
        let isDiscontinuous = segment.isDiscontinuity || predecessor == .gap
        if initializations.begin(section, isDiscontinuous: isDiscontinuous) {
            let seconds = initializations.isRepeated ? max(1, Int(segment.duration / 2)) : .max
            await load(section, withinSeconds: seconds, beginsAnew: beginsAnew, into: &read)
        }
        demuxer.restore(initializations.state)
    }

    /// Reads an initialization section and keeps the state that it sets.
    private func load(
        _ section: Presentation.Initialization, withinSeconds seconds: Int, beginsAnew: Bool,
        into read: inout SegmentContent
    ) async {
        demuxer.forgetTracks()
        if let error = section.unreadable {
            return initializations.fail(error, InitializationState(), isSlow: false)
        }
        remember(demuxedCount, clock.place(section, at: playback.seconds))
        let start = ContinuousClock.now
        let resource = Resource(section)
        let content = await demux(resource, withinSeconds: seconds, beginsAnew: beginsAnew)
        read.byteCount += content.bytes.byteCount
        let facts = content.demuxed.facts
        if !content.demuxed.tags.isEmpty, initializations.claimTags() { add(content.demuxed.tags, to: &read) }
        let state = demuxer.initializationState(setBy: facts)
        var failure = content.failure
        if failure == nil,
            facts.malformed.first.contains(where: { $0.rule == MalformedRule.boxTruncated.rawValue })
        {
            failure = .unreadable(resource.name, reason: "is truncated")
        }
        if failure == nil, state.isEmpty {
            failure = .unreadable(resource.name, reason: "has neither a moov box nor a PAT with a PMT")
        }
        guard let failure else {
            return initializations.succeed(state)
        }
        if let key = section.encryption?.keyAddress { await reader.keys.forget(key) }
        initializations.fail(failure, state, isSlow: ContinuousClock.now - start > .seconds(1))
    }

    /// Reports that a segment was read without its initialization section: the first time as its outcome.
    ///
    /// The tags of a segment can be read without the section, but times may be missing.
    private func reportMissingInitialization(
        of segment: Presentation.Segment, in read: inout SegmentContent
    ) {
        guard segment.initialization != nil, case .read(_, let facts) = read.outcome else { return }
        initializations.observe(facts, duration: segment.duration)
        guard let failure = initializations.failure else { return }
        if facts.earliestMediaTime == nil { read.segment?.facts = nil }
        if initializations.report() {
            read.outcome = .failed(failure)
            read.lacksInitialization = true
        } else if facts.earliestMediaTime == nil {
            read.missingInitialization = failure
        }
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
            demuxer.beginSegment(isDiscontinuous: predecessor != .segmentBefore)
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
        var content = content
        if content.failure == nil,
            let error = InputError.foreignContent(
                of: Resource(segment), content.bytes.front, content.demuxed.facts)
        {
            content.failure = error
            content.isUnknown = true
            content.demuxed = DemuxedSegment()
        }
        let facts = content.demuxed.facts
        read.byteCount += content.bytes.byteCount
        let place = playback.add(segment, facts: facts)
        remember(index, clock.place(segment, at: place.position, facts: facts))
        add(content.demuxed.tags, to: &read)
        if let newest = begun.last?.place { clock.proceed(from: newest) }
        // Unrelated files in a directory are not part of the stream and do not affect it.
        let isOfStream = !(content.isUnknown && segment.isInDirectory)
        predecessor = content.failure != nil && isOfStream ? .gap : .segmentBefore
        if content.isUnknown, segment.isInDirectory, OpenedInput.beginsLikePlaylist(content.bytes.front) {
            read.outcome = .playlist
            return
        }
        if isOfStream {
            read.segment = ObservedSegment(segment, at: place, facts: content.failure == nil ? facts : nil)
            read.segment?.hasPart = facts.container != .unknown
        }
        read.outcome =
            content.failure.map { .failed($0) } ?? .read(byteCount: content.bytes.byteCount, facts: facts)
        if content.failure == nil, stream.channel == nil, segment.initialization == nil,
            facts.container == .fragmentedMP4(isInitialization: false), facts.earliestMediaTime == nil
        {
            read.missingInitialization = .unreadable(
                segment.displayName,
                reason:
                    "has no initialization segment, so its times are unknown; name its playlist, or a folder "
                    + "that also has the initialization segment")
        }
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
        _ resource: Resource, prefetched: PrefetchedSegment? = nil, withinSeconds seconds: Int = .max,
        beginsAnew: Bool
    ) async -> DemuxedResource {
        demuxedCount += 1
        var reader = reader
        reader.fetcher.limits.maximumSegmentSeconds = min(
            seconds, reader.fetcher.limits.maximumSegmentSeconds)
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
                    ? .cancelled(resource.name) : .unknownContent(of: resource, content.bytes)
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
            let found = readTags(in: metadata)
            read.tags += found
            if found.isEmpty {
                read.otherTagCount += 1
                if keepsOtherTags { read.otherTags.append(otherTag(metadata)) }
                if let malformation = metadata.malformation { read.malformedOtherTags.append(malformation) }
            }
        }
    }

    private func readTags(in metadata: TimedMetadata) -> [ReadTag] {
        NielsenTag.all(in: metadata.bytes.span).map { readTag($0, in: metadata) }
    }

    private func readTag(_ tag: NielsenTag, in metadata: TimedMetadata) -> ReadTag {
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
