internal import ISOBMFF
internal import TimedMedia

/// The ID3 tags of fragmented MP4, segment by segment: event messages and `ID32` boxes.
///
/// What an initialization segment says of its tracks applies to the segments after it, until the next one.
struct FragmentedMP4Demuxer: ContainerDemuxer, Sendable {
    private let limits: DemuxLimits
    private var tracks = MovieTracks()
    private var events = EventMessageHistory()

    // Of the segment at hand.
    private var segmentIndex = 0
    private var hasMovie = false
    private var clock = FragmentClock()
    private var fragment: TrackFragment?
    private var changedEventMessages = CarriageFacts.Bounded<UInt32>()

    init(limits: DemuxLimits = DemuxLimits()) { self.limits = limits }

    func makeFilter() -> FragmentedMP4Filter { FragmentedMP4Filter(limits: limits) }

    mutating func beginSegment(index: Int, isDiscontinuous: Bool) {
        segmentIndex = index
        hasMovie = false
        clock = FragmentClock()
        fragment = nil
        changedEventMessages = CarriageFacts.Bounded()
        if isDiscontinuous { events = EventMessageHistory() }
    }

    mutating func demux(_ part: FilteredBoxes) {
        for statement in part.statements { take(statement) }
    }

    mutating func endSegment(_ last: FilteredBoxes) -> DemuxedSegment {
        demux(last)
        if let fragment { clock.take(fragment) }
        fragment = nil
        var facts = last.facts
        facts.container = .fragmentedMP4(isInitialization: hasMovie && !clock.hasFragment)
        facts.earliestMediaTime = clock.earliest
        facts.latestMediaTime = clock.latest
        facts.hasAudio = clock.hasAudio
        facts.changedEventMessages = changedEventMessages
        let tags = last.tags.map { tag in
            TimedMetadata(
                bytes: tag.bytes, time: tag.time.flatMap { time(of: $0) }, carriage: tag.carriage,
                segmentIndex: segmentIndex, offset: tag.offset, completeness: tag.completeness)
        }
        return DemuxedSegment(tags: tags, facts: facts)
    }

    /// None: a box ends with its segment.
    mutating func finish() -> [TimedMetadata] { [] }

    private mutating func take(_ statement: BoxStatement) {
        switch statement {
        case .movie:
            hasMovie = true
            tracks = MovieTracks()
        case .track: tracks.beginTrack()
        case .trackHeader(let header): tracks.take(header)
        case .mediaHeader(let header): tracks.take(header)
        case .handler(let handler): tracks.take(handler)
        case .trackExtends(let extends): tracks.take(extends)
        case .segmentIndex(let index): clock.take(index)
        case .movieFragment: clock.hasFragment = true
        case .trackFragment: fragment = TrackFragment()
        case .trackFragmentHeader(let header): fragment?.take(header, track: tracks[header.trackID])
        case .trackFragmentDecodeTime(let time): fragment?.take(time)
        case .run(let run): fragment?.take(run)
        case .trackFragmentEnd:
            if let fragment { clock.take(fragment) }
            fragment = nil
        case .event(let event):
            if events.isChange(event) { changedEventMessages.append(event.id) }
        }
    }

    /// The time on the media's timeline; nil where the segment does not say when it begins.
    private func time(of time: FilteredBoxes.Tag.Time) -> MediaTimestamp? {
        switch time {
        case .absolute(let time): return time
        case .delta(let delta, let timescale):
            guard let start = clock.earliestPresentationTime?.ticks(in: timescale) else { return nil }
            return MediaTimestamp(ticks: start &+ UInt64(delta), timescale: timescale)
        }
    }
}
