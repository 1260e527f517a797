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
    private let observes: Bool

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

    private var line = ProgrammeLine()

    init(
        source: String, rendition: Programme.Rendition, segmentSource: SegmentSource,
        lookahead: SegmentLookahead? = nil, keepsOtherTags: Bool, observes: Bool
    ) {
        self.source = source
        self.rendition = rendition
        self.segmentSource = segmentSource
        self.lookahead = lookahead
        self.keepsOtherTags = keepsOtherTags
        self.observes = observes
    }

    /// Where the rendition has been read to, in seconds of its playlist; without one, of its media.
    var position: Double { line.position }

    var isAtEnd: Bool { nextSegment >= rendition.segments.count }

    /// A tag that was found, and the seconds of programme before the segment that it begins in.
    struct FoundTag {
        let record: TagOccurrence
        let position: Double
    }

    /// What a segment gave.
    struct Found {
        var reading: SegmentReading
        var tags: [FoundTag] = []
        /// The segment for the checks; nil where nobody asks for it, or it is no part of the stream.
        var segment: ObservedSegment?
        /// What tags of other owners break; empty where nobody asks for it.
        var malformedOtherTags = CarriageFacts.Bounded<CarriageFacts.MalformedRange>()
    }

    /// Reads the next segment; what could not be read is an outcome, and the ones after it are read all the same.
    func readNext() async -> Found {
        let segment = rendition.segments[nextSegment]
        let prepared = await lookahead?.take(nextSegment)
        nextSegment += 1
        var found = Found(reading: SegmentReading(source: source, name: segment.displayName, outcome: .gap))
        if segment.isGap {
            isBroken = true
            pass(over: segment, in: &found)
        } else if let error = segment.unreadable {
            isBroken = true
            found.reading.outcome = .failed(error)
            pass(over: segment, in: &found)
        } else {
            let beginsAnew = segment.isDiscontinuity || isBroken
            let failure = await readInitialization(of: segment, beginsAnew: beginsAnew, into: &found)
            await read(segment, prepared: prepared, beginsAnew: beginsAnew, into: &found)
            // The tags of a segment do not need the section, but their times may.
            if let failure, case .read = found.reading.outcome {
                found.reading.outcome = .failed(failure)
                found.segment?.facts = nil
            }
        }
        return found
    }

    /// The tags that were begun and never ended.
    func finish() -> [FoundTag] { demuxer.finish().compactMap { foundTag($0) } }

    /// Goes on behind a segment of which nothing is read.
    private func pass(over segment: Programme.Segment, in found: inout Found) {
        let place = line.add(segment, facts: nil)
        if observes { found.segment = ObservedSegment(segment, at: place, facts: nil) }
    }

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
        _ segment: Programme.Segment, prepared: PreparedSegment?, beginsAnew: Bool, into found: inout Found
    ) async {
        let index = demuxedCount
        let resource = SegmentSource.Resource(segment)
        var (fed, demuxed, failure) = await demux(resource, prepared: prepared, beginsAnew: beginsAnew)
        let place = line.add(segment, facts: demuxed.facts)
        remember(index, clock.place(segment, at: place.position, facts: demuxed.facts))
        add(demuxed.tags, to: &found)
        if let newest = begun.last?.place { clock.proceed(from: newest) }
        let isUnknown = failure == nil && demuxed.isUnknown
        // Other files in a folder are no part of the stream, and leave it as it is.
        let isOfStream = !(isUnknown && segment.isInFolder)
        isBroken = (failure != nil || isUnknown) && isOfStream
        if isUnknown, segment.isInFolder, PlaylistSignature.isAtFront(of: fed.front) {
            found.reading.outcome = .playlist
            return
        }
        if isUnknown { failure = UnknownContent.verdict(on: fed, of: resource) }
        if observes, isOfStream {
            found.segment = ObservedSegment(
                segment, at: place, facts: failure == nil ? demuxed.facts : nil)
        }
        found.reading.outcome =
            failure.map { .failed($0) } ?? .read(byteCount: fed.byteCount, facts: demuxed.facts)
    }

    /// Demuxes a resource; of one that breaks off, what came before is kept.
    private func demux(
        _ resource: SegmentSource.Resource, prepared: PreparedSegment? = nil, beginsAnew: Bool
    ) async -> (SegmentSource.Fed, DemuxedSegment, InputError?) {
        demuxedCount += 1
        if prepared == nil { demuxer.beginSegment(isDiscontinuous: beginsAnew) }
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
                return (fed, try demuxer.demux(prepared.filtered, isDiscontinuous: beginsAnew), failure)
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
            if let tag = foundTag(metadata) {
                found.tags.append(tag)
            } else {
                found.reading.otherTagCount += 1
                if keepsOtherTags { found.reading.otherTags.append(otherTag(metadata)) }
                if observes, let malformation = OtherTagForm.malformation(of: metadata) {
                    found.malformedOtherTags.append(malformation)
                }
            }
        }
    }

    private func foundTag(_ metadata: TimedMetadata) -> FoundTag? {
        guard let tag = NielsenTag(tagBytes: metadata.bytes.span) else { return nil }
        let place = begun.lastIndex { $0.index == metadata.segmentIndex }
        let (origin, seconds) = whereabouts(of: metadata, in: place)
        let isTruncated = if case .partial = metadata.completeness { true } else { false }
        let position = place.map { begun[$0].place.position(of: metadata.time, on: metadata.carriage) }
        let occurrence = TagOccurrence(
            tag: tag, origin: origin, time: metadata.time, seconds: seconds, carriage: metadata.carriage,
            transport: metadata.transport, isTruncated: isTruncated, position: position ?? line.position)
        let start = place.map { begun[$0].place.position } ?? line.position
        return FoundTag(record: occurrence, position: start)
    }

    private func otherTag(_ metadata: TimedMetadata) -> OtherTag {
        let place = begun.lastIndex { $0.index == metadata.segmentIndex }
        let (origin, seconds) = whereabouts(of: metadata, in: place)
        return OtherTag(
            origin: origin, time: metadata.time, seconds: seconds, carriage: metadata.carriage,
            bytes: metadata.bytes)
    }

    /// Where a tag was found: in the segment that it begins in, if that is remembered.
    private func whereabouts(of metadata: TimedMetadata, in entry: Int?) -> (TagOrigin, seconds: Double?) {
        var origin = TagOrigin(source: source, renditions: rendition.uri.map { [$0] } ?? [])
        guard let entry else { return (origin, metadata.time?.seconds) }
        let seconds = metadata.time.map { begun[entry].place.seconds(of: $0, on: metadata.carriage) }
        let place = begun[entry].place
        origin.segment = place.segmentName
        origin.mediaSequence = place.mediaSequence
        origin.programDateTime = place.programDateTime(of: metadata.time, on: metadata.carriage)
        return (origin, seconds)
    }
}

extension ObservedSegment {
    /// A segment of a playlist or a folder at its place; `facts` are nil where it was not read.
    ///
    /// The lead counts with it, so that all segments together last as long as the programme.
    fileprivate init(_ segment: Programme.Segment, at place: ProgrammeLine.Place, facts: CarriageFacts?) {
        self.init(
            name: segment.name, mediaSequence: segment.mediaSequence, duration: place.lead + place.duration,
            position: place.position - place.lead, isDiscontinuity: segment.isDiscontinuity,
            programDateTime: segment.programDateTime, facts: facts)
    }
}

extension DemuxedSegment {
    /// Whether nothing in the bytes was of a known kind.
    fileprivate var isUnknown: Bool { facts.container == .unknown && tags.isEmpty }
}
