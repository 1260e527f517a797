import TimedMedia

/// Tells which segments of a live rendition belong to an advertisement break, in which tags may be missing.
///
/// The playlist says it of a signaled break. A break that is stitched in without a signal begins at a discontinuity
/// whose clock does not continue, and lasts until a tag comes or the clock continues over the next discontinuity.
struct AdvertisementBreaks: Sendable {
    /// How far the media may lie from where the segment before ends for its clock to continue, in seconds.
    private static let tolerance = 1.0

    private let maximumLength: Double
    /// Whether the segment that was read last belongs to a break, however long.
    private var isOn = false
    private var isStitched = false
    /// When the break began, in seconds of time and in seconds of media.
    private var start: (time: Double, position: Double)?
    private var last: (media: MediaTimestamp, position: Double)?
    /// Whether a discontinuity lies between that and what comes next.
    private var isAfterDiscontinuity = false

    init(maximumLength: Double) { self.maximumLength = maximumLength }

    /// Takes the next segment, and tells whether tags may be missing in it.
    mutating func observe(_ segment: ObservedSegment, hasTags: Bool, at time: Double) -> Bool {
        if segment.isDiscontinuity { isAfterDiscontinuity = true }
        // A segment that was not read does not tell where its clock is.
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

    /// Whether no tags are expected at a time.
    func isExcused(at time: Double) -> Bool {
        guard isOn, let start else { return false }
        return time - start.time < maximumLength
    }

    private func continues(_ media: MediaTimestamp, at position: Double) -> Bool {
        guard let last else { return true }
        let drift = MediaDistance.seconds(from: last.media, to: media) - (position - last.position)
        return drift.magnitude <= Self.tolerance
    }
}
