import HostSystem
import ID3v2
import StreamHealth

/// The health of a channel, with the status that follows from it.
struct ChannelRecord: Sendable {
    var health: ChannelHealth
    var status: ChannelStatus
    /// Whether another runner has taken over the channel, so that late results are ignored.
    var isRetired = false
    private let scope: Alert.Scope

    /// Creates the record of a channel that is followed from a moment.
    ///
    /// - Parameter openAlerts: The alerts that were open when the channel was last followed.
    init(_ settings: ChannelSettings, openAlerts: [Alert] = [], at moment: ClockMoment) {
        var healthSettings = ChannelHealthSettings()
        healthSettings.expectsTagsInBreaks = settings.expectsTagsInBreaks
        healthSettings.quietHours = settings.quiet
        healthSettings.muted.ignored = settings.ignoredChecks
        healthSettings.muted.accepted = settings.acceptedChecks
        healthSettings.minuteOfDay = { SystemClock.minuteOfDay(unixSeconds: $0.unixSeconds) }
        health = ChannelHealth(
            policy: settings.policy, settings: healthSettings, open: openAlerts.map(\.episode), at: moment)
        scope = .channel(settings.id)
        status = ChannelStatus(settings)
        status.observe(health)
    }

    /// Handles the events of the health since the last call, and updates the status.
    ///
    /// - Returns: The events to report, and the changes of alerts that may be published.
    mutating func drain() -> (events: [MonitorEvent.Kind], alerts: [AlertChange]) {
        let (events, alerts) = health.drain()
        for case .finding(let check, let finding) in events { status.observe(check, finding) }
        for change in alerts { status.counters.count(alertOf: change.episode.check) }
        status.observe(health)
        return (events.map(MonitorEvent.Kind.init), alerts.map { AlertChange($0, of: scope) })
    }

    /// The open alerts, oldest first.
    var openAlerts: [Alert] { health.openAlerts.map { Alert($0, of: scope) } }

    /// The current state with its reason.
    var snapshot: ChannelSnapshot {
        var snapshot = status.snapshot
        snapshot.reason = health.reason
        return snapshot
    }
}

extension MonitorEvent.Kind {
    /// Creates the event of a channel.
    fileprivate init(_ event: ChannelEvent) {
        self =
            switch event {
            case .state(let from, let to, let reason): .state(from: from, to: to, reason: reason)
            case .finding(let check, let finding): .finding(check, finding)
            }
    }
}
