import HTTPTransfer
import HostSystem
internal import Synchronization

/// The limit on a channel's requests beyond the reloads of RFC 8216, 6.3.4, and one load of each listed segment, key
/// and map: searches, retries and openings make at most two requests a second to a host.
///
/// Requests take the next free time of their host, in the order of their calls.
final class RequestPace: Sendable {
    /// The minimum time between two requests to a host.
    static let interval = Duration.milliseconds(500)
    /// The maximum number of hosts; the one that is free for the longest time is forgotten first.
    private static let maximumHostCount = 64

    private let clock: any HostClock
    private let state = Mutex<[HTTPOrigin: Duration]>([:])

    init(clock: any HostClock) { self.clock = clock }

    /// Waits for the next free time of an address's host, or until the task is cancelled.
    func wait(for url: String) async {
        let delay = state.withLock { free -> Duration in
            let now = clock.sinceBoot
            let time = Self.take(url, at: now, in: &free) { _ in true }
            return (time ?? now) - now
        }
        guard delay > .zero else { return }
        do throws(CancellationError) {
            try await clock.sleep(for: delay)
        } catch {
            // The request that follows ends with the task.
        }
    }

    /// Takes the present time of an address's host if that is free; returns the time to wait otherwise.
    func claim(_ url: String) -> Duration {
        state.withLock { free in
            let now = clock.sinceBoot
            var wait = Duration.zero
            _ = Self.take(url, at: now, in: &free) { time in
                wait = time - now
                return wait == .zero
            }
            return wait
        }
    }

    /// Takes the next free time of an address's host if it is accepted.
    private static func take(
        _ url: String, at now: Duration, in free: inout [HTTPOrigin: Duration],
        if isAccepted: (Duration) -> Bool
    ) -> Duration? {
        guard let origin = HTTPOrigin(url) else { return nil }
        let time = max(now, free[origin] ?? now)
        guard isAccepted(time) else { return nil }
        if free[origin] == nil, free.count >= maximumHostCount,
            let oldest = free.min(by: { $0.value < $1.value })?.key
        {
            free[oldest] = nil
        }
        free[origin] = time + interval
        return time
    }
}
