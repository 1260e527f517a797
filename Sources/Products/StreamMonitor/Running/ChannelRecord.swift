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
    /// - Parameter memory: The episodes that were open, and the findings known, when the channel was last followed.
    init(
        _ settings: ChannelSettings, memory: (open: [Episode], findings: [FindingGroup]) = ([], []),
        at moment: ClockMoment
    ) {
        var healthSettings = ChannelHealthSettings()
        healthSettings.expectsTagsInBreaks = settings.expectsTagsInBreaks
        healthSettings.hasBackup = settings.backup != nil
        healthSettings.quietHours = settings.quiet
        healthSettings.muted.ignored = settings.ignoredChecks
        healthSettings.muted.accepted = settings.acceptedChecks
        healthSettings.minuteOfDay = { SystemClock.minuteOfDay(unixSeconds: $0.unixSeconds) }
        health = ChannelHealth(
            policy: settings.policy, settings: healthSettings, open: memory.open, findings: memory.findings,
            at: moment)
        // Until the monitor has compared its clock with the tags of all channels.
        health.expect(.monitorClock, true)
        scope = .channel(settings.id)
        status = ChannelStatus(settings)
        status.observe(health)
    }

    /// Handles the events of the health since the last call, and updates the status.
    ///
    /// - Returns: The events to report, the notes to write, and the changes of alerts that may be published.
    mutating func drain() -> (events: [MonitorEvent.Kind], notes: [String], alerts: [AlertChange]) {
        let (events, alerts) = health.drain()
        for case .finding(let check, let finding) in events { status.observe(check, finding) }
        for change in alerts { status.counters.count(alertOf: change.check) }
        status.observe(health)
        return (
            events.compactMap(MonitorEvent.Kind.init), events.compactMap(\.note),
            alerts.map { AlertChange($0, of: scope) }
        )
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
    /// Creates the event of a channel; nil for one that is a note.
    fileprivate init?(_ event: ChannelEvent) {
        switch event {
        case .state(let from, let to, let reason): self = .state(from: from, to: to, reason: reason)
        case .finding(let check, let finding): self = .finding(check, finding)
        case .backup: return nil
        }
    }
}

extension ChannelEvent {
    /// The note about the event; nil for one that is reported otherwise.
    fileprivate var note: String? {
        guard case .backup(let use) = self else { return nil }
        return use ?? "on the primary again"
    }
}
