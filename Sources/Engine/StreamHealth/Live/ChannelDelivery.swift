import HLSPlaylist
import ID3v2
import NielsenID3
import TextForms

/// The delivery of a live channel's playlists, tracked by rendition.
struct ChannelDelivery: Sendable {
    /// The number of consecutive failed loads after which a rendition counts as unreachable.
    private static let unreachableCount = 2
    /// The time after its last load during which a rendition stays followed: the longer of 60 s and 4 target durations.
    private static let followedTime = 60.0
    private static let followedTargetDurations = 4.0
    /// The maximum number of renditions tracked.
    private static let capacity = 64

    private var renditions: [RenditionID: Rendition] = [:]

    private struct Rendition: Sendable {
        /// The time of the last load, failed or not.
        var time: SteadyTime
        var failureCount = 0
        var failure: FetchFailure?
        /// The start of the load that is in progress; nil if none is.
        var loadStart: SteadyTime?
        /// Whether that load has taken so long that it counts as a failure.
        var isUnanswered = false
        /// The time of the last change of a playlist that is stale; nil for one that is not.
        var staleSince: SteadyTime?
        var isStale: Bool { staleSince != nil }
        /// Whether the playlist is complete, and its last segment was read.
        var hasEnded = false
        var targetDuration: Double?
        /// The distance from the playlist's end to the current time when the playlist last changed, in seconds.
        ///
        /// It is measured by the steady clock: setting the wall clock between two loads is not a drift.
        var lag: Double?

        /// Whether it counts as unreachable.
        var isUnreachable: Bool { isUnanswered || failureCount >= unreachableCount }
    }

    /// Whether every followed rendition fails to load, or has ended in the backup only.
    private(set) var isUnreachable = false
    /// Whether every followed rendition has ended, or has ended in the primary and fails to load in the backup.
    private(set) var isOver = false
    /// Whether any followed rendition has ended.
    private(set) var hasEnded = false
    /// Whether no followed rendition lists new segments: each fails to load, is stale or has ended.
    private(set) var isBlocked = false
    /// Whether the last load of any followed rendition failed.
    private(set) var isFailing = false
    /// The time since which the playlist of a followed rendition is stale; nil if none is.
    private(set) var staleSince: SteadyTime?
    /// Whether a followed rendition is behind another.
    private(set) var isDrifting = false

    /// Creates the delivery of a channel that has loaded nothing.
    init() {}

    /// Creates the delivery of a channel that was unreachable when it was last followed, until a load succeeds.
    init(unreachableAt time: SteadyTime) {
        renditions[.first] = Rendition(time: time, failureCount: Self.unreachableCount)
        advance(to: time)
    }

    /// Returns the reason why the channel is unreachable, as half a sentence.
    func failureText(at time: SteadyTime) -> String {
        if let start = unansweredSince { return Self.text(unansweredSince: start, at: time) }
        return renditions.values.lazy.compactMap(\.failure).first?.text ?? "failed"
    }

    /// Returns the text of a load that has taken too long, as half a sentence.
    static func text(unansweredSince start: SteadyTime, at time: SteadyTime) -> String {
        "has not been answered for \(DurationText.age(time - start))"
    }

    /// The start of the oldest load that has taken too long; nil if there is none.
    var unansweredSince: SteadyTime? {
        renditions.values.lazy.filter(\.isUnanswered).compactMap(\.loadStart).min()
    }

    /// Returns the seconds since the start of the load of a rendition's playlist; 0 if none is in progress.
    func loadAge(of rendition: RenditionID, at time: SteadyTime) -> Double {
        renditions[rendition]?.loadStart.map { max(0, time - $0) } ?? 0
    }

    /// Records the start of a load.
    mutating func begin(rendition: RenditionID, at time: SteadyTime) {
        makeRoom(for: rendition)
        renditions[rendition, default: Rendition(time: time)].loadStart = time
    }

    /// Records that a load ended, without an outcome for the playlist.
    mutating func end(rendition: RenditionID, at time: SteadyTime) {
        if renditions[rendition]?.isUnanswered == true {
            // It stays a failure until the playlist is loaded.
            renditions[rendition]?.failureCount = Self.unreachableCount
        }
        renditions[rendition]?.loadStart = nil
        renditions[rendition]?.isUnanswered = false
        advance(to: time)
    }

    /// Counts renditions whose last load failed, or whose load takes long, as unreachable, if then no followed
    /// rendition can be read; called when tags have been missing for too long.
    ///
    /// - Parameter age: The seconds that a load may take.
    /// - Returns: One of these renditions, the time since which it fails, and the reason as half a sentence; nil if
    ///   loads do not explain that nothing is read.
    mutating func explainSilence(
        after age: Double, at time: SteadyTime
    ) -> (rendition: RenditionID, start: SteadyTime, reason: String)? {
        let before = renditions
        for (id, state) in renditions {
            if state.failureCount > 0 {
                renditions[id]?.failureCount = max(state.failureCount, Self.unreachableCount)
            }
            if let start = state.loadStart, time - start >= age { renditions[id]?.isUnanswered = true }
        }
        advance(to: time)
        let failing = renditions.filter(\.value.isUnreachable)
        if isBlocked, let (id, state) = failing.min(by: { $0.key < $1.key }) {
            return (id, state.loadStart ?? state.time, failureText(at: time))
        }
        renditions = before
        advance(to: time)
        return nil
    }

