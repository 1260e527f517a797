import ByteReading
internal import ID3v2
internal import ISOBMFF
internal import TimedMedia

/// What the boxes of a fragmented MP4 say: tags, and the times that give them theirs.
struct FragmentedMP4Content: Sendable {
    private let limits: DemuxLimits
    private var tracks = MovieTracks()
    private var events = EventMessageHistory()

    // Of the segment at hand.
    private var segmentIndex = 0
    private var facts = CarriageFacts()
    private var found: [FoundTag] = []
    private var tagByteCount = 0
    private var hasMovie = false
    private var clock = FragmentClock()
    private var fragment: TrackFragment?

    /// What is wanted of a box.
    enum Interest {
        case none
        case payload
        case children(skipping: UInt64)
    }

    /// A tag whose time may hang on what is still to come in the segment.
    private struct FoundTag: Sendable {
        let bytes: [UInt8]
        let offset: Int
        let carriage: Carriage
        let completeness: TimedMetadata.Completeness
        let time: EventTime?
    }

    private enum EventTime: Sendable {
        case absolute(MediaTimestamp)
        case delta(UInt32, timescale: UInt32)
    }

    init(limits: DemuxLimits) { self.limits = limits }

    mutating func begin(index: Int, isDiscontinuous: Bool) {
        segmentIndex = index
        facts = CarriageFacts()
        found = []
        tagByteCount = 0
        hasMovie = false
        clock = FragmentClock()
        fragment = nil
        if isDiscontinuous { events = EventMessageHistory() }
    }

    /// What is wanted of a box, and what its beginning alone says.
    mutating func interest(in box: BoxWalker.Box) -> Interest {
        switch (box.parent, box.header.type) {
        case (nil, .movie):
            hasMovie = true
            tracks = MovieTracks()
            return .children(skipping: 0)
        case (nil, .movieFragment):
            clock.hasFragment = true
            return .children(skipping: 0)
        case (.movie, .track):
            tracks.beginTrack()
            return .children(skipping: 0)
        case (.movieFragment, .trackFragment):
            fragment = TrackFragment()
            return .children(skipping: 0)
        case (.movie, .movieExtends), (.track, .media), (_, .userData):
            return .children(skipping: 0)
        case (_, .metadata):
            // A version and flags stand before the boxes inside (ISO/IEC 14496-12, 8.11.1).
            return .children(skipping: 4)
        case (_, .eventMessage), (.metadata, .id3v2), (nil, .segmentIndex), (.track, .trackHeader),
            (.media, .mediaHeader), (.media, .handler), (.movieExtends, .trackExtends),
            (.trackFragment, .trackFragmentHeader), (.trackFragment, .trackFragmentDecodeTime),
            (.trackFragment, .trackRun):
            return .payload
        default: return .none
        }
    }

    /// Reads the payload of a box that was asked for.
    mutating func take(_ box: BoxWalker.Box, _ payload: Span<UInt8>) {
        do throws(ISOBMFFError) {
            switch box.header.type {
            case .eventMessage: try takeEventMessage(box, payload)
            case .id3v2:
                let tag = try ID3v2Box(payload)
                takeTags(
                    tag.data, at: box.payloadOffset + UInt64(tag.dataOffset), .metadataBox, time: nil,
                    isDeclared: true)
            case .segmentIndex: clock.take(try SegmentIndexBox(payload))
            case .trackHeader: tracks.take(try TrackHeaderBox(payload))
            case .mediaHeader: tracks.take(try MediaHeaderBox(payload))
            case .handler: tracks.take(try HandlerBox(payload))
            case .trackExtends: tracks.take(try TrackExtendsBox(payload))
            case .trackFragmentHeader:
                let header = try TrackFragmentHeaderBox(payload)
                fragment?.take(header, track: tracks[header.trackID])
            case .trackFragmentDecodeTime: fragment?.take(try TrackFragmentDecodeTimeBox(payload))
            case .trackRun: fragment?.take(try TrackRunBox(payload))
            default: break
            }
        } catch {
            report(error, from: box.payloadOffset, length: payload.count)
        }
    }

    /// Closes a box that was gone into.
    mutating func close(_ box: BoxWalker.Box) {
        guard box.header.type == .trackFragment else { return }
        if let fragment { clock.take(fragment) }
        fragment = nil
    }

    /// Notes what a box breaks, at an offset from the segment's start.
    mutating func report(_ error: ISOBMFFError) { report(error, from: 0, length: 0) }

