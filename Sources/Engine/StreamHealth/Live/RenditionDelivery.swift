import HLSPlaylist
import ID3v2
import NielsenID3

/// The delivery of a rendition of a live channel, as the loads of its playlist and its segments show it.
struct RenditionDelivery: Sendable {
    /// The number of consecutive failed loads after which a rendition counts as unreachable.
    private static let unreachableCount = 2
    /// The number of consecutive segments that cannot be read after which a rendition counts as failing.
    private static let unreadableCount = 2
    /// The time after its last load during which a rendition stays followed: the longer of 60 s and 4 target durations.
    private static let followedTime = 60.0
    private static let followedTargetDurations = 4.0

    private let limit: StaleLimit
    /// The time of the last load, failed or not.
    private(set) var loadTime: SteadyTime
    private(set) var failureCount = 0
    private(set) var failure: FetchFailure?
    /// The start of the load that is in progress; nil if none is.
    private(set) var loadStart: SteadyTime?
    /// Whether that load has taken so long that it counts as a failure.
    private(set) var isUnanswered = false
    /// The time of the last change of a playlist that is stale; nil for one that is not.
    private(set) var staleSince: SteadyTime?
    /// Whether the playlist is complete, and its last segment was read.
    private(set) var hasEnded = false
    private(set) var targetDuration: Double?
    /// The distance from the playlist's end to the current time when the playlist last changed, in seconds.
    ///
    /// It is measured by the steady clock: setting the wall clock between two loads is not a drift.
    private(set) var lag: Double?
    /// Whether its source could not be opened.
    private var isClosed = false
    /// The number of consecutive segments that could not be read.
    private(set) var unreadableCount = 0
    /// Whether it has failed, and no segment has been read since.
    private(set) var isOut = false

    /// Creates the delivery of a rendition before its first load.
    init(policy: HealthPolicy, at time: SteadyTime) {
        limit = StaleLimit(policy)
        loadTime = time
    }

    /// Whether it counts as unreachable.
    var isUnreachable: Bool { isUnanswered || failureCount >= Self.unreachableCount }

    /// Whether no new segments are listed: it fails to load, is stale or has ended.
    var isBlocked: Bool { isUnreachable || staleSince != nil || hasEnded }

    private var isFailing: Bool { isBlocked || isClosed || unreadableCount >= Self.unreadableCount }

    /// Returns whether the load in progress takes so long that the playlist would be stale.
    func hangs(at time: SteadyTime) -> Bool {
        guard let loadStart, let targetDuration else { return false }
        return time - loadStart > limit.duration(of: .seconds(targetDuration)) / .seconds(1)
    }

    /// Returns whether new segments can be read.
    func isUsable(at time: SteadyTime) -> Bool { !isFailing && !hangs(at: time) }

    /// Returns whether it has failed, and no segment has been read since.
    func isOut(at time: SteadyTime) -> Bool { isOut || hangs(at: time) }

    /// Returns whether it is followed; a playlist that has ended is loaded less often.
    func isFollowed(at time: SteadyTime) -> Bool {
        let limit = max(Self.followedTime, (targetDuration ?? 0) * Self.followedTargetDurations)
        return hasEnded || loadStart != nil || time - loadTime <= limit
    }

    /// Determines whether it has failed by now.
    mutating func advance(to time: SteadyTime) {
        if !isUsable(at: time) { isOut = true }
    }

    /// Moves the time of the last load on, because the next one is not due yet.
    mutating func hold(at time: SteadyTime) { loadTime = time }

    // MARK: Loads

    /// Records the start of a load.
    mutating func begin(at time: SteadyTime) { loadStart = time }

    /// Records that a load ended, without an outcome for the playlist.
    mutating func end() {
        // It stays a failure until the playlist is loaded.
        if isUnanswered { failureCount = Self.unreachableCount }
        loadStart = nil
        isUnanswered = false
    }

    /// Records a load, and returns the result of `playlist.http` with the seconds that the load took.
    ///
    /// A violation that continues unchanged is returned as `notRun`.
    mutating func load(_ outcome: PlaylistLoadOutcome, at time: SteadyTime) -> (
        http: CheckResult, age: Double
    ) {
        let age = loadStart.map { max(0, time - $0) } ?? 0
        loadTime = time
        if isUnanswered { failureCount = max(failureCount, Self.unreachableCount - 1) }
        loadStart = nil
        isUnanswered = false
        switch outcome {
        case .changed(let edge):
            staleSince = nil
            hasEnded = false
            targetDuration = edge.targetDuration ?? targetDuration
            lag = edge.endDate.map { time.seconds - $0.unixSeconds }
        case .unchanged: break
        // The end has its own finding, and a server may remove the playlist of a stream that has ended.
        case .failed where hasEnded: return (.notRun, age)
        case .failed(let failure):
            failureCount += 1
            defer { self.failure = failure }
            // An outage is reported for its first failures, and later only when the cause changes.
            let isKnown = failureCount > Self.unreachableCount && self.failure == failure
            return (isKnown ? .notRun : PlaylistHTTP.check(failure), age)
        }
        isClosed = false
        failureCount = 0
        failure = nil
        return (.pass, age)
    }

