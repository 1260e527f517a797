import ID3v2
import NielsenID3

/// Detects that a channel has had no DATA tag for too long, and excludes the time in which none is expected.
struct SilenceWatch: Sendable {
    private var check = PresenceSilent()
    private var lastMove: SteadyTime
    /// The length of the present period in which nothing can be read, in seconds.
    private var blockedTime = 0.0

    /// Returns the reason for the state of a silent channel whose last DATA tag arrived at `time`.
    static func text(since time: WallTime?) -> String {
        time.map { "no DATA tag since \($0.clockText)" } ?? "no DATA tag yet"
    }

    /// Starts to expect tags at `time`; `isSilent` is whether a silence that was reported before still lasts.
    init(at time: SteadyTime, isSilent: Bool = false) {
        lastMove = time
        check.hold(at: time)
        if isSilent { check.resumeSilence() }
    }

    /// Whether the limit has passed since the last DATA tag.
    var isSilent: Bool { check.isSilent }

    /// Records a DATA tag.
    mutating func observeTag(at time: SteadyTime) { check.observe(at: time) }

    /// Forgets a silence, because no tags were expected up to `time`.
    mutating func restart(at time: SteadyTime) { self = SilenceWatch(at: time) }

    /// Begins to measure again, because the time so far has another explanation.
    mutating func hold(at time: SteadyTime) { check.hold(at: time) }

    /// Moves on to `time`, and excludes the time in which tags may be missing; a silence that was reported lasts.
    ///
    /// - Parameters:
    ///   - isExcused: Whether the stream has no tags for a known reason, such as a break. The measurement begins again
    ///     after it.
    ///   - isBlocked: Whether nothing can be read. That time does not count. After as much as the limit, the
    ///     measurement begins again.
    mutating func move(to time: SteadyTime, isExcused: Bool, isBlocked: Bool, policy: HealthPolicy) {
        guard time.isFinite else { return }
        let passed = max(0, time - lastMove)
        lastMove = max(lastMove, time)
        blockedTime = isBlocked ? blockedTime + passed : 0
        guard !isSilent else { return }
        if isExcused || blockedTime >= policy[.silence] {
            check.hold(at: time)
        } else if isBlocked {
            check.exclude(passed)
        }
    }

    /// Returns whether the limit has just passed, so that the next `advance` reports a silence.
    func isDue(at time: SteadyTime, policy: HealthPolicy) -> Bool { check.isDue(at: time, policy: policy) }

    /// Returns the seconds since the last DATA tag, or since tags were expected.
    func age(at time: SteadyTime) -> Double { check.age(at: time) }

    /// Returns the text of a silence that lasts.
    func text(at moment: ClockMoment, policy: HealthPolicy) -> String {
        check.text(at: moment, policy: policy)
    }

    /// Advances the time and checks; one silence is reported once.
    mutating func advance(to moment: ClockMoment, policy: HealthPolicy) -> CheckResult {
        check.advance(to: moment, policy: policy)
    }
}
