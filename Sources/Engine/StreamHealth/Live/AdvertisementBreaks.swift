package import ID3v2
import NielsenID3

/// The advertisement breaks of a live rendition, where tags may be missing, and their times by the clock of its tags.
///
/// The playlist marks a signaled break. A break that is stitched in without a signal starts at a discontinuity whose
/// clock does not continue. It ends at the first tag, or when the clock continues across the next discontinuity.
///
/// A report compares breaks with the times in the tags, which may differ from the time at which a segment is read. A
/// tag is at the position of its last second. Without a tag before the break, its time is that at which the segment
/// was due.
struct AdvertisementBreaks: Sendable {
    /// The maximum distance between a segment's media time and the end of the previous one for a continuing clock, in
    /// seconds.
    private static let tolerance = 1.0

    private let expectsTags: Bool
    private let maximumLength: Double
    private var isStitched = false
    /// The start of the break of the last segment, by the steady clock and in seconds of media; nil without one.
    private var start: (time: SteadyTime, position: Double)?
    private var last: (media: MediaTimestamp, position: Double)?
    /// Whether a discontinuity separates `last` from the next segment.
    private var isAfterDiscontinuity = false
    /// Whether tags may be missing in the last segment.
    private var mayLackTags = false
    /// The position and the last time of the last DATA tag.
    private var anchor: (position: Double, time: WallTime)?
    /// The break at the end of the last segment, so far; nil for none.
    private(set) var open: Range<WallTime>?
    private var ended: [Range<WallTime>] = []

    init(_ settings: ChannelHealthSettings) {
        expectsTags = settings.expectsTagsInBreaks
        maximumLength = settings.maximumBreakLength
    }

    /// Records the next segment and returns whether tags may be missing in it.
    mutating func observe(_ segment: ObservedSegment, hasTags: Bool, at time: SteadyTime) -> Bool {
        if segment.isDiscontinuity { isAfterDiscontinuity = true }
        // The clock of an unread segment is unknown.
        if let media = segment.facts?.earliestMediaTime {
            if isAfterDiscontinuity { isStitched = !continues(media, at: segment.position) }
            isAfterDiscontinuity = false
            last = (media, segment.position)
        }
        if hasTags { isStitched = false }
        start = segment.isInBreak || isStitched ? start ?? (time, segment.position) : nil
        mayLackTags =
            !expectsTags && start.map { segment.position - $0.position < maximumLength } == true
        return mayLackTags
    }

    /// Returns whether no tags are expected at a time.
    func isExcused(at time: SteadyTime) -> Bool {
        !expectsTags && start.map { time - $0.time < maximumLength } == true
    }

    private func continues(_ media: MediaTimestamp, at position: Double) -> Bool {
        guard let last else { return true }
        let drift = last.media.distance(to: media) - (position - last.position)
        return drift.magnitude <= Self.tolerance
    }

    // MARK: Times

    /// Records the tags of the last segment, which were due at a time.
    mutating func observe(_ tags: [PlacedTag], of segment: ObservedSegment, due: WallTime) {
        let beginning = time(at: segment.position) ?? due - segment.length
        let end = time(at: segment.end) ?? due
        if mayLackTags {
            let first = open?.lowerBound ?? beginning
            open = first..<max(first, end)
        } else if let last = open {
            ended.append(last.lowerBound..<max(last.lowerBound, beginning))
            open = nil
        }
        guard let tag = tags.last(where: { DataTimes($0.occurrence) != nil }),
            let position = tag.place.position, let times = DataTimes(tag.occurrence)
        else { return }
        anchor = (position, WallTime(unixSeconds: Double(times.last)))
    }

    /// Returns the breaks that have ended since the last call.
    mutating func drain() -> [Range<WallTime>] {
        defer { ended = [] }
        return ended
    }

    private func time(at position: Double) -> WallTime? {
        anchor.map { $0.time + (position - $0.position) }
    }
}

/// The advertisement breaks of a channel, in the time of its tags.
package struct ChannelBreaks: Sendable {
    /// The breaks that have ended.
    package private(set) var ended: [Range<WallTime>] = []
    /// The break at the end of the last segment, so far; nil for none.
    package private(set) var open: Range<WallTime>?
    /// The maximum number of breaks that wait until they are read; later ones are dropped.
    private static let capacity = 64

    /// Adds the breaks of the rendition that was read last.
    mutating func add(_ breaks: inout AdvertisementBreaks) {
        ended += breaks.drain()
        ended.removeLast(max(0, ended.count - Self.capacity))
        open = breaks.open
    }

    /// Returns the breaks that have ended since the last call.
    package mutating func take() -> [Range<WallTime>] {
        defer { ended = [] }
        return ended
    }
}

extension ChannelHealth {
    /// Whether the checks run and the channel was reached or missed, so that breaks and outages are known.
    package var isWatched: Bool { activity.isChecked && state != .connecting && state != .ended }

    /// Whether the channel is in its quiet hours.
    package var isQuiet: Bool { activity == .quiet }
}
