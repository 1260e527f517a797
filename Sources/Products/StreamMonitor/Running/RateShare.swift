import HLSPlaylist
import NielsenID3
import StreamHealth

/// A rate limit: at most `count` items per period, in a burst if necessary, with a higher limit for the first period.
struct RateShare: Sendable {
    /// The number of items per period.
    let count: Int
    private let period: Duration
    private var available: Double
    private var last: Duration?
    private var firstPeriodEnd: Duration?

    /// Creates a rate limit.
    ///
    /// - Parameter initialCount: The number of items in the first period, if it exceeds `count`.
    init(_ count: Int, every period: Duration, initialCount: Int = 0) {
        self.count = count
        self.period = period
        available = Double(max(count, initialCount))
    }

    /// Takes as many of the `wanted` items as the limit allows.
    ///
    /// - Parameter time: The time by a monotonic clock.
    /// - Returns: The number of items taken.
    mutating func take(_ wanted: Int, at time: Duration) -> Int {
        let elapsed = last.map { max(.zero, time - $0) } ?? .zero
        last = time
        let end = firstPeriodEnd ?? time + period
        firstPeriodEnd = end
        let most = time < end ? max(available, Double(count)) : Double(count)
        available = min(most, available + Double(count) * (elapsed / period))
        let taken = min(wanted, Int(available))
        available -= Double(taken)
        return taken
    }
}

/// The rate limits of a channel on resources that all channels share.
struct ChannelUse: Sendable {
    /// The limit on new segments that are read.
    var segments: RateShare
    /// The limit on tags and findings that are reported.
    var lines: RateShare

    /// The limit on events in the first minute, when every segment of the playlist is new.
    private static let initialLineCount = 100_000

    init(_ policy: HealthPolicy) {
        segments = RateShare(
            policy.count(.channelSegments), every: .seconds(60),
            initialCount: PlaylistLimit.segments.maximum)
        lines = RateShare(
            policy.count(.channelLines), every: .seconds(60), initialCount: Self.initialLineCount)
    }
}
