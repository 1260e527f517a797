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
        /// Whether the playlist is complete, and its last segment was read.
        var hasEnded = false
        var targetDuration: Double?
        /// The distance from the playlist's end to the current time when the playlist last changed, in seconds.
        ///
        /// It is measured by the steady clock: setting the wall clock between two loads is not a drift.
        var lag: Double?

        /// Whether it counts as unreachable.
        var isUnreachable: Bool { failureCount >= unreachableCount }
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
        makeRoom(for: rendition)
        var state = renditions[rendition] ?? Rendition(time: time)
        state.time = time
        var http = CheckResult.pass
        switch outcome {
        case .changed(let edge):
            state.failureCount = 0
            state.failure = nil
            state.isStale = false
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

    /// Marks a rendition as stale.
    mutating func markStale(rendition: RenditionID, at time: SteadyTime) {
        renditions[rendition]?.isStale = true
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
        state.isStale = false
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
        isFailing = states.contains { $0.failureCount > 0 }
        isStale = states.contains(where: \.isStale)
    }

    /// Returns the renditions that are followed at a time, of one source or of both; those that have ended are loaded
    /// less often.
    private func followed(at time: SteadyTime, of source: RenditionID.Source? = nil) -> [Rendition] {
        renditions.compactMap { id, state in
            if let source, id.source != source { return nil }
            let limit = max(
                Self.followedTime, (state.targetDuration ?? 0) * Self.followedTargetDurations)
            return state.hasEnded || time - state.time <= limit ? state : nil
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
