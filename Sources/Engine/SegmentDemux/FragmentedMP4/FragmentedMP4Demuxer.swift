internal import ID3v2
internal import ISOBMFF

/// Extracts the ID3 tags of fragmented MP4 segments from event messages and `ID32` boxes.
///
/// The tracks of an initialization segment apply to the following segments, up to the next initialization segment.
struct FragmentedMP4Demuxer: ContainerDemuxer, Sendable {
    typealias Filter = FragmentedMP4Filter

    /// The tracks of the last initialization segment.
    var tracks = MovieTracks()
    private var events = EventMessageHistory()

    // State of the current segment.
    private var segmentIndex = 0
    private var hasMovie = false
    private var hasMovieExtends = false
    private var clock = FragmentClock()
    private var fragment: TrackFragment?
    private var changedEventMessages = CarriageFacts.Bounded<UInt32>()

    mutating func beginSegment(index: Int, isDiscontinuous: Bool) {
        segmentIndex = index
        hasMovie = false
        hasMovieExtends = false
        clock = FragmentClock()
        fragment = nil
        changedEventMessages = CarriageFacts.Bounded()
        if isDiscontinuous { events = EventMessageHistory() }
    }

    mutating func demux(_ part: FilteredBoxes) {
        for statement in part.statements { add(statement) }
    }

    mutating func endSegment(_ last: FilteredBoxes) -> DemuxedSegment {
        demux(last)
        if let fragment { clock.add(fragment) }
        fragment = nil
        var facts = last.facts
        facts.container = .fragmentedMP4(isInitialization: hasMovie && !clock.hasFragment)
        facts.isProgressive = hasMovie && !hasMovieExtends && !clock.hasFragment
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

    /// Returns no tags, because a box cannot span segments.
    mutating func finish() -> [TimedMetadata] { [] }

    private mutating func add(_ statement: BoxStatement) {
        switch statement {
        case .movie:
            hasMovie = true
            tracks = MovieTracks()
        case .track: tracks.beginTrack()
        case .trackHeader(let header): tracks.add(header)
        case .mediaHeader(let header): tracks.add(header)
        case .handler(let handler): tracks.add(handler)
        case .trackExtends(let extends):
            hasMovieExtends = true
            tracks.add(extends)
        case .segmentIndex(let index): clock.add(index)
        case .movieFragment: clock.hasFragment = true
        case .trackFragment: fragment = TrackFragment()
        case .trackFragmentHeader(let header): fragment?.add(header, track: tracks[header.trackID])
        case .trackFragmentDecodeTime(let time): fragment?.add(time)
        case .run(let run): fragment?.add(run)
        case .trackFragmentEnd:
            if let fragment { clock.add(fragment) }
            fragment = nil
        case .event(let event):
            if events.isChange(event) { changedEventMessages.append(event.id) }
        }
    }

    /// Returns the time on the media timeline, or nil if the start time of the segment is unknown.
    private func time(of time: FilteredBoxes.Tag.Time) -> MediaTimestamp? {
        switch time {
        case .absolute(let time): return time
        case .delta(let delta, let timescale):
            guard let start = clock.earliestPresentationTime?.ticks(in: timescale) else { return nil }
            return MediaTimestamp(ticks: start &+ UInt64(delta), timescale: timescale)
        }
    }
}
