import NielsenID3

/// Decides which findings of a channel need an operator: raises alerts and clears them.
///
/// It keeps at most one entry for each check, and one for each check and rendition.
struct AlertBook: Sendable {
    /// The checks whose first finding raises an alert.
    private static let immediate: Set<CheckID> = [.presenceSilent, .playlistStale]
    /// The checks that never raise an alert: missing tags raise `presence.silent` instead.
    private static let findingsOnly: Set<CheckID> = [.ownerPresent]

    /// The offset that converts the given times to wall time, in seconds.
    var wallTimeOffset = 0.0

    private let settings: ChannelHealthSettings
    /// The open alerts.
    private var open: [CheckID: ChannelAlert] = [:]
    /// The recent findings by check.
    private var troubles: [CheckID: Trouble] = [:]
    /// The last finding of each check in each rendition, to detect a second one soon after.
    private var last: [Source: Moment] = [:]

    /// The most recent finding of a check.
    private struct Trouble: Sendable {
        var time: Double
        var severity: CheckStatus
        var detail: String
        /// The number of DATA tags since the finding.
        var tagCount = 0
    }

    private struct Source: Hashable, Sendable {
        let check: CheckID
        let rendition: Int
    }

    private struct Moment: Sendable {
        var time: Double
        var position: Double?
        var severity: CheckStatus
    }

    /// Creates a book that starts with the alerts left open by a restart.
    init(settings: ChannelHealthSettings, open alerts: [ChannelAlert], at time: Double) {
        self.settings = settings
        for alert in alerts where open[alert.check] == nil {
            open[alert.check] = alert
            troubles[alert.check] = Trouble(time: time, severity: alert.severity, detail: alert.detail)
        }
    }

    /// The open alerts, oldest first.
    var openAlerts: [ChannelAlert] {
        open.values.sorted { ($0.since, $0.check.rawValue) < ($1.since, $1.check.rawValue) }
    }

    /// Records a finding of a check in a rendition and returns the alert that it raises, if any.
    ///
    /// `position`, in seconds of media, separates findings that are far apart in the media but are read at the same
    /// time.
    mutating func observe(
        _ check: CheckID, _ severity: CheckStatus, _ detail: String, rendition: Int, position: Double?,
        at time: Double
    ) -> ChannelAlert? {
        guard severity >= .warn else { return nil }
        var trouble =
            troubles[check] ?? Trouble(time: time, severity: severity, detail: detail)
        trouble.time = time
        trouble.severity = max(severity, isBad(check, at: time) ? trouble.severity : .pass)
        trouble.detail = detail
        trouble.tagCount = 0
        troubles[check] = trouble
        let source = Source(check: check, rendition: rendition)
        let before = last.updateValue(
            Moment(time: time, position: position, severity: severity), forKey: source)
        guard open[check] == nil, !Self.findingsOnly.contains(check) else { return nil }
        guard Self.immediate.contains(check) || before.map({ isNear($0, time, position) }) ?? false
        else { return nil }
        let alert = ChannelAlert(
            channel: settings.channel, check: check, since: time + wallTimeOffset,
            severity: max(severity, before?.severity ?? severity), detail: detail)
        open[check] = alert
        return alert
    }

    /// Records an ongoing violation that is not reported again, and returns the alert that it raises, if any.
    mutating func repeatLast(_ check: CheckID, rendition: Int, position: Double?, at time: Double)
        -> ChannelAlert?
    {
        guard let trouble = troubles[check] else { return nil }
        return observe(
            check, trouble.severity, trouble.detail, rendition: rendition, position: position, at: time)
    }

    /// Records that the violation of a check still lasts.
    mutating func extend(_ check: CheckID, at time: Double) {
        troubles[check]?.time = time
        troubles[check]?.tagCount = 0
    }

    /// Counts a DATA tag.
    mutating func countTag() {
        for check in troubles.keys { troubles[check]?.tagCount += 1 }
    }

    /// Expires old findings and returns the alerts that are cleared.
    ///
    /// Without tags, as in a break, an alert is cleared once the window has passed. A silence alert is not cleared this
    /// way, and no alert is cleared while `isFollowed` is false.
    mutating func advance(to time: Double, isFollowed: Bool) -> [ChannelAlert] {
        var cleared: [ChannelAlert] = []
        for (check, trouble) in troubles {
            let age = time - trouble.time
            let hasTags = trouble.tagCount >= settings.clearTagCount
            let isOver = age >= max(settings.window, settings.clearDelay) && check != .presenceSilent
            if isFollowed, age >= settings.clearDelay, hasTags || isOver,
                let alert = open.removeValue(forKey: check)
            {
                cleared.append(alert)
            }
            if open[check] == nil, age > max(settings.window, settings.clearDelay) { troubles[check] = nil }
        }
        last = last.filter { time - $0.value.time <= settings.repeatInterval }
        return cleared.sorted { ($0.since, $0.check.rawValue) < ($1.since, $1.check.rawValue) }
    }

    /// Closes and returns the alerts of the given checks, or of all checks for nil.
    ///
    /// Use it when these checks are no longer evaluated.
    mutating func close(_ checks: Set<CheckID>? = nil) -> [ChannelAlert] {
        let closed = openAlerts.filter { checks?.contains($0.check) ?? true }
        for check in checks ?? Set(open.keys).union(troubles.keys) {
            open[check] = nil
            troubles[check] = nil
        }
        last = last.filter { !(checks?.contains($0.key.check) ?? true) }
        return closed
    }

    /// Returns the worst recent finding as half a sentence, or nil when there is none.
    func worst(at time: Double) -> String? {
        troubles.filter { isBad($0.key, at: time) }
            .max { ($0.value.severity, $1.key.rawValue) < ($1.value.severity, $0.key.rawValue) }
            .map { "\($0.key.rawValue): \($0.value.detail)" }
    }

    private func isBad(_ check: CheckID, at time: Double) -> Bool {
        troubles[check].map { time - $0.time <= settings.window } ?? false
    }

    private func isNear(_ moment: Moment, _ time: Double, _ position: Double?) -> Bool {
        guard time - moment.time <= settings.repeatInterval else { return false }
        guard let before = moment.position, let position else { return true }
        return (position - before).magnitude <= settings.repeatInterval
    }
}
