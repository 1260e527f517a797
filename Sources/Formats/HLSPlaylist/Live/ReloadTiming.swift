/// When a live playlist is loaded again (RFC 8216, 6.3.4), and since when it brings nothing new.
struct ReloadTiming: Sendable, Hashable {
    /// Where no playlist has come yet that says it.
    private static let assumedTargetSeconds = 6

    /// A playlist that is not loaded for longer than this is not followed.
    private static let maximumTargetSeconds = 3_600

    /// The target duration of the playlist that was loaded last.
    private(set) var targetDuration = Duration.seconds(assumedTargetSeconds)

    /// How many loads have failed in a row.
    private var failureCount = 0

    /// When the load began that brought the newest segment, or the first load of all.
    private var lastProgress: Duration?

    private var isStaleTold = false

    /// Takes the target duration that a playlist states, or one that fits its segments.
    mutating func setTargetDuration(of playlist: MediaPlaylist) {
        let longest = playlist.segments.lazy.map(\.duration).max().map { Int($0.rounded(.up)) }
        guard let seconds = playlist.targetDuration ?? longest else { return }
        targetDuration = .seconds(min(max(1, seconds), Self.maximumTargetSeconds))
    }

    /// The wait after a load that succeeded: the target duration, half of it where nothing has changed.
    mutating func delay(isChanged: Bool) -> Duration {
        failureCount = 0
        return isChanged ? targetDuration : targetDuration / 2
    }

    /// The wait after a load that failed: a quarter of the target duration, doubled each time, and never more than the
    /// target duration, or segments would leave the window before they were seen; up to half of it is cut at random.
    mutating func delayAfterFailure(jitter: Double) -> Duration {
        failureCount += 1
        let base = min(targetDuration / 4 * (1 << min(failureCount - 1, 2)), targetDuration)
        return base * (0.5 + 0.5 * min(max(0, jitter), 1))
    }

    /// Notes that a load brought a segment.
    mutating func progress(at time: Duration) {
        lastProgress = time
        isStaleTold = false
    }

    /// For how long nothing new has come, where that is too long and was not told yet.
    mutating func staleness(at time: Duration) -> Duration? {
        guard let lastProgress else {
            self.lastProgress = time
            return nil
        }
        guard !isStaleTold, isLate(time - lastProgress) else { return nil }
        isStaleTold = true
        return time - lastProgress
    }

    /// Whether a server that adds segments in time would have added one (RFC 8216, 6.2.2).
    func isLate(_ elapsed: Duration) -> Bool { elapsed > targetDuration * 3 / 2 }
}
