import NielsenID3

/// How the playlists of a live channel are delivered, rendition by rendition.
struct ChannelDelivery: Sendable {
    /// How many loads in a row must fail for a rendition to be unreachable.
    private static let unreachableCount = 2
    /// How many seconds after its last load a rendition is no longer followed, and in target durations.
    private static let followedTime = 60.0
    private static let followedTargetDurations = 4.0
    /// How many renditions are remembered at most.
    private static let capacity = 64

    private var renditions: [Int: Rendition] = [:]

    private struct Rendition: Sendable {
        /// When it was loaded last, in Unix seconds, whether that failed or not.
        var time: Double
        var failureCount = 0
        var failure: FetchFailure?
        var isStale = false
        var targetDuration: Double?
        /// How far its end was behind the wall clock when it changed last, in seconds.
        var lag: Double?
    }

    /// Whether no rendition that is followed can be loaded.
    private(set) var isUnreachable = false
    /// Whether the last load of a rendition that is followed failed.
    private(set) var isFailing = false
    /// Whether a rendition that is followed stands still.
    private(set) var isStale = false
    /// Whether a rendition that is followed is behind another.
    private(set) var isDrifting = false

    /// Why the channel is unreachable, as half a sentence.
    var failureText: String { renditions.values.lazy.compactMap(\.failure).first?.text ?? "failed" }

    /// Takes a load; gives what it violates for the first time, or in another way than the one before.
    mutating func observe(
        _ outcome: PlaylistLoadOutcome, rendition: Int, policy: HealthPolicy, at time: Double
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
            state.lag = edge.endDate.map { time - $0 }
        case .unchanged:
            state.failureCount = 0
            state.failure = nil
        case .failed(let failure):
            state.failureCount += 1
            http = PlaylistHTTP.check(failure)
            // An outage is told with its first failures; after that only where the cause is another one.
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

    /// Notes that a rendition stands still.
    mutating func markStale(rendition: Int, at time: Double) {
        renditions[rendition]?.isStale = true
        advance(to: time)
    }

    /// Leaves out the renditions that are not followed any more.
    mutating func advance(to time: Double) {
        let followed = followed(at: time)
        isUnreachable =
            !followed.isEmpty && followed.allSatisfy { $0.failureCount >= Self.unreachableCount }
        isFailing = followed.contains { $0.failureCount > 0 }
        isStale = followed.contains(where: \.isStale)
    }

    private func followed(at time: Double) -> [Rendition] {
        renditions.values.filter { state in
            let limit = max(
                Self.followedTime, (state.targetDuration ?? 0) * Self.followedTargetDurations)
            return time - state.time <= limit
        }
    }

    private func drift(policy: HealthPolicy, at time: Double) -> CheckResult {
        let followed = followed(at: time)
        let lags = followed.compactMap(\.lag)
        guard lags.count > 1, let slowest = lags.max(), let fastest = lags.min(),
            let targetDuration = followed.compactMap(\.targetDuration).max()
        else { return .notRun }
        return PlaylistVariantDrift.check(
            behind: slowest, and: fastest, targetDuration: targetDuration, by: policy)
    }
}
