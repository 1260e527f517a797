import HLSPlaylist
import NielsenID3
import StreamHealth

/// The rate limits of a channel on resources that all channels share.
struct ChannelUse: Sendable {
    /// The limit on new segments that are read.
    var segments: RateShare
    /// The limit on tags and findings that are reported.
    var lines: RateShare
    /// The limit on alerts that are published.
    var alerts: RateShare
    /// The raised alerts that are not published yet, oldest first; at most one for each check.
    private var waitingAlerts: [ChannelAlert] = []

    /// The limit on events in the first minute, when every segment of the playlist is new.
    private static let initialLineCount = 100_000

    init(_ policy: HealthPolicy) {
        segments = RateShare(
            policy.count(.channelSegments), every: .seconds(60),
            initialCount: PlaylistLimit.segments.maximum)
        lines = RateShare(
            policy.count(.channelLines), every: .seconds(60), initialCount: Self.initialLineCount)
        alerts = RateShare(policy.count(.channelAlerts), every: .seconds(3_600))
    }

    /// Returns the alert changes that may be published now; the other alerts wait until the limit allows them or they
    /// clear.
    ///
    /// The alert about an exceeded limit is always published.
    ///
    /// - Returns: The changes to publish, and whether any alert has to wait.
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
