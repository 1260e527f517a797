import ID3v2

/// The playback position of a rendition, in seconds, and the positions of its segments.
///
/// A playlist gives the durations of its segments. Without a playlist, the audio times give them, or else the video
/// times: from the first time of a segment to its last, and on to the first time of the next segment if that follows
/// directly. A jump of the times adds nothing.
struct PlaybackPosition {
    /// The maximum duration of the last access unit of a segment in seconds; a longer gap is a jump.
    private static let maximumStep = 1.0

    /// The playback position after the segments so far, in seconds.
    private(set) var seconds = 0.0
    private var last: MediaTimestamp?

    /// The position of a segment, in seconds.
    struct Span {
        /// The start of the segment: the playback time before its first media time.
        let position: Double
        /// The duration of the segment; without a playlist, from its first media time to its last.
        let duration: Double
        /// The duration of the previous segment's last access unit, which is only known now; 0 with a playlist.
        var lead = 0.0
    }

    /// Adds a segment and returns its position; `facts` is nil for a segment that was not read.
    mutating func add(_ segment: Presentation.Segment, facts: CarriageFacts?) -> Span {
        if segment.mediaSequence != nil {
            defer { seconds += segment.duration }
            return Span(position: seconds, duration: segment.duration)
        }
        guard let facts, let first = facts.earliestMediaTime, let end = facts.latestMediaTime else {
            return Span(position: seconds, duration: 0)
        }
        let wraps = facts.container.hasWrappingTime
        let step = last?.distance(to: first, wraps: wraps) ?? 0
        let lead = (0...Self.maximumStep).contains(step) ? step : 0
        seconds += lead
        last = end
        // A segment whose times run backwards has no known duration.
        let duration = max(0, first.distance(to: end, wraps: wraps))
        defer { seconds += duration }
        return Span(position: seconds, duration: duration, lead: lead)
    }
}

extension ObservedSegment {
    /// Creates an observed segment; `facts` is nil for a segment that was not read.
    ///
    /// The duration includes the lead, so that all durations add up to that of the presentation.
    init(_ segment: Presentation.Segment, at place: PlaybackPosition.Span, facts: CarriageFacts?) {
        self.init(
            name: segment.name, mediaSequence: segment.mediaSequence, duration: place.lead + place.duration,
            position: place.position - place.lead, isDiscontinuity: segment.isDiscontinuity,
            programDateTime: segment.programDateTime, facts: facts)
        isInBreak = segment.isInBreak
    }
}
