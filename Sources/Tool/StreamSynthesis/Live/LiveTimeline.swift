/// The times and faults of the segments of a live channel, computed from the segment index without stored state.
///
/// Times are milliseconds from the station's start. The first segments precede it, so that the window is full from the
/// start.
struct LiveTimeline {
    let settings: LiveSettings
    /// The script events of this channel.
    let events: [LiveScript.Event]
    /// The start of the first segment.
    let origin: Int64

    /// Creates the timeline of a channel, numbered from 1; segment boundaries are staggered across channels.
    init(_ settings: LiveSettings, channel: Int, events: [LiveScript.Event]) {
        self.settings = settings
        self.events = events
        length = settings.segmentMilliseconds
        let phase = length * Int64(channel - 1) / Int64(settings.channelCount)
        origin = -length * Int64(settings.windowSegmentCount) - phase
    }

    /// The duration of a segment.
    let length: Int64

    /// Returns the start of a segment.
    func start(of segment: Int64) -> Int64 { origin + segment * length }

    /// Returns the first segment that begins at or after `time`, at least 0.
    func firstSegment(startingAt time: Int64) -> Int64 { max(0, (time - origin + length - 1) / length) }

    /// Returns the last complete segment at `time`, which must not be before the station's start.
    func lastSegment(at time: Int64) -> Int64 { (time - origin) / length - 1 }

    // MARK: Playlists

    /// Returns the time that the playlist sent at `time` represents.
    func playlistTime(at time: Int64) -> Int64 {
        for event in events {
            guard let began = event.activeStart(at: time) else { continue }
            switch event.fault {
            case .stalledPlaylist: return began
            // The playlist never goes back when a delay begins.
            case .latePlaylist(let delay): return max(began, time - delay)
            default: break
            }
        }
        return time
    }

    /// Returns the segments listed in the playlist of `time`.
    func window(at time: Int64) -> ClosedRange<Int64> {
        let last = lastSegment(at: time)
        let oldest = max(0, last - Int64(settings.windowSegmentCount) + 1)
        return max(oldest, firstNumbered(for: last).segment)...last
    }

    /// Returns the media sequence number of a segment.
    func mediaSequence(of segment: Int64) -> Int64 {
        let first = firstNumbered(for: segment)
        return first.number + segment - first.segment
    }

    /// Returns the first segment of the numbering that applies to `segment`, with its number.
    private func firstNumbered(for segment: Int64) -> (segment: Int64, number: Int64) {
        let begin = start(of: segment)
        let resets = events.filter { $0.fault == .sequenceReset }.compactMap { $0.lastStart(at: begin) }
        guard let reset = resets.max() else { return (0, Int64(settings.firstMediaSequence)) }
        return (firstSegment(startingAt: reset), 0)
    }

    // MARK: Breaks

    /// An inserted break.
    struct Break: Hashable {
        let marking: LiveFault.BreakMarking
        /// The segments of the break.
        let segments: Range<Int64>
    }

    /// Returns the break to which a segment belongs, or nil for none.
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

    /// Returns whether a segment follows a discontinuity.
    func isDiscontinuous(_ segment: Int64) -> Bool {
        segment > 0 && adBreak(at: segment) != adBreak(at: segment - 1)
    }

    /// Whether the channel ever has a discontinuity.
    var hasBreaks: Bool {
        events.contains { if case .adBreak = $0.fault { true } else { false } }
    }

    /// Returns the number of discontinuities before a playlist that starts with `segment`.
    ///
    /// The result is nil for a channel without discontinuities.
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

    /// Returns the start of validity of the key that encrypts a segment, or nil if the segment is not encrypted.
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

    /// Returns whether the tags that close at `time` are removed.
    func hasNoTags(at time: Int64) -> Bool {
        events.contains { $0.fault == .noTags && $0.activeStart(at: time) != nil }
    }
}
