internal import ID3v2
internal import ISOBMFF

/// The timing of a track run (ISO/IEC 14496-12, 8.8.8).
struct SampleRun: Sendable {
    let sampleCount: Int
    /// The duration of all samples but the last, or nil if the track's default sample duration applies.
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

/// The start of a track fragment and of its last sample (ISO/IEC 14496-12, 8.8.6).
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
        // Wraps on overflow, because no real stream has times beyond 64 bits.
        lastSample = duration &+ toLast
        duration &+= whole
    }

    /// The media type of the fragment, or nil if no initialization segment declares it.
    var kind: BoxType? { track?.kind }

    /// The times of the first and last sample, or nil without a decode time or a timescale.
    var span: (first: MediaTimestamp, last: MediaTimestamp)? {
        guard let start, let timescale = track?.timescale,
            let first = MediaTimestamp(ticks: start, timescale: timescale),
            let last = MediaTimestamp(ticks: start &+ lastSample, timescale: timescale)
        else { return nil }
        return (first, last)
    }
}

/// The start and end times of the media in a segment.
struct FragmentClock: Sendable {
    /// Whether the segment has a movie fragment.
    var hasFragment = false

    private var index: MediaTimestamp?
    private var audio: (first: MediaTimestamp, last: MediaTimestamp)?
    private var video: (first: MediaTimestamp, last: MediaTimestamp)?
    private var other: MediaTimestamp?

    init() {}

    /// Adds a segment index.
    ///
    /// Only the first one describes the whole segment; later ones describe parts of it.
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

    /// The start time of the audio, or of the video if the segment has no audio.
    var earliest: MediaTimestamp? { (audio ?? video)?.first }

    /// The start time of the last audio sample, or of the last video sample if the segment has no audio.
    var latest: MediaTimestamp? { (audio ?? video)?.last }

    /// Whether the times come from audio rather than video, or nil if the segment has neither.
    var hasAudio: Bool? { audio != nil ? true : video != nil ? false : nil }

    /// The base time for the deltas of event messages (ISO/IEC 23009-1, 5.10.3.3.4).
    var earliestPresentationTime: MediaTimestamp? { index ?? earliest ?? other }
}

extension MediaTimestamp {
    /// Returns whether this time is earlier than `other`, which may have a different timescale.
    func isEarlier(than other: MediaTimestamp) -> Bool {
        let own = ticks.multipliedFullWidth(by: UInt64(other.timescale))
        let others = other.ticks.multipliedFullWidth(by: UInt64(timescale))
        return (own.high, own.low) < (others.high, others.low)
    }

    /// Returns the time in another timescale, rounded to the nearest tick, or nil if it overflows 64 bits.
    func ticks(in timescale: UInt32) -> UInt64? {
        if timescale == self.timescale { return ticks }
        let divisor = UInt64(self.timescale)
        let product = ticks.multipliedFullWidth(by: UInt64(timescale))
        guard product.high < divisor else { return nil }
        let (quotient, remainder) = divisor.dividingFullWidth(product)
        return remainder * 2 >= divisor ? quotient &+ 1 : quotient
    }
}
