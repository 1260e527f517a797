import HLSPlaylist
import NielsenID3
import StreamHealth

/// What a channel uses of what all channels of a monitor use together, where that is counted by time.
struct ChannelUse: Sendable {
    /// New segments that are read.
    var segments: RateShare
    /// Tags and findings that are told.
    var lines: RateShare
    /// Alerts that are told.
    var alerts: RateShare
    /// Alerts that were raised and not told yet, the oldest first; one of each check at most.
    private var waitingAlerts: [ChannelAlert] = []

    /// How many events may be told at first, of all that a playlist lists that was never loaded before.
    private static let initialLineCount = 100_000

    init(_ policy: HealthPolicy) {
        segments = RateShare(
            policy.count(.channelSegments), every: .seconds(60),
            initialCount: PlaylistLimit.segments.maximum)
        lines = RateShare(
            policy.count(.channelLines), every: .seconds(60), initialCount: Self.initialLineCount)
        alerts = RateShare(policy.count(.channelAlerts), every: .seconds(3_600))
    }

    /// The alerts of some that may be told at a time: those that do not fit wait until they do, or are over.
    ///
    /// The alert that says that a share is exceeded is told always.
    ///
    /// - Returns: and whether any had to wait.
    mutating func told(
        _ changes: [(action: ChannelAlert.Action, alert: ChannelAlert)], at time: Duration
    ) -> (changes: [(action: ChannelAlert.Action, alert: ChannelAlert)], hasExceeded: Bool) {
        var told: [(action: ChannelAlert.Action, alert: ChannelAlert)] = []
        var hasExceeded = false
        for (action, alert) in changes {
            switch action {
            case .clear:
                if let index = waitingAlerts.firstIndex(where: { $0.id == alert.id }) {
                    waitingAlerts.remove(at: index)
                } else {
                    told.append((action, alert))
                }
            case .raise where alert.check == .channelOverLimit || alerts.take(1, at: time) == 1:
                told.append((action, alert))
            case .raise:
                waitingAlerts.append(alert)
                hasExceeded = true
            }
        }
        while let alert = waitingAlerts.first, alerts.take(1, at: time) == 1 {
            waitingAlerts.removeFirst()
            told.append((.raise, alert))
        }
        return (told, hasExceeded)
    }
}