    /// Records that the playlist is stale, because it last changed at a time.
    mutating func markStale(since start: SteadyTime) { staleSince = staleSince ?? start }

    /// Records that the playlist has ended, and returns whether it had not before.
    mutating func markEnded() -> Bool {
        let isNew = !hasEnded
        hasEnded = true
        staleSince = nil
        failureCount = 0
        failure = nil
        // A playlist that has ended falls behind those that continue, which is not a drift.
        lag = nil
        return isNew
    }

    /// Records that its source could not be opened.
    mutating func close() { isClosed = true }

    /// Records the first attempt to read a segment.
    mutating func observeSegment(isFailure: Bool) {
        unreadableCount = isFailure ? unreadableCount + 1 : 0
        if !isFailure { isOut = false }
    }

    /// Counts as unreachable if the last load failed, or if the load in progress has taken so many seconds.
    mutating func fail(after age: Double, at time: SteadyTime) {
        if failureCount > 0 { failureCount = max(failureCount, Self.unreachableCount) }
        if let loadStart, time - loadStart >= age { isUnanswered = true }
    }

    /// Continues a failure that lasted before a restart, until a load succeeds.
    mutating func resumeFailure() { failureCount = Self.unreachableCount }

    /// Forgets what was reported, so that it is reported again; a rendition that has failed still has.
    mutating func restart() {
        failureCount = 0
        failure = nil
        isUnanswered = false
        staleSince = nil
        hasEnded = false
        lag = nil
        isClosed = false
        unreadableCount = 0
    }
}

/// The delivery of the renditions of a channel.
extension [RenditionID: RenditionDelivery] {
    /// Returns the delivery of the renditions of a source.
    func values(of source: RenditionID.Source) -> [RenditionDelivery] {
        filter { $0.key.source == source }.map(\.value)
    }

    /// Whether every rendition fails to load or has ended.
    private var isDown: Bool { !isEmpty && values.allSatisfy { $0.isUnreachable || $0.hasEnded } }

    /// Whether every rendition fails to load, or has ended in the backup only.
    var isUnreachable: Bool { isDown && !isOver }

    /// Whether every rendition has ended, or has ended in the primary and fails to load in the backup.
    var isOver: Bool {
        let primary = values(of: .primary)
        return isDown && hasEnded && (primary.isEmpty || primary.contains(where: \.hasEnded))
    }

    /// Whether any rendition has ended.
    private var hasEnded: Bool { values.contains(where: \.hasEnded) }

    /// Whether no rendition lists new segments.
    var isBlocked: Bool { !isEmpty && values.allSatisfy(\.isBlocked) }

    /// The start of the oldest load that has taken too long; nil if there is none.
    private var unansweredSince: SteadyTime? {
        values.lazy.filter(\.isUnanswered).compactMap(\.loadStart).min()
    }

    /// Returns the reason why the channel is unreachable, as half a sentence.
    func failureText(at time: SteadyTime) -> String {
        if let start = unansweredSince { return PlaylistHTTP.text(unansweredSince: start, until: time) }
        return values.lazy.compactMap(\.failure).first?.text ?? "failed"
    }

    /// Returns the result of `playlist.variant-drift`.
    func drift(policy: HealthPolicy) -> CheckResult {
        let lags = values.compactMap(\.lag)
        guard lags.count > 1, let slowest = lags.max(), let fastest = lags.min(),
            let targetDuration = values.compactMap(\.targetDuration).max()
        else { return .notRun }
        return PlaylistVariantDrift.check(
            behind: slowest, and: fastest, targetDuration: targetDuration, by: policy)
    }

    /// Extends the violations that last without an observation, with their texts as of now.
    func extendViolations(in book: inout EpisodeBook) {
        let now = book.moment.steady
        if let since = values.compactMap(\.staleSince).min() {
            book.extendViolation(of: .playlistStale, PlaylistStale.text(since: since, until: now))
        }
        if hasEnded { book.extendViolation(of: .channelEnded) }
        if values.contains(where: { $0.failureCount > 0 || $0.isUnanswered }) {
            let text = unansweredSince.map {
                PlaylistHTTP.text(PlaylistHTTP.text(unansweredSince: $0, until: now))
            }
            book.extendViolation(of: .playlistHTTP, text)
        }
    }
}
