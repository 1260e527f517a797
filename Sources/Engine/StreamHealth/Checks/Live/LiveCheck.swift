import HLSPlaylist

/// A check of the delivery of a live channel.
///
/// It has a row in the monitor but not in a verdict on recorded input.
protocol LiveCheck: HealthCheck {}

/// A check of the changes in a live playlist from one load to the next.
protocol PlaylistEventCheck: LiveCheck {
    /// Checks an event; not run for an unrelated event.
    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult
}
