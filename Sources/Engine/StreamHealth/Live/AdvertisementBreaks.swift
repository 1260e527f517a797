import ID3v2

/// Detects the segments of a live rendition that belong to an advertisement break, where tags may be missing.
///
/// The playlist marks a signaled break. A break that is stitched in without a signal starts at a discontinuity whose
/// clock does not continue. It ends at the first tag, or when the clock continues across the next discontinuity.
struct AdvertisementBreaks: Sendable {
    /// The maximum distance between a segment's media time and the end of the previous one for a continuing clock, in
    /// seconds.
    private static let tolerance = 1.0

    private let maximumLength: Double
    /// Whether the last segment read belongs to a break of any length.
    private var isOn = false
    private var isStitched = false
    /// The start of the break, by the steady clock and in seconds of media.
    private var start: (time: SteadyTime, position: Double)?
    private var last: (media: MediaTimestamp, position: Double)?
    /// Whether a discontinuity separates `last` from the next segment.
    private var isAfterDiscontinuity = false

    init(maximumLength: Double) { self.maximumLength = maximumLength }

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
        isOn = segment.isInBreak || isStitched
        if !isOn {
            start = nil
        } else if start == nil {
            start = (time, segment.position)
        }
        guard let start, isOn else { return false }
        return segment.position - start.position < maximumLength
    }

    /// Returns whether no tags are expected at a time.
    func isExcused(at time: SteadyTime) -> Bool {
        guard isOn, let start else { return false }
        return time - start.time < maximumLength
    }

    private func continues(_ media: MediaTimestamp, at position: Double) -> Bool {
        guard let last else { return true }
        let drift = MediaDistance.seconds(from: last.media, to: media) - (position - last.position)
        return drift.magnitude <= Self.tolerance
    }
}
