import HostSystem
import Synchronization

/// The clock of a log: it stands where the line is, and never runs back.
package final class ReplayClock: HostClock {
    private let start: Int64
    private let elapsed = Mutex(Duration.zero)

    /// A clock at the start of a log, which begins now by the machine's clock.
    package init() { start = SystemClock().unixMilliseconds }

    /// Goes to a time of the log in seconds, and says how far that was.
    @discardableResult
    package func move(to seconds: Double) -> Duration {
        // Longer than any log, and far from any overflow.
        let time = Duration.seconds(min(max(0, seconds), 1e10))
        return elapsed.withLock { elapsed in
            let step = max(.zero, time - elapsed)
            elapsed += step
            return step
        }
    }

    package var unixMilliseconds: Int64 { start + Int64(sinceBoot / .milliseconds(1)) }
    package var sinceBoot: Duration { elapsed.withLock { $0 } }
    package var bootID: String { "replay" }
    package var isSynchronized: Bool { true }

    /// Waits by the machine's clock: what waits is the disk or the network.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        try await SystemClock().sleep(for: duration)
    }
}
