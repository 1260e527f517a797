import Glibc

/// The time as the uploader knows it, and the way it waits.
package protocol DeliveryClock: Sendable {
    /// Milliseconds of Unix time.
    var wallMilliseconds: Int64 { get }
    /// Waits so long; throws when the task is cancelled.
    func sleep(milliseconds: Int64) async throws
}

/// The clock of the machine.
package struct SystemDeliveryClock: DeliveryClock {
    /// The clock of the machine.
    package init() {}

    /// `CLOCK_REALTIME`.
    package var wallMilliseconds: Int64 {
        var time = timespec()
        // Writes to its own argument only; the clock always exists.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Waits by the time that runs while the machine is awake.
    package func sleep(milliseconds: Int64) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}
