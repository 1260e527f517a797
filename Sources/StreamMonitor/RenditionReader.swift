import HTTPTransfer
import NielsenID3
import SegmentDemux
import TagRecord
import TimedMedia

/// Reads the segments of one rendition in their order, and makes records of the tags in them.
final class RenditionReader {
    private let source: String
    private let rendition: Programme.Rendition
    private let segmentSource: SegmentSource
    private let lookahead: SegmentLookahead?
    private let keepsOtherTags: Bool

    private var demuxer = SegmentDemuxer()
    private var clock = StreamClock()
    private var nextSegment = 0
    private var initialization: Programme.Initialization?
    /// Whether bytes are missing before the next segment, so that nothing can continue in it.
    private var isBroken = false

    /// How many segments the demuxer has been given, initialisation sections included.
    private var demuxedCount = 0
    /// The segments that a tag may have begun in, the newest last.
    private var begun: [(index: Int, place: StreamClock.Place)] = []
    /// A tag that never ends comes out as late as when the next one begins: segments are remembered this long.
    private static let maximumBegunCount = 512

    /// Where the rendition has been read to, in seconds of its playlist.
    private(set) var position = 0.0

    init(
        source: String, rendition: Programme.Rendition, segmentSource: SegmentSource,
        lookahead: SegmentLookahead? = nil, keepsOtherTags: Bool
    ) {
        self.source = source
        self.rendition = rendition
        self.segmentSource = segmentSource
        self.lookahead = lookahead
        self.keepsOtherTags = keepsOtherTags
    }

    var isAtEnd: Bool { nextSegment >= rendition.segments.count }

    /// A record with the place in the playlist where its segment begins.
    typealias PlacedRecord = (record: RecordedTag, position: Double)

    /// What a segment gave.
    struct Found {
        var reading: SegmentReading
        var tags: [PlacedRecord] = []
    }

    /// Reads the next segment; what could not be read is an outcome, and the ones after it are read all the same.
    func readNext() async -> Found {
        let segment = rendition.segments[nextSegment]
        let prepared = await lookahead?.take(nextSegment)
        nextSegment += 1
        let start = position
        position += segment.duration
        var found = Found(reading: SegmentReading(source: source, name: segment.displayName, outcome: .gap))
        if segment.isGap {
            isBroken = true
        } else if let error = segment.unreadable {
            isBroken = true
            found.reading.outcome = .failed(error)
        } else {
            let beginsAnew = segment.isDiscontinuity || isBroken
            let failure = await readInitialization(of: segment, beginsAnew: beginsAnew, into: &found)
            await read(segment, prepared: prepared, from: start, beginsAnew: beginsAnew, into: &found)
            // The tags of a segment do not need the section, but their times may.
            if let failure, case .read = found.reading.outcome { found.reading.outcome = .failed(failure) }
        }
        return found
    }

    /// The tags that were begun and never ended.
    func finish() -> [PlacedRecord] { demuxer.finish().compactMap { record($0) } }

    /// Reads the section that a segment needs, unless it is the one that was read last.
    private func readInitialization(
        of segment: Programme.Segment, beginsAnew: Bool, into found: inout Found
    ) async -> InputError? {
        guard let section = segment.initialization, section != initialization else { return nil }
        initialization = section
        let resource = SegmentSource.Resource(section)
        let (fed, demuxed, failure) = await demux(resource, beginsAnew: beginsAnew)
        add(demuxed.tags, to: &found)
        if failure == nil, demuxed.isUnknown { return UnknownContent.verdict(on: fed, of: resource) }
        return failure
    }

