import HostSystem
import Synchronization

/// A clock that follows a log: it stops at the time of the current line, and never runs back.
final class ReplayClock: HostClock {
    private let start: Int64
    private let elapsed = Mutex(Duration.zero)

    /// Creates a clock at the start of a log, which starts now by the system clock.
    init() { start = SystemClock().unixMilliseconds }

    /// Advances to a time of the log in seconds, and returns the step.
    @discardableResult
    func move(to seconds: Double) -> Duration {
        // Longer than any log, and far from any overflow.
        let time = Duration.seconds(min(max(0, seconds), 1e10))
        return elapsed.withLock { elapsed in
            let step = max(.zero, time - elapsed)
            elapsed += step
            return step
        }
    }

    var unixMilliseconds: Int64 { start + Int64(sinceBoot / .milliseconds(1)) }
    var sinceBoot: Duration { elapsed.withLock { $0 } }
    var bootID: String { "replay" }
    var isSynchronized: Bool? { true }

    /// Waits by the system clock, because sessions wait for the disk or the network.
    func sleep(for duration: Duration) async throws(CancellationError) {
        try await SystemClock().sleep(for: duration)
    }
}
