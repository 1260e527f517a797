import NielsenID3
import StreamHealth
import TimedMedia

/// The first stage: decides which violations of a channel need an operator, raises alerts, and clears them.
///
/// It keeps at most one entry for each check, and one for each check and rendition.
struct AlertRules: Sendable {
    /// The checks whose first violation raises an alert.
    private static let immediate: Set<CheckID> = [.presenceSilent, .playlistStale, .channelEnded]
    /// The checks that never raise an alert: missing tags raise `presence.silent` instead.
    private static let findingsOnly: Set<CheckID> = [.ownerPresent]

    private let channel: String
    private let settings: Settings
    /// The open alerts.
    private var open: [CheckID: Alert] = [:]
    /// The recent violations by check.
    private var recent: [CheckID: Recent] = [:]
    /// The last violation of each check in each rendition, to detect a second one soon after.
    private var last: [Source: Occasion] = [:]
    /// The last time at which the time advanced.
    private var lastAdvance: SteadyTime

    /// The times after which alerts are raised and cleared.
    struct Settings: Sendable {
        /// The number of seconds within which a second violation of a check raises an alert.
        var repeatInterval = 60.0
        /// The number of seconds without a violation before an alert is cleared.
        var clearDelay = 10.0
        /// The number of DATA tags without a violation before an alert is cleared.
        var clearTagCount = 2
        /// The number of seconds without a violation after which an alert is cleared even without DATA tags.
        var window = 60.0
    }

    /// The most recent violation of a check.
    private struct Recent: Sendable {
        var time: SteadyTime
        /// The number of DATA tags since the violation.
        var tagCount = 0
    }

    private struct Source: Hashable, Sendable {
        let check: CheckID
        let rendition: RenditionID
    }

    private struct Occasion: Sendable {
        var time: SteadyTime
        /// The position in the media, in seconds; nil if unknown.
        var position: Double?
        var severity: CheckStatus
    }

    /// Creates the rules of a channel that start with the alerts left open by a restart.
    init(channel: String, settings: Settings = Settings(), open alerts: [Alert] = [], at time: SteadyTime) {
        self.channel = channel
        self.settings = settings
        lastAdvance = time
        for alert in alerts where open[alert.check] == nil {
            open[alert.check] = alert
            recent[alert.check] = Recent(time: time)
        }
    }

    /// The open alerts, oldest first.
    var openAlerts: [Alert] { Self.oldestFirst(open.values) }

    /// The number of open alerts.
    var openCount: Int { open.count }

    private static func oldestFirst(_ alerts: some Sequence<Alert>) -> [Alert] {
        alerts.sorted { ($0.since, $0.check.rawValue) < ($1.since, $1.check.rawValue) }
    }

    /// Applies an event of the channel and returns the changes that follow from it.
    mutating func observe(_ event: ChannelEvent, at moment: ClockMoment) -> [AlertChange] {
        switch event {
        case .state, .finding: return []
        case .violation(let violation):
            return raise(violation, at: moment).map { [.raised($0)] } ?? []
        case .ongoing(let check):
            if recent[check] != nil { recent[check] = Recent(time: moment.steady) }
            return []
        case .dataTag:
            for check in recent.keys { recent[check]?.tagCount += 1 }
            return []
        case .advanced(let isFollowed):
            if !isFollowed { exclude(upTo: moment.steady) }
            lastAdvance = moment.steady
            return clear(at: moment.steady, isFollowed: isFollowed).map(AlertChange.cleared)
        case .stopped(let checks): return close(checks).map(AlertChange.cleared)
        }
    }

    /// Records a violation and returns the alert that it raises, if any.
    ///
    /// The position in the media separates violations that are far apart there but are read at the same time.
    private mutating func raise(_ violation: ChannelViolation, at moment: ClockMoment) -> Alert? {
        let check = violation.check
        recent[check] = Recent(time: moment.steady)
        let before = last.updateValue(
            Occasion(
                time: moment.steady, position: violation.position, severity: violation.severity),
            forKey: Source(check: check, rendition: violation.rendition))
        guard open[check] == nil, !Self.findingsOnly.contains(check) else { return nil }
        let isSecond = before.map { isNear($0, moment.steady, violation.position) } ?? false
        guard Self.immediate.contains(check) || isSecond else { return nil }
        let alert = Alert(
            scope: .channel(channel), check: check, since: moment.wall.unixSeconds,
            severity: max(violation.severity, before?.severity ?? violation.severity),
            detail: violation.detail)
        open[check] = alert
        return alert
    }

    private func isNear(_ last: Occasion, _ time: SteadyTime, _ position: Double?) -> Bool {
        guard time - last.time <= settings.repeatInterval else { return false }
        guard let before = last.position, let position else { return true }
        return (position - before).magnitude <= settings.repeatInterval
    }

    /// Excludes the time since the last advance, in which nothing could be checked, from the age of violations.
    private mutating func exclude(upTo time: SteadyTime) {
        for (check, violation) in recent {
            recent[check]?.time = min(time, violation.time + (time - lastAdvance))
        }
    }

    /// Expires old violations and returns the alerts that are cleared.
    ///
    /// Without tags, as in a break, an alert is cleared once the window has passed. A silence alert is not cleared this
    /// way, and no alert is cleared while the channel is not followed.
    private mutating func clear(at time: SteadyTime, isFollowed: Bool) -> [Alert] {
        var cleared: [Alert] = []
        let longest = max(settings.window, settings.clearDelay)
        for (check, violation) in recent {
            let age = time - violation.time
            let hasTags = violation.tagCount >= settings.clearTagCount
            let isOver = age >= longest && check != .presenceSilent
            if isFollowed, age >= settings.clearDelay, hasTags || isOver,
                let alert = open.removeValue(forKey: check)
            {
                cleared.append(alert)
            }
            if open[check] == nil, age > longest { recent[check] = nil }
        }
        last = last.filter { time - $0.value.time <= settings.repeatInterval }
        return Self.oldestFirst(cleared)
    }

    /// Closes and returns the alerts of the given checks, or of all checks for nil.
    private mutating func close(_ checks: Set<CheckID>?) -> [Alert] {
        let closed = openAlerts.filter { checks?.contains($0.check) ?? true }
        for alert in closed { open[alert.check] = nil }
        recent = recent.filter { !(checks?.contains($0.key) ?? true) }
        last = last.filter { !(checks?.contains($0.key.check) ?? true) }
        return closed
    }
}

extension AlertRules.Settings {
    /// Creates the settings that a channel's limits state.
    init(_ policy: HealthPolicy) {
        repeatInterval = policy[.alertRepeat]
        clearDelay = policy[.alertClear]
        clearTagCount = policy.count(.alertClearTags)
    }
}
