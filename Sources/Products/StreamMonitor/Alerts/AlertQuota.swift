import StreamHealth

/// The third stage: limits the alerts of one channel per hour.
///
/// An alert beyond the limit waits until the limit allows it or it is cleared. The alert about an exceeded limit always
/// passes.
struct AlertQuota: Sendable {
    private var share: RateShare
    /// The raised alerts that wait, oldest first; at most one for each check.
    private var waiting: [Alert] = []

    /// Creates the quota that a channel's limits state.
    init(_ policy: HealthPolicy) { share = RateShare(policy.count(.channelAlerts), every: .seconds(3_600)) }

    /// Returns the changes that may be published now, and whether any alert has to wait.
    mutating func pass(
        _ changes: [AlertChange], at time: Duration
    ) -> (changes: [AlertChange], isExceeded: Bool) {
        var passed: [AlertChange] = []
        var isExceeded = false
        for change in changes {
            switch change {
            case .cleared(let alert):
                if let index = waiting.firstIndex(where: { $0.id == alert.id }) {
                    waiting.remove(at: index)
                } else {
                    passed.append(change)
                }
            case .raised(let alert) where alert.check == .channelOverLimit || share.claim(1, at: time) == 1:
                passed.append(change)
            case .raised(let alert):
                waiting.append(alert)
                isExceeded = true
            }
        }
        while let alert = waiting.first, share.claim(1, at: time) == 1 {
            waiting.removeFirst()
            passed.append(.raised(alert))
        }
        return (passed, isExceeded)
    }
}
