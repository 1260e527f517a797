import HLSPlaylist
import NielsenID3
import TimedMedia

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
        var isStale = false
        var targetDuration: Double?
        /// The distance from the playlist's end to the current time when the playlist last changed, in seconds.
        ///
        /// It is measured by the steady clock: setting the wall clock between two loads is not a drift.
        var lag: Double?
    }

    /// Whether every followed rendition fails to load.
    private(set) var isUnreachable = false
    /// Whether no followed rendition lists new segments: each fails to load or is stale.
    private(set) var isBlocked = false
    /// Whether the last load of any followed rendition failed.
    private(set) var isFailing = false
    /// Whether the playlist of any followed rendition is stale.
    private(set) var isStale = false
    /// Whether a followed rendition is behind another.
    private(set) var isDrifting = false

    /// The reason why the channel is unreachable, as half a sentence.
    var failureText: String { renditions.values.lazy.compactMap(\.failure).first?.text ?? "failed" }

    /// Records a load and returns its new violations.
    ///
    /// A violation that continues unchanged is returned as `notRun`.
    mutating func observe(
        _ outcome: PlaylistLoadOutcome, rendition: RenditionID, policy: HealthPolicy, at time: SteadyTime
    ) -> (playlistHTTP: CheckResult, drift: CheckResult) {
        if renditions[rendition] == nil, renditions.count >= Self.capacity,
            let oldest = renditions.min(by: { $0.value.time < $1.value.time })?.key
        {
            renditions[oldest] = nil
        }
        var state = renditions[rendition] ?? Rendition(time: time)
        state.time = time
        var http = CheckResult.pass
        switch outcome {
        case .changed(let edge):
            state.failureCount = 0
            state.failure = nil
            state.isStale = false
            state.targetDuration = edge.targetDuration ?? state.targetDuration
            state.lag = edge.endDate.map { time.seconds - $0.unixSeconds }
        case .unchanged:
            state.failureCount = 0
            state.failure = nil
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

    /// Marks a rendition as stale.
    mutating func markStale(rendition: RenditionID, at time: SteadyTime) {
        renditions[rendition]?.isStale = true
        advance(to: time)
    }

    /// Updates the flags after dropping renditions that are no longer followed.
    mutating func advance(to time: SteadyTime) {
        let followed = followed(at: time)
        isUnreachable =
            !followed.isEmpty && followed.allSatisfy { $0.failureCount >= Self.unreachableCount }
        isBlocked =
            !followed.isEmpty
            && followed.allSatisfy { $0.failureCount >= Self.unreachableCount || $0.isStale }
        isFailing = followed.contains { $0.failureCount > 0 }
        isStale = followed.contains(where: \.isStale)
    }

    private func followed(at time: SteadyTime) -> [Rendition] {
        renditions.values.filter { state in
            let limit = max(
                Self.followedTime, (state.targetDuration ?? 0) * Self.followedTargetDurations)
            return time - state.time <= limit
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