    private func read(
        _ segment: Programme.Segment, prepared: PreparedSegment?, from start: Double, beginsAnew: Bool,
        into found: inout Found
    ) async {
        let index = demuxedCount
        let resource = SegmentSource.Resource(segment)
        var (fed, demuxed, failure) = await demux(resource, prepared: prepared, beginsAnew: beginsAnew)
        remember(index, clock.place(segment, at: start, facts: demuxed.facts))
        add(demuxed.tags, to: &found)
        if let newest = begun.last?.place { clock.proceed(from: newest) }
        let isUnknown = failure == nil && demuxed.isUnknown
        // Other files in a folder are no part of the stream, and leave it as it is.
        isBroken = failure != nil || isUnknown && !segment.isInFolder
        if isUnknown, segment.isInFolder, PlaylistSignature.isAtFront(of: fed.front) {
            found.reading.outcome = .playlist
            return
        }
        if isUnknown { failure = UnknownContent.verdict(on: fed, of: resource) }
        found.reading.outcome =
            failure.map { .failed($0) } ?? .read(byteCount: fed.byteCount, facts: demuxed.facts)
    }

    /// Demuxes a resource; of one that breaks off, what came before is kept.
    private func demux(
        _ resource: SegmentSource.Resource, prepared: PreparedSegment? = nil, beginsAnew: Bool
    ) async -> (SegmentSource.Fed, DemuxedSegment, InputError?) {
        demuxer.beginSegment(isDiscontinuous: beginsAnew)
        demuxedCount += 1
        var fed = SegmentSource.Fed()
        var failure: InputError?
        do throws(InputError) {
            if let prepared {
                fed = prepared.fed
            } else {
                fed = try await segmentSource.feed(resource, policy: rendition.addressPolicy, to: &demuxer)
            }
        } catch {
            failure = error
        }
        do throws(DemuxError) {
            if let prepared {
                return (fed, try demuxer.endSegment(prepared: prepared.preparation), failure)
            }
            return (fed, try demuxer.endSegment(), failure)
        } catch {
            return (fed, DemuxedSegment(), failure ?? .demuxing(resource.name, error))
        }
    }

    private func remember(_ index: Int, _ place: StreamClock.Place) {
        if begun.count >= 2 * Self.maximumBegunCount { begun.removeFirst(Self.maximumBegunCount) }
        begun.append((index, place))
    }

    private func add(_ tags: [TimedMetadata], to found: inout Found) {
        for metadata in tags {
            if let record = record(metadata) {
                found.tags.append(record)
            } else {
                found.reading.otherTagCount += 1
                if keepsOtherTags { found.reading.otherTags.append(otherTag(metadata)) }
            }
        }
    }

    private func record(_ metadata: TimedMetadata) -> PlacedRecord? {
        guard let tag = NielsenTag(tagBytes: metadata.bytes.span) else { return nil }
        let (origin, seconds, position) = whereabouts(of: metadata)
        let isPartial = if case .partial = metadata.completeness { true } else { false }
        let record = RecordedTag(
            origin: origin, time: metadata.time, seconds: seconds, carriage: metadata.carriage, tag: tag,
            isPartial: isPartial)
        return (record, position)
    }

    private func otherTag(_ metadata: TimedMetadata) -> OtherTag {
        let (origin, seconds, _) = whereabouts(of: metadata)
        return OtherTag(
            origin: origin, time: metadata.time, seconds: seconds, carriage: metadata.carriage,
            bytes: metadata.bytes)
    }

    /// Where a tag was found: in the segment that it begins in.
    private func whereabouts(of metadata: TimedMetadata) -> (TagOrigin, seconds: Double?, position: Double) {
        var origin = TagOrigin(source: source, renditions: rendition.uri.map { [$0] } ?? [])
        guard let entry = begun.lastIndex(where: { $0.index == metadata.segmentIndex }) else {
            return (origin, metadata.time?.seconds, position)
        }
        let seconds = metadata.time.map { begun[entry].place.seconds(of: $0, on: metadata.carriage) }
        let place = begun[entry].place
        origin.segment = place.segmentName
        origin.mediaSequence = place.mediaSequence
        origin.programDateTime = place.programDateTime(of: metadata.time, on: metadata.carriage)
        return (origin, seconds, place.position)
    }
}

extension DemuxedSegment {
    /// Whether nothing in the bytes was of a known kind.
    fileprivate var isUnknown: Bool { facts.container == .unknown && tags.isEmpty }
}
