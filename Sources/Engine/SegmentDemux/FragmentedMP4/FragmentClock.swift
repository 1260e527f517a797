internal import ISOBMFF
internal import TimedMedia

/// What a track run says of time (ISO/IEC 14496-12, 8.8.8).
struct SampleRun: Sendable {
    let sampleCount: Int
    /// How long all samples but the last one last, and all of them; nil where the track's default says it.
    let durationToLast: UInt64?
    let duration: UInt64?

    init(_ run: borrowing TrackRunBox) {
        sampleCount = run.sampleCount
        let isExplicit = run.hasSampleDurations && run.sampleCount > 0
        durationToLast =
            isExplicit ? run.duration(ofFirst: run.sampleCount - 1, defaultSampleDuration: 0) : nil
        duration = isExplicit ? run.duration(ofFirst: run.sampleCount, defaultSampleDuration: 0) : nil
    }
}

/// One track fragment: where it begins and where its last sample does (ISO/IEC 14496-12, 8.8.6).
struct TrackFragment: Sendable {
    private var track: MovieTracks.Track?
    private var defaultSampleDuration: UInt32 = 0
    private var start: UInt64?
    private var duration: UInt64 = 0
    private var lastSample: UInt64 = 0

    init() {}

    mutating func add(_ header: TrackFragmentHeaderBox, track: MovieTracks.Track?) {
        self.track = track
        defaultSampleDuration = header.defaultSampleDuration ?? track?.defaultSampleDuration ?? 0
    }

    mutating func add(_ time: TrackFragmentDecodeTimeBox) { start = time.baseMediaDecodeTime }

    mutating func add(_ run: SampleRun) {
        guard run.sampleCount > 0 else { return }
        let toLast = run.durationToLast ?? UInt64(run.sampleCount - 1) * UInt64(defaultSampleDuration)
        let whole = run.duration ?? UInt64(run.sampleCount) * UInt64(defaultSampleDuration)
        // No real stream has times beyond 64 bits; they wrap.
        lastSample = duration &+ toLast
        duration &+= whole
    }

    /// What the fragment's media is; nil where no initialization segment says it.
    var kind: BoxType? { track?.kind }

    /// The times of its first and last sample; nil without a decode time or a timescale.
    var span: (first: MediaTimestamp, last: MediaTimestamp)? {
        guard let start, let timescale = track?.timescale,
            let first = MediaTimestamp(ticks: start, timescale: timescale),
            let last = MediaTimestamp(ticks: start &+ lastSample, timescale: timescale)
        else { return nil }
        return (first, last)
    }
}

/// When a segment's media begins and ends.
struct FragmentClock: Sendable {
    /// Whether the segment has a movie fragment.
    var hasFragment = false

    private var index: MediaTimestamp?
    private var audio: (first: MediaTimestamp, last: MediaTimestamp)?
    private var video: (first: MediaTimestamp, last: MediaTimestamp)?
    private var other: MediaTimestamp?

    init() {}

    /// Adds an index.
    ///
    /// The first one is the segment's, those after it are of parts of it.
    mutating func add(_ index: SegmentIndexBox) {
        guard self.index == nil else { return }
        self.index = MediaTimestamp(ticks: index.earliestPresentationTime, timescale: index.timescale)
    }

    mutating func add(_ fragment: TrackFragment) {
        guard let span = fragment.span else { return }
        switch fragment.kind {
        case HandlerBox.sound: Self.widen(&audio, by: span)
        case HandlerBox.video: Self.widen(&video, by: span)
        default: other = other.map { span.first.isEarlier(than: $0) ? span.first : $0 } ?? span.first
        }
    }

    private static func widen(
        _ whole: inout (first: MediaTimestamp, last: MediaTimestamp)?,
        by span: (first: MediaTimestamp, last: MediaTimestamp)
    ) {
        guard let present = whole else {
            whole = span
            return
        }
        whole = (
            span.first.isEarlier(than: present.first) ? span.first : present.first,
            present.last.isEarlier(than: span.last) ? span.last : present.last
        )
    }

    /// The first time of audio, or of video where there is none.
    var earliest: MediaTimestamp? { (audio ?? video)?.first }

    /// The last time at which a sample of it begins.
    var latest: MediaTimestamp? { (audio ?? video)?.last }

    /// Whether it is audio; nil where there is neither.
    var hasAudio: Bool? { audio != nil ? true : video != nil ? false : nil }

    /// What the deltas of event messages count from (ISO/IEC 23009-1, 5.10.3.3.4).
    var earliestPresentationTime: MediaTimestamp? { index ?? earliest ?? other }
}

extension MediaTimestamp {
    /// Whether this is the earlier time, whatever the two timescales.
    func isEarlier(than other: MediaTimestamp) -> Bool {
        let own = ticks.multipliedFullWidth(by: UInt64(other.timescale))
        let others = other.ticks.multipliedFullWidth(by: UInt64(timescale))
        return (own.high, own.low) < (others.high, others.low)
    }

    /// The time in another timescale, to the nearest tick; nil where it leaves 64 bits.
    func ticks(in timescale: UInt32) -> UInt64? {
        if timescale == self.timescale { return ticks }
        let divisor = UInt64(self.timescale)
        let product = ticks.multipliedFullWidth(by: UInt64(timescale))
        guard product.high < divisor else { return nil }
        let (quotient, remainder) = divisor.dividingFullWidth(product)
        return remainder * 2 >= divisor ? quotient &+ 1 : quotient
    }
}
