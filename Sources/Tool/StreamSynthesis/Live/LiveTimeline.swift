/// Where the segments of a live channel lie in the station's time, and what is wrong with each: everything follows from a
/// segment's index, so that nothing has to be remembered.
///
/// Times are milliseconds from the station's start. The first segments lie before it, so that there is a full window
/// from the start.
struct LiveTimeline {
    let settings: LiveSettings
    /// The lines of the script for this channel.
    let events: [LiveScript.Event]
    /// When the first segment begins.
    let origin: Int64

    /// The timeline of a channel, numbered from 1; the channels' segments do not all come at the same time.
    init(_ settings: LiveSettings, channel: Int, events: [LiveScript.Event]) {
        self.settings = settings
        self.events = events
        length = settings.segmentMilliseconds
        let phase = length * Int64(channel - 1) / Int64(settings.channelCount)
        origin = -length * Int64(settings.windowSegmentCount) - phase
    }

    /// How long a segment lasts.
    let length: Int64

    /// When a segment begins.
    func start(of segment: Int64) -> Int64 { origin + segment * length }

    /// The first segment that begins at a time or after it; the first of all at least.
    func firstSegment(startingAt time: Int64) -> Int64 { max(0, (time - origin + length - 1) / length) }

    /// The last segment that is complete at a time, which is not before the station's start.
    func lastSegment(at time: Int64) -> Int64 { (time - origin) / length - 1 }

    // MARK: Playlists

    /// The time as of which the playlist stands that is sent at a time.
    func playlistTime(at time: Int64) -> Int64 {
        for event in events {
            guard let began = event.activeStart(at: time) else { continue }
            switch event.fault {
            case .stalledPlaylist: return began
            // It does not go back when the delay begins.
            case .latePlaylist(let delay): return max(began, time - delay)
            default: break
            }
        }
        return time
    }

    /// The segments that a playlist of a time lists.
    func window(at time: Int64) -> ClosedRange<Int64> {
        let last = lastSegment(at: time)
        let oldest = max(0, last - Int64(settings.windowSegmentCount) + 1)
        return max(oldest, firstNumbered(for: last).segment)...last
    }

    /// The media sequence number of a segment.
    func mediaSequence(of segment: Int64) -> Int64 {
        let first = firstNumbered(for: segment)
        return first.number + segment - first.segment
    }

    /// The segment with which the numbering began that a segment has, and its number.
    private func firstNumbered(for segment: Int64) -> (segment: Int64, number: Int64) {
        let begin = start(of: segment)
        let resets = events.filter { $0.fault == .sequenceReset }.compactMap { $0.lastStart(at: begin) }
        guard let reset = resets.max() else { return (0, Int64(settings.firstMediaSequence)) }
        return (firstSegment(startingAt: reset), 0)
    }

    // MARK: Breaks

    /// A break that is stitched in.
    struct Break: Hashable {
        let marking: LiveFault.BreakMarking
        /// Its segments.
        let segments: Range<Int64>
    }

    /// The break that a segment belongs to; nil for none.
    func adBreak(at segment: Int64) -> Break? {
        let begin = start(of: segment)
        for event in events {
            guard case .adBreak(let marking) = event.fault, let began = event.activeStart(at: begin),
                let lasts = event.length
            else { continue }
            let segments = firstSegment(startingAt: began)..<firstSegment(startingAt: began + lasts)
            return Break(marking: marking, segments: segments)
        }
        return nil
    }

    /// Whether a segment does not continue the one before it.
    func isDiscontinuous(_ segment: Int64) -> Bool {
        segment > 0 && adBreak(at: segment) != adBreak(at: segment - 1)
    }

    /// Whether the channel ever has a discontinuity.
    var hasBreaks: Bool {
        events.contains { if case .adBreak = $0.fault { true } else { false } }
    }

    /// How many discontinuities have left a playlist that begins with a segment; nil for a channel that never has one.
    func discontinuitySequence(before segment: Int64) -> Int? {
        guard hasBreaks else { return nil }
        let first = firstNumbered(for: segment).segment
        var edges: Set<Int64> = []
        for event in events {
            guard case .adBreak = event.fault, let lasts = event.length else { continue }
            for index in 0..<event.startCount(at: start(of: segment)) {
                let began = event.start + index * (event.period ?? 0)
                edges.insert(firstSegment(startingAt: began))
                edges.insert(firstSegment(startingAt: began + lasts))
            }
        }
        return edges.count { $0 > first && $0 < segment && isDiscontinuous($0) }
    }

    // MARK: Segments

    /// When the key began to hold with which a segment is encrypted; nil where it is not.
    func keyStart(at segment: Int64) -> Int64? {
        let begin = start(of: segment)
        for event in events {
            guard case .changedKey(let period) = event.fault, let began = event.activeStart(at: begin) else {
                continue
            }
            let lasts = period ?? length
            return began + (begin - began) / lasts * lasts
        }
        return nil
    }

    /// Whether the tags that close at a time are taken out.
    func hasNoTags(at time: Int64) -> Bool {
        events.contains { $0.fault == .noTags && $0.activeStart(at: time) != nil }
    }
}