    private mutating func report(_ error: ISOBMFFError, from start: UInt64, length: Int) {
        facts.malformed.append(
            .init(offset: Int(clamping: start &+ error.offset), length: length, rule: error.rule))
    }

    /// The tags and the facts, once all the segment has said its times.
    mutating func end(byteCount: UInt64) -> DemuxedSegment {
        if let fragment { clock.take(fragment) }
        fragment = nil
        facts.byteCount = byteCount
        facts.container = .fragmentedMP4(isInitialization: hasMovie && !clock.hasFragment)
        facts.earliestMediaTime = clock.earliest
        facts.latestMediaTime = clock.latest
        facts.hasAudio = clock.hasAudio
        let tags = found.map { tag in
            TimedMetadata(
                bytes: tag.bytes, time: tag.time.flatMap { time(of: $0) }, carriage: tag.carriage,
                segmentIndex: segmentIndex, offset: tag.offset, completeness: tag.completeness)
        }
        defer { found = [] }
        return DemuxedSegment(tags: tags, facts: facts)
    }

    /// The time on the media's timeline; nil where the segment does not say when it begins.
    private func time(of event: EventTime) -> MediaTimestamp? {
        switch event {
        case .absolute(let time): return time
        case .delta(let delta, let timescale):
            guard let start = clock.earliestPresentationTime?.ticks(in: timescale) else { return nil }
            return MediaTimestamp(ticks: start &+ UInt64(delta), timescale: timescale)
        }
    }
}

// MARK: - Tags

extension FragmentedMP4Content {
    /// The schemes whose messages are ID3 tags by declaration; others are read where they hold one.
    private static let schemes: Set<String> = [
        "https://aomedia.org/emsg/ID3", "https://developer.apple.com/streaming/emsg-id3",
        "www.nielsen.com:id3:v1", "http://www.id3.org/",
    ]

    private mutating func takeEventMessage(
        _ box: BoxWalker.Box, _ payload: Span<UInt8>
    ) throws(ISOBMFFError) {
        let event = try EventMessageBox(payload)
        let message = event.messageData
        let scheme = event.schemeIDURI
        let isDeclared = Self.schemes.contains(scheme)
        guard isDeclared || message.hasASCII("ID3", at: 0) else { return }
        let value = event.value
        let time: EventTime? =
            switch event.time {
            case .presentationTime(let ticks):
                MediaTimestamp(ticks: ticks, timescale: event.timescale).map { .absolute($0) }
            case .presentationTimeDelta(let delta): .delta(delta, timescale: event.timescale)
            }
        let carriage = Carriage.eventMessage(
            .init(
                schemeIDURI: scheme, value: value, version: event.version, id: event.id,
                duration: event.duration))
        let hasTag = takeTags(
            message, at: box.payloadOffset + UInt64(event.messageOffset), carriage, time: time,
            isDeclared: isDeclared)
        if hasTag, events.isChange(scheme: scheme, value: value, id: event.id, message: message) {
            facts.changedEventMessages.append(event.id)
        }
    }

    /// Takes all the tags in `data`, which begins at an offset from the segment's start.
    @discardableResult
    private mutating func takeTags(
        _ data: Span<UInt8>, at start: UInt64, _ carriage: Carriage, time: EventTime?, isDeclared: Bool
    ) -> Bool {
        var search = ID3TagSearch(data)
        var hasTag = false
        while let finding = search.next() {
            switch finding {
            case .tag(let tag):
                hasTag = true
                keep(
                    FoundTag(
                        bytes: data.copy(tag.range),
                        offset: Int(clamping: start + UInt64(tag.range.lowerBound)),
                        carriage: carriage,
                        completeness: tag.missingCount == 0
                            ? .whole : .partial(expected: tag.header.tagLength),
                        time: time))
            case .malformed(let error, let range):
                hasTag = true
                facts.malformed.append(
                    .init(
                        offset: Int(clamping: start + UInt64(range.lowerBound)), length: range.count,
                        rule: error.rule))
            }
        }
        if !hasTag, isDeclared {
            facts.malformed.append(
                .init(offset: Int(clamping: start), length: data.count, rule: "emsg.no-tag"))
        }
        return hasTag
    }

    private mutating func keep(_ tag: FoundTag) {
        guard tagByteCount + tag.bytes.count <= limits.maximumSegmentTagByteCount else {
            facts.malformed.append(
                .init(offset: tag.offset, length: tag.bytes.count, rule: "segment.tags-too-long"))
            return
        }
        tagByteCount += tag.bytes.count
        found.append(tag)
    }
}
