import HostSystem
import StreamHealth
import TimedMedia

/// The health of a channel, with the alerts and the status that follow from it.
struct ChannelRecord: Sendable {
    var health: ChannelHealth
    var status: ChannelStatus
    /// The rules that raise and clear the channel's alerts.
    private var rules: AlertRules
    private var damping: AlertDamping
    private var quota: AlertQuota
    /// Whether another runner has taken over the channel, so that late results are ignored.
    var isRetired = false

    /// Creates the record of a channel that is followed from `time`.
    ///
    /// - Parameter openAlerts: The alerts that were open when the channel was last followed.
    init(_ settings: ChannelSettings, openAlerts: [Alert] = [], at time: SteadyTime) {
        var healthSettings = ChannelHealthSettings()
        healthSettings.expectsTagsInBreaks = settings.expectsTagsInBreaks
        healthSettings.quietHours = settings.quiet
        healthSettings.muted.ignored = settings.ignoredChecks
        healthSettings.muted.accepted = settings.acceptedChecks
        healthSettings.minuteOfDay = { LocalTime.minuteOfDay(unixSeconds: $0.unixSeconds) }
        health = ChannelHealth(
            policy: settings.policy, settings: healthSettings,
            violations: openAlerts.map {
                ChannelViolation(check: $0.check, severity: $0.severity, detail: $0.detail)
            }, at: time)
        rules = AlertRules(
            channel: settings.id, settings: AlertRules.Settings(settings.policy), open: openAlerts, at: time)
        damping = AlertDamping(settings.policy, open: openAlerts)
        quota = AlertQuota(settings.policy)
        status = ChannelStatus(settings)
        status.observe(health, openAlertCount: damping.openCount)
    }

    /// Handles the events of the health since the last call, and updates the status.
    ///
    /// - Returns: The events to report, and the changes of alerts that may be published.
    mutating func drainEvents(at time: Duration) -> (events: [MonitorEvent.Kind], alerts: [AlertChange]) {
        let drained = takeEvents()
        var (events, passed) = (drained.events, quota.pass(drained.alerts, at: time))
        if passed.isExceeded {
            health.observe(
                .share(.alerts, maximum: health.policy.count(.channelAlerts)), at: health.now)
            let more = takeEvents()
            events += more.events
            passed.changes += quota.pass(more.alerts, at: time).changes
        }
        return (events, passed.changes)
    }

    /// The open alerts, oldest first.
    var openAlerts: [Alert] { damping.openAlerts }

    private mutating func damp(_ changes: [AlertChange], isFinal: Bool) -> [AlertChange] {
        damping.pass(changes, at: health.now, areFinal: isFinal)
    }

    private mutating func takeEvents() -> (events: [MonitorEvent.Kind], alerts: [AlertChange]) {
        var events: [MonitorEvent.Kind] = []
        var alerts: [AlertChange] = []
        for event in health.drainEvents() {
            switch event {
            case .state(let from, let to, let reason):
                status.snapshot.reason = reason
                events.append(.state(from: from, to: to, reason: status.snapshot.reason))
            case .finding(let check, let finding):
                status.observe(check, finding)
                events.append(.finding(check, finding))
            case .violation, .ongoing, .dataTag, .advanced, .stopped:
                alerts += damp(rules.observe(event, at: health.moment), isFinal: event.isStop)
            }
        }
        for change in alerts { status.counters.count(change.alert) }
        status.observe(health, openAlertCount: damping.openCount)
        return (events, alerts)
    }
}

extension ChannelEvent {
    /// Whether checks have stopped, so that their alerts end at once.
    fileprivate var isStop: Bool { if case .stopped = self { true } else { false } }
}