    /// Records a load and returns its new violations.
    ///
    /// A violation that continues unchanged is returned as `notRun`.
    mutating func observe(
        _ outcome: PlaylistLoadOutcome, rendition: RenditionID, policy: HealthPolicy, at time: SteadyTime
    ) -> (playlistHTTP: CheckResult, drift: CheckResult) {
        makeRoom(for: rendition)
        var state = renditions[rendition] ?? Rendition(time: time)
        state.time = time
        if state.isUnanswered { state.failureCount = max(state.failureCount, Self.unreachableCount - 1) }
        state.loadStart = nil
        state.isUnanswered = false
        var http = CheckResult.pass
        switch outcome {
        case .changed(let edge):
            state.failureCount = 0
            state.failure = nil
            state.staleSince = nil
            state.hasEnded = false
            state.targetDuration = edge.targetDuration ?? state.targetDuration
            state.lag = edge.endDate.map { time.seconds - $0.unixSeconds }
        case .unchanged:
            state.failureCount = 0
            state.failure = nil
        case .failed where state.hasEnded:
            // The end has its own finding, and a server may remove the playlist of a stream that has ended.
            http = .notRun
        case .failed(let failure):
            state.failureCount += 1
            http = PlaylistHTTP.check(failure)
            // An outage is reported for its first failures, and later only when the cause changes.
            if state.failureCount > Self.unreachableCount, state.failure == failure { http = .notRun }
            state.failure = failure
        }
        renditions[rendition] = state
        let wasDrifting = isDrifting
        let drift = drift(policy: policy, at: time)
        isDrifting = drift.isViolation
        advance(to: time)
        return (http, wasDrifting && isDrifting ? .notRun : drift)
    }

    /// Marks a rendition as stale, because its playlist last changed at `start`.
    mutating func markStale(rendition: RenditionID, since start: SteadyTime, at time: SteadyTime) {
        if renditions[rendition]?.isStale == false { renditions[rendition]?.staleSince = start }
        advance(to: time)
    }

    /// Forgets the rendition that was loaded least recently if another one has no room.
    private mutating func makeRoom(for rendition: RenditionID) {
        guard renditions[rendition] == nil, renditions.count >= Self.capacity,
            let oldest = renditions.min(by: { $0.value.time < $1.value.time })?.key
        else { return }
        renditions[oldest] = nil
    }

    /// Marks a rendition as ended, and returns whether it was not marked before.
    mutating func markEnded(rendition: RenditionID, at time: SteadyTime) -> Bool {
        makeRoom(for: rendition)
        var state = renditions[rendition] ?? Rendition(time: time)
        let isNew = !state.hasEnded
        state.hasEnded = true
        state.staleSince = nil
        state.failureCount = 0
        state.failure = nil
        // A playlist that has ended falls behind those that continue, which is not a drift.
        state.lag = nil
        renditions[rendition] = state
        advance(to: time)
        return isNew
    }

    /// Forgets the renditions of a source that are no longer followed.
    mutating func follow(_ followed: [RenditionID], of source: RenditionID.Source) {
        renditions = renditions.filter { $0.key.source != source || followed.contains($0.key) }
    }

    /// Updates the flags after dropping renditions that are no longer followed.
    mutating func advance(to time: SteadyTime) {
        let states = followed(at: time)
        let areOut = !states.isEmpty && states.allSatisfy { $0.isUnreachable || $0.hasEnded }
        isOver = areOut && states.contains(where: \.hasEnded)
        if isOver {
            let primary = followed(at: time, of: .primary)
            isOver = primary.isEmpty || primary.contains(where: \.hasEnded)
        }
        isUnreachable = areOut && !isOver
        hasEnded = states.contains(where: \.hasEnded)
        isBlocked =
            !states.isEmpty && states.allSatisfy { $0.isUnreachable || $0.isStale || $0.hasEnded }
        isFailing = states.contains { $0.failureCount > 0 || $0.isUnanswered }
        staleSince = states.compactMap(\.staleSince).min()
    }

    /// Returns the renditions that are followed at a time, of one source or of both; those that have ended are loaded
    /// less often.
    private func followed(at time: SteadyTime, of source: RenditionID.Source? = nil) -> [Rendition] {
        renditions.compactMap { id, state in
            if let source, id.source != source { return nil }
            let limit = max(
                Self.followedTime, (state.targetDuration ?? 0) * Self.followedTargetDurations)
            return state.hasEnded || state.loadStart != nil || time - state.time <= limit ? state : nil
        }
    }

    private func drift(policy: HealthPolicy, at time: SteadyTime) -> CheckResult {
        let followed = followed(at: time)
        let lags = followed.compactMap(\.lag)
        guard lags.count > 1, let slowest = lags.max(), let fastest = lags.min(),
            let targetDuration = followed.compactMap(\.targetDuration).max()
        else { return .notRun }
        return PlaylistVariantDrift.check(
            behind: slowest, and: fastest, targetDuration: targetDuration, by: policy)
    }
}

extension PlaylistEvent {
    /// The segment of the event; nil for an event of the whole playlist.
    var mediaSequence: Int? {
        switch self {
        case .stale: nil
        case .sequenceGap(_, let found), .sequenceBack(_, let found): found
        case .discontinuitySequence(let mediaSequence, _, _), .segmentTooLong(let mediaSequence, _, _),
            .dateJump(let mediaSequence, _), .segmentReplaced(let mediaSequence, _, _):
            mediaSequence
        }
    }
}
