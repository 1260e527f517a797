package import HLSInput
package import HostSystem
package import StreamHealth
package import TagDelivery
package import TagStore

/// The services that all channels of a monitor share.
package struct MonitorServices: Sendable {
    /// Fetches playlists and segments.
    let fetcher: ResourceFetcher
    /// Stores the tags.
    let buffer: TagBuffer
    /// The clock.
    let clock: any HostClock
    /// Whether playlists at public addresses may refer to private ones.
    let allowsPrivateAddresses: Bool
    /// The limits of the checks of the monitor itself.
    var policy = HealthPolicy()
    /// The progress of the delivery; nil without a collector.
    var delivery: @Sendable () -> DeliveryProgress? = { nil }
    /// Reports when tags cannot be buffered.
    let bufferHealth: BufferHealth
    /// Stores the periods of the channels.
    let periods: PeriodStore
    /// The durations of fetches.
    let fetchTimes = FetchTimes()
    /// Reports a one-line message about the monitor itself.
    let note: @Sendable (String) -> Void

    /// Creates the services of a monitor.
    ///
    /// - Parameters:
    ///   - policy: The limits of the checks of the monitor itself.
    ///   - delivery: Returns the progress of the delivery; nil without a collector.
    ///   - note: Called with each problem of the monitor itself, from any thread.
    package init(
        fetcher: ResourceFetcher, buffer: TagBuffer, clock: any HostClock = .system,
        allowsPrivateAddresses: Bool = false, policy: HealthPolicy = HealthPolicy(),
        delivery: @escaping @Sendable () -> DeliveryProgress? = { nil },
        note: @escaping @Sendable (String) -> Void
    ) {
        self.fetcher = fetcher
        self.buffer = buffer
        self.clock = clock
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.policy = policy
        self.delivery = delivery
        self.note = note
        bufferHealth = BufferHealth(note: note)
        periods = PeriodStore(in: buffer, isWanted: { delivery()?.wantsPeriods ?? false }, note: note)
    }
}

/// Reports once when tags can no longer be buffered, and once when they can again.
final class BufferHealth: Sendable {
    private let problem: ProblemLatch

    init(note: @escaping @Sendable (String) -> Void) {
        problem = ProblemLatch(end: "tags are stored again", note: note)
    }

    /// The reason why tags are not stored on the disk; nil if they are.
    var current: String? { problem.current }

    func observe(_ outcome: TagIngest.Outcome) {
        if outcome.refusedCount > 0 {
            problem.set("the buffer is full: new tags are lost")
        } else if outcome.volatileCount > 0 {
            problem.set("the disk is full or read-only: tags are in memory only")
        } else if outcome.acceptedCount > 0 {
            problem.set(nil)
        }
    }

    func observe(_ error: StoreError) { problem.set("tags are not stored: \(error)") }
}
