import HLSPlaylist

/// A check of how a live channel is delivered: it has a row in the monitor, and in no verdict on recorded input.
protocol LiveCheck: HealthCheck {}

/// A check of what a live playlist does from one load to the next.
protocol PlaylistEventCheck: LiveCheck {
    /// Checks an event; not run on those that say nothing about it.
    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult
}
