import HLSInput
import HLSPlaylist
import ID3v2
import NielsenID3

extension SegmentQueue {
    /// A segment that was not requested yet; thousands may be listed at once.
    struct Waiting: Sendable {
        /// The number of the segment in the queue, which increases by one.
        let id: Int
        var segment: LiveSegment
        /// The memory reservation of the load that listed it.
        let reservation: SegmentMemory.Reservation?
        /// The time until which the following segments wait for it.
        var waitsUntil: Duration
        var isListed = true
    }

    /// A segment that is requested or was read.
    struct Entry: Sendable {
        var listed: Waiting
        var attemptCount = 0
        var firstAttempt = Duration.zero
        var lastAttempt = Duration.zero
        var nextAttempt = Duration.zero
        /// The last reading of a missing or incomplete segment.
        var reading: LiveSegmentReading?
        /// Whether its key, which was missing, is there now.
        var hasKey = false
        var isPassed = false
        var isFailureReported = false
        /// The final reading and its time.
        var read: ReadSegment?
        var readTime = Duration.zero
        var isDone = false
        /// The memory reservation for the tags of its readings.
        private var tagMemory: SegmentMemory.Reservation?
        /// Whether the channel's memory has no room for these tags, so that they do not wait for a missing segment.
        private(set) var exceedsMemory = false

        init(listed: Waiting) { self.listed = listed }

        var id: Int { listed.id }
        var segment: LiveSegment { listed.segment }
        var isListed: Bool { listed.isListed }
        /// Whether it was requested and will be requested again.
        var isMissing: Bool { reading != nil && !isDone }
        /// The key or initialization segment that it lacks.
        var missingResource: LiveSegment.ResourceID? { isDone ? nil : reading?.missingResource }
        var targetDuration: Duration { .seconds(segment.targetSeconds) }

        /// Reserves memory for the tags of its current readings.
        mutating func reserveTagMemory() {
            let byteCount = (reading?.tagByteCount ?? 0) + (read?.live.tagByteCount ?? 0)
            tagMemory = nil
            guard byteCount > 0, let reservation = listed.reservation else {
                exceedsMemory = false
                return
            }
            tagMemory = reservation.reserveMore(byteCount)
            exceedsMemory = tagMemory == nil
        }

        /// Releases its readings and all its memory.
        mutating func releaseTags() {
            reading = nil
            read = nil
            tagMemory = nil
        }
    }
}

extension SegmentQueue.Entry {
    func step(_ kind: SegmentQueue.Step.Kind) -> SegmentQueue.Step {
        let isRequest = if case .pass = kind { false } else { true }
        let isRetry = isRequest && attemptCount > 0
        return SegmentQueue.Step(
            id: id, segment: segment, kind: kind, isRetry: isRetry,
            isLimited: isRetry && !hasKey)
    }

    /// Its next attempt: after later segments if these were read first.
    var retry: SegmentQueue.Step? {
        reading.map { step(isPassed ? .readLate(from: $0) : .read) }
    }

    /// Whether it is missing for so long that later segments are judged without it.
    func isOverdue(at time: Duration) -> Bool {
        time - firstAttempt > max(SegmentQueue.minimumPatience, targetDuration * 4)
    }

    /// Updates a missing segment after a load.
    mutating func observe(
        _ current: [Int: LiveSegment], _ range: ClosedRange<Int>, _ update: PlaylistUpdate, at time: Duration
    ) {
        if isDone { return }
        listed.observe(current, range, update)
        // A segment that is listed again may be there now.
        if isListed, reading?.failure != nil, !isOverdue(at: time) { nextAttempt = min(nextAttempt, time) }
    }
}

extension SegmentQueue.Waiting {
    /// Updates an unread segment after a load.
    mutating func observe(
        _ current: [Int: LiveSegment], _ range: ClosedRange<Int>, _ update: PlaylistUpdate
    ) {
        let number = segment.mediaSequence + update.renumberedBy
        isListed = isListed && !update.isReset && range.contains(number)
        if isListed, let newer = current[number] { segment = segment.relisted(as: newer) }
    }
}

extension Collection<SegmentQueue.Entry> {
    /// The missing segment that was tried the longest ago among those that are due; nil if there is none.
    func dueEntry(at time: Duration) -> SegmentQueue.Entry? {
        lazy.filter { $0.isMissing && $0.isListed && $0.nextAttempt <= time }
            .min { $0.lastAttempt < $1.lastAttempt }
    }

    /// The time at which a step is due for a missing segment.
    var nextTime: Duration? {
        lazy.filter { $0.isMissing && $0.isListed }
            .map { $0.isPassed ? $0.nextAttempt : Swift.min($0.nextAttempt, $0.listed.waitsUntil) }.min()
    }
}

/// A segment that was read or given up, to be judged after all earlier ones.
struct ReadSegment: Sendable {
    /// The segment in its playlist.
    let segment: LiveSegment
    /// The result of reading it.
    let live: LiveSegmentReading
    /// The rendition.
    let rendition: RenditionID
    /// The duration of the media that the playlist listed after the segment when it was read, in seconds.
    let behindLive: Double
    /// The time after reading it.
    let wallTime: WallTime
    /// The time since it was read: later segments had to wait so long.
    var age = Duration.zero
    /// The time from the first request to its arrival, if that is more than a target duration; nil otherwise.
    var delay: Duration?
    /// Whether the failure was reported before.
    var isFailureReported = false
    /// Whether later segments have been judged without it, so that only its delay is reported.
    var isOutOfOrder = false

    /// The tags of the segment.
    var tags: [TagOccurrence] { live.reading.tags }
    /// Whether the playlist marks the segment as missing.
    var isGap: Bool { segment.isGap }
    /// Whether the media clock is continuous with the segment before, so that spacing is measured across the boundary.
    var isClockContinuous: Bool { segment.isContinuation && !segment.isDiscontinuity }
}
