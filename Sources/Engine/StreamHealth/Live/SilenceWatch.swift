import NielsenID3
import TimedMedia

/// Detects that a channel has had no DATA tag for too long, and excludes the time in which none is expected.
struct SilenceWatch: Sendable {
    private var check = PresenceSilent()

    /// Returns the reason for the state of a silent channel whose last DATA tag arrived at `time`.
    static func text(since time: WallTime?) -> String {
        time.map { "no DATA tag since \($0.clockText)" } ?? "no DATA tag yet"
    }

    /// Starts to expect tags at `time`; `isSilent` is whether a silence that was reported before still lasts.
    init(at time: SteadyTime, isSilent: Bool = false) {
        check.hold(at: time)
        if isSilent { check.resumeSilence() }
    }

    /// Whether the limit has passed since the last DATA tag.
    var isSilent: Bool { check.isSilent }

    /// Records a DATA tag.
    mutating func observeTag(at time: SteadyTime) { check.observe(at: time) }

    /// Forgets a silence, because no tags were expected up to `time`.
    mutating func restart(at time: SteadyTime) { self = SilenceWatch(at: time) }

    /// Excludes the time up to `time`, in which tags may be missing; a silence that was reported lasts.
    mutating func excuse(upTo time: SteadyTime) {
        if !isSilent { check.hold(at: time) }
    }

    /// Advances the time and checks; one silence is reported once.
    mutating func advance(to moment: ClockMoment, policy: HealthPolicy) -> CheckResult {
        check.advance(to: moment, policy: policy)
    }
}
