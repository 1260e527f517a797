import ID3v2
import NielsenID3
import SegmentDemux

/// The media initialization sections of a rendition: the one in force, and the states that the last ones have set.
///
/// A section applies to each segment after it until the next EXT-X-MAP (RFC 8216, 4.3.2.5). Its state is therefore kept
/// and restored before each segment, because an advertisement may have brought tables or a `moov` of its own. A section
/// that could not be read is requested again for each following segment.
///
/// A live channel may replace a section under its address. Its section is read again after a discontinuity, after ten
/// minutes of media, and if the times of a segment show that the state does not fit.
struct Initializations {
    /// The maximum number of states, and of their bytes, besides the state in force.
    private static let maximumCount = 8
    private static let maximumByteCount = 256 << 10
    /// The duration of media after which a live section is read again, in seconds.
    fileprivate static let maximumLiveSeconds = 600.0
    /// The step in the media time, beside the segment duration, at which the timescale may have changed, in seconds.
    fileprivate static let maximumStepSeconds = 10.0
    /// The number of segments for each request after a discontinuity.
    fileprivate static let segmentsPerRequest = 4
    /// Three requests in a row: at the start and the end of an advertisement, and at a change soon after it.
    fileprivate static let maximumAllowance = 3 * segmentsPerRequest

    private let isLive: Bool
    /// The sections that were read, the one in force last.
    private var entries: [Entry] = []

    fileprivate struct Entry {
        let section: Presentation.Initialization
        var state = InitializationState()
        /// The reason why the section is not applied, or nil if it is.
        var failure: InputError?
        var isReported = false
        /// Whether the section has to be read before the next segment.
        var isDue = true
        /// The number of segments to wait before the next request, and the number after a further slow failure.
        var waitCount = 0
        var nextWaitCount = 1

        /// The number of times that the section was requested.
        var readCount = 0
        /// Whether tags in the section were returned.
        var hasReturnedTags = false
        var playedSeconds = 0.0
        /// The number of segments without a request, which pay for the next ones.
        var allowance = Initializations.maximumAllowance
        /// The number of reloads in a row that did not change the state.
        var unchangedCount = 0
        /// The last media time of a segment, and the duration of that segment, in seconds.
        var lastTime: (seconds: Double, duration: Double)?
    }

    init(isLive: Bool) { self.isLive = isLive }

    /// The state to restore before the next segment.
    var state: InitializationState { entries.last?.state ?? InitializationState() }

    /// The section that is not applied to the next segment, or nil if it is.
    var failure: InputError? { entries.last?.failure }

    /// Whether the section in force was requested before.
    var isRepeated: Bool { (entries.last?.readCount ?? 0) > 0 }

    /// Puts the section of a segment in force, and returns whether it must be read first.
    mutating func begin(_ section: Presentation.Initialization, isDiscontinuous: Bool) -> Bool {
        if entries.last?.section != section {
            let known = entries.firstIndex { $0.section == section }
            let entry = known.map { entries.remove(at: $0) } ?? Entry(section: section)
            entries.append(entry)
            removeOldest()
            entries[entries.count - 1].lastTime = nil
        }
        return entries[entries.count - 1].begin(isDiscontinuous: isLive && isDiscontinuous)
    }

    /// Records that the section in force was read.
    mutating func succeed(_ state: InitializationState) {
        guard var entry = entries.popLast() else { return }
        entry.unchangedCount = state == entry.state ? entry.unchangedCount + 1 : 0
        entry.state = state
        entry.readCount += 1
        entry.failure = nil
        entry.isReported = false
        entry.nextWaitCount = 1
        entry.playedSeconds = 0
        entry.lastTime = nil
        entries.append(entry)
        removeOldest()
    }

    /// Records that the section in force could not be read completely; `state` is that of its first bytes.
    ///
    /// An earlier version of the section stays in force.
    mutating func fail(_ error: InputError, _ state: InitializationState, isSlow: Bool) {
        guard var entry = entries.popLast() else { return }
        if entry.failure != nil || entry.state.isEmpty {
            entry.state = state
            entry.failure = error
        }
        entry.readCount += 1
        entry.isDue = true
        if isSlow {
            entry.waitCount = entry.nextWaitCount
            entry.nextWaitCount = min(64, 2 * entry.nextWaitCount)
        }
        entries.append(entry)
    }

    /// Returns whether the failure of the section in force was not reported yet, and marks it as reported.
    mutating func report() -> Bool {
        guard let entry = entries.last, entry.failure != nil, !entry.isReported else { return false }
        entries[entries.count - 1].isReported = true
        return true
    }

    /// Reports the failure of the section in force again, because the segment that reported it is read again.
    mutating func repeatReport() {
        if !entries.isEmpty { entries[entries.count - 1].isReported = false }
    }

    /// Returns whether tags in the section in force are new, which they are once.
    mutating func claimTags() -> Bool {
        guard let entry = entries.last, !entry.hasReturnedTags else { return false }
        entries[entries.count - 1].hasReturnedTags = true
        return true
    }

    /// Records the media times of a segment, which may show that a live section has changed.
    mutating func observe(_ facts: CarriageFacts, duration: Double) {
        guard isLive, var entry = entries.popLast() else { return }
        entry.observe(facts, duration: duration)
        entries.append(entry)
    }

    private mutating func removeOldest() {
        var byteCount = entries.reduce(0) { $0 + $1.state.byteCount }
        while entries.count > 1, entries.count > Self.maximumCount || byteCount > Self.maximumByteCount {
            byteCount -= entries.removeFirst().state.byteCount
        }
    }
}

extension Initializations.Entry {
    fileprivate mutating func begin(isDiscontinuous: Bool) -> Bool {
        // A discontinuity in each segment must not double the requests, unless the section changes often.
        let price = Initializations.segmentsPerRequest
        if isDiscontinuous, isDue || allowance >= price || unchangedCount < 3 {
            isDue = true
            allowance = max(0, allowance - price)
        }
        guard isDue else { return false }
        if waitCount > 0 {
            waitCount -= 1
            return false
        }
        isDue = false
        return true
    }

    fileprivate mutating func observe(_ facts: CarriageFacts, duration: Double) {
        allowance = min(Initializations.maximumAllowance, allowance + 1)
        playedSeconds += duration
        if playedSeconds >= Initializations.maximumLiveSeconds { isDue = true }
        guard case .fragmentedMP4(false) = facts.container else { return }
        guard let time = facts.earliestMediaTime?.seconds else {
            // The tracks had fitted before.
            if lastTime != nil { isDue = true }
            lastTime = nil
            return
        }
        if let lastTime, abs(time - lastTime.seconds - lastTime.duration) > Initializations.maximumStepSeconds
        {
            isDue = true
        }
        lastTime = (time, duration)
    }
}
