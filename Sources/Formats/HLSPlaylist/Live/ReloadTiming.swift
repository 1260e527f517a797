/// The reload schedule of a live playlist (RFC 8216, 6.3.4), and the time since its last new segment.
struct ReloadTiming: Sendable, Hashable {
    /// The target duration assumed before the first playlist is loaded.
    private static let assumedTargetSeconds = 6

    /// The maximum target duration, and thus the maximum delay between loads.
    private static let maximumTargetSeconds = 3_600

    /// The target duration of the last loaded playlist.
    private(set) var targetDuration = Duration.seconds(assumedTargetSeconds)

    /// The maximum delay between loads: the target duration, or less if segments leave the playlist before it passes.
    private var interval = Duration.seconds(assumedTargetSeconds)

    /// The number of consecutive failed loads.
    private var failureCount = 0

    /// The delays between loads of a complete playlist, and the time after which the longer one applies.
    private static let delayAfterEnd = Duration.seconds(30)
    private static let longDelayAfterEnd = Duration.seconds(300)
    private static let frequentReloadTime = Duration.seconds(3_600)

    /// The time of the first of successive loads that returned a complete playlist.
    private var endTime: Duration?

    /// The time without a new segment after which the playlist is reported as stale.
    private let staleLimit: StaleLimit

    /// Creates the schedule of a playlist that has not been loaded yet.
    init(staleLimit: StaleLimit = StaleLimit()) { self.staleLimit = staleLimit }

    /// The end of the load that returned the newest segment, or the start of the first load.
    private var lastProgress: Duration?

    private var isStaleTold = false

    /// Sets the target duration to that of the playlist, or to the duration of its longest segment.
    ///
    /// A server lists at least three target durations (RFC 8216, 6.2.2). If it lists less than one, segments leave the
    /// playlist before the target duration passes: the playlist is then loaded twice in the time that it lists.
    mutating func setTargetDuration(of playlist: MediaPlaylist) {
        let longest = playlist.segments.lazy.map(\.duration).max().map { Int($0.rounded(.up)) }
        guard let seconds = playlist.targetDuration ?? longest else { return }
        targetDuration = .seconds(min(max(1, seconds), Self.maximumTargetSeconds))
        let listed = playlist.segments.reduce(0) { $0 + $1.duration }
        interval = targetDuration
        if listed > 0, listed < targetDuration / .seconds(1) {
            interval = min(targetDuration, max(.seconds(1), .seconds(listed / 2)))
        }
    }

    /// Returns the delay after a successful load: the interval, or half of it if nothing changed.
    mutating func delay(isChanged: Bool) -> Duration {
        failureCount = 0
        return isChanged ? interval : interval / 2
    }

    /// Returns the delay after a failed load: a quarter of the interval, doubled with each failure.
    ///
    /// The delay never exceeds the interval, so that segments are not removed before they are listed. Jitter
    /// reduces it by up to half.
    mutating func delayAfterFailure(jitter: Double) -> Duration {
        failureCount += 1
        let base = min(interval / 4 * (1 << min(failureCount - 1, 2)), interval)
        return base * (0.5 + 0.5 * min(max(0, jitter), 1))
    }

    /// Returns the delay while the playlist is complete: 30 s, or 5 minutes once it has been complete for an hour.
    ///
    /// A packager that is restarted completes its playlist first. Jitter spreads the delay from three to five quarters.
    mutating func delayAfterEnd(at time: Duration, jitter: Double) -> Duration {
        failureCount = 0
        let since = endTime ?? time
        endTime = since
        let delay = time - since < Self.frequentReloadTime ? Self.delayAfterEnd : Self.longDelayAfterEnd
        return delay * (0.75 + 0.5 * min(max(0, jitter), 1))
    }

    /// Records that the playlist is not complete.
    mutating func observeLive() { endTime = nil }

    /// Records that a load returned a new segment.
    mutating func progress(at time: Duration) {
        lastProgress = time
        isStaleTold = false
    }

    /// Returns the time since the last new segment if it is too long and was not reported yet.
    mutating func staleness(at time: Duration) -> Duration? {
        guard let lastProgress else {
            self.lastProgress = time
            return nil
        }
        guard !isStaleTold, time - lastProgress > staleLimit.duration(of: targetDuration) else { return nil }
        isStaleTold = true
        return time - lastProgress
    }

    /// Returns whether a server that adds segments on time would have added one by now (RFC 8216, 6.2.2).
    func isLate(_ elapsed: Duration) -> Bool { elapsed > targetDuration * 3 / 2 }
}

/// The time without a new segment after which a live playlist is stale: the longer of two times.
package struct StaleLimit: Sendable, Hashable {
    /// The number of target durations; a server adds a segment within one and a half (RFC 8216, 6.2.2).
    package var targetDurations = 1.5
    /// The minimum time, whatever the target duration.
    package var minimum = Duration.zero

    /// Creates the limit of the standard.
    package init() {}

    /// Returns the limit for a target duration.
    package func duration(of targetDuration: Duration) -> Duration {
        max(minimum, targetDuration * targetDurations)
    }
}
