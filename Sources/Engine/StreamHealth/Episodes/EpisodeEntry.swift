import ID3v2
import NielsenID3

/// The memory of one check: its last violations, the problem that they are if they last, and the alert.
///
/// The problem and the alert have an end of their own: an alert is held for some time after its problem, so that a
/// problem that comes and goes is one alert.
struct EpisodeEntry: Sendable {
    let check: CheckID
    private let alerting: CheckDeclaration.Alerting
    private let limits: EpisodeLimits
    /// The first and the last time of the present run of violations.
    private(set) var first: SteadyTime
    private(set) var last: SteadyTime
    /// The worst severity within the window, and the detail of the last violation.
    private(set) var severity: CheckStatus
    private(set) var detail: String
    /// The number of DATA tags since the last violation.
    private var tagCount = 0
    /// The last violation in each rendition, to detect a second one soon after; nil stands for the whole channel.
    private var occasions: [RenditionID?: Occasion] = [:]
    /// The problem; nil when there is none.
    private var problem: Problem?
    /// The last time at which a problem was over.
    private var overTime: SteadyTime?
    /// The alert; nil when there is none.
    private var alert: Problem?
    /// The problems that followed from this one since the alert was raised.
    private var consequences: [CheckID: Finding.Consequence] = [:]
    /// Whether the alert waits because the channel has had too many.
    var isWaiting = false
    /// The time of the last clear.
    private var clearedTime: SteadyTime?
    /// The time without the problem before the clear, in seconds.
    private var hold: Double

    /// The maximum number of renditions remembered.
    private static let capacity = 64
    /// The time between the starts of a cause and of its consequence, in seconds.
    private static let togetherTime = 120.0

    private struct Occasion: Sendable {
        var time: SteadyTime
        /// The position in the media, in seconds; nil if unknown.
        var position: Double?
        var severity: CheckStatus
    }

    private struct Problem: Sendable {
        var since: WallTime
        var severity: CheckStatus
        /// Whether it began, or lasted, as a consequence of another one.
        var isExplained = false
    }

    /// Creates the entry of a violation that has lasted for `age` seconds.
    init(_ violation: Violation, limits: EpisodeLimits, at moment: ClockMoment) {
        check = violation.check
        alerting = violation.check.declaration?.alerting ?? CheckDeclaration.Alerting()
        self.limits = limits
        first = moment.steady - violation.age
        last = moment.steady
        severity = violation.severity
        detail = violation.detail
        hold = 0
        hold = firstHold
    }

    /// Creates the entry of an episode that was open before a restart.
    init(restored episode: Episode, limits: EpisodeLimits, at moment: ClockMoment) {
        let violation = Violation(
            check: episode.check, severity: episode.severity, detail: Finding.shortened(episode.detail))
        self.init(violation, limits: limits, at: moment)
        let age = moment.wall.unixSeconds - episode.onset.unixSeconds
        if age.isFinite { first = moment.steady - max(0, age) }
        alert = Problem(since: episode.since, severity: episode.severity)
        overTime = episode.over.map(moment.steadyTime)
        if overTime == nil { problem = alert }
        // The time in which nothing was observed does not show that a problem is over.
        let earliest = problem == nil ? -.infinity : moment.steady.seconds - limits.clearDelay
        let known = episode.last.map { moment.steadyTime(of: $0).seconds } ?? last.seconds
        last = SteadyTime(seconds: max(known, earliest))
    }

    /// Creates the entry of findings before a restart that raised no alert; the last one was at `time`.
    init(restored group: FindingGroup, at time: SteadyTime, limits: EpisodeLimits, moment: ClockMoment) {
        let finding = group.last
        let violation = Violation(
            check: group.check, severity: finding.status, detail: Finding.shortened(finding.detail))
        self.init(violation, limits: limits, at: moment)
        (first, last) = (time, time)
    }

    /// Adds a finding before a restart, so that the next one is the second.
    mutating func restore(_ finding: Finding, at time: SteadyTime) {
        // The positions begin again with a restart.
        let occasion = Occasion(time: time, position: nil, severity: finding.status)
        occasions[finding.place.renditionID ?? .first] = occasion
    }

    private var firstHold: Double { min(limits.maximumHold, limits.hold * alerting.holdFactor) }

    // MARK: Violations

    /// Records a violation; its severity is the worst within the window.
    mutating func violate(_ violation: Violation, at moment: ClockMoment) {
        let time = moment.steady
        if problem == nil, time - last > limits.repeatInterval { first = time - violation.age }
        severity = max(violation.severity, isRecent(at: time) ? severity : .pass)
        detail = violation.detail
        extend(at: time)
        let before = occasions.updateValue(
            Occasion(time: time, position: violation.position, severity: violation.severity),
            forKey: violation.rendition)
        if occasions.count > Self.capacity { occasions = [:] }
        guard problem == nil else { return }
        switch alerting.trigger {
        case .never: return
        case .second
        where !violation.isLasting && before.map { isNear($0, time, violation.position) } != true:
            return
        case .first, .second: break
        }
        problem = Problem(
            since: moment.wall, severity: max(violation.severity, before?.severity ?? violation.severity))
    }

    private func isNear(_ last: Occasion, _ time: SteadyTime, _ position: Double?) -> Bool {
        guard time - last.time <= limits.repeatInterval else { return false }
        // The position separates violations that are far apart in the media but are read at the same time.
        guard let before = last.position, let position else { return true }
        return (position - before).magnitude <= limits.repeatInterval
    }

    /// Records that the last violation is not over, with its text as of now.
    mutating func extend(_ detail: String? = nil, at time: SteadyTime) {
        last = time
        tagCount = 0
        if let detail { self.detail = detail }
    }

    /// Postpones everything that follows from the age of the last violation.
    mutating func postpone(by seconds: Double) { last = last + seconds }

    /// Counts a DATA tag.
    mutating func observeTag() { tagCount += 1 }

    /// Whether the last violation is so recent that the channel counts as degraded.
    func isRecent(at time: SteadyTime) -> Bool { severity > .pass && time - last <= limits.window }

    // MARK: The problem

    /// Ends the problem if enough time and enough tags have passed without a violation.
    ///
    /// Without tags, as in a break, it ends once the window has passed.
    ///
    /// - Parameter unread: The last seconds, if nothing could be read in them. They do not count, unless it is known
    ///   without reading whether the violation lasts.
    mutating func settle(unread: Double?, at time: SteadyTime) {
        if let unread, !alerting.isContinuous {
            last = min(time, last + unread)
        } else {
            let age = time - last
            // A violation of this moment lasts, even if a problem is over without delay.
            if age <= 0 { return }
            let isOver = age >= max(limits.window, limits.clearDelay)
            let hasTags = tagCount >= limits.clearTagCount || alerting.isContinuous
            if isOver || age >= limits.clearDelay && hasTags { end(at: time) }
        }
        occasions = occasions.filter { time - $0.value.time <= limits.repeatInterval }
    }

    /// Ends the problem; `isStopped` is whether its check has stopped, so that its alert ends at once.
    mutating func end(at time: SteadyTime, isStopped: Bool = false) {
        if isStopped {
            occasions = [:]
            severity = .pass
            hold = 0
        }
        if problem != nil { overTime = time }
        problem = nil
    }

    /// Whether a problem lasts.
    var isProblem: Bool { problem != nil }

    /// Whether an operator needs to know of it.
    var isAlert: Bool { alert != nil }

    /// Returns whether nothing is left to remember.
    func isForgettable(at time: SteadyTime) -> Bool {
        problem == nil && alert == nil
            && time - last > max(limits.window, limits.repeatInterval, limits.clearDelay)
            && clearedTime.map { time - $0 >= limits.maximumHold } ?? true
    }

    // MARK: The alert

    /// Raises or clears the alert if its time has come, and then returns it.
    ///
    /// - Parameter isExplained: Whether another problem explains this one, which then raises no alert.
    mutating func advance(to moment: ClockMoment, isExplained: Bool) -> Episode? {
        let time = moment.steady
        switch (alert, problem) {
        case (nil, var next?):
            if isExplained {
                problem?.isExplained = true
                return nil
            }
            if let clearedTime {
                guard time - clearedTime >= min(limits.hold, hold) else { return nil }
                let recurs = time - clearedTime < limits.maximumHold
                hold = recurs ? min(limits.maximumHold, max(firstHold, hold * 2)) : firstHold
            }
            if next.isExplained { next.since = moment.wall }
            problem?.isExplained = false
            alert = next
            consequences = [:]
            return episode(of: next, at: moment)
        case (let past?, nil):
            guard time - (overTime ?? time) >= hold else { return nil }
            alert = nil
            clearedTime = time
            let consequences = consequences.values.sorted { $0.check.rawValue < $1.check.rawValue }
            var cleared = episode(of: past, with: consequences, at: moment)
            cleared.isCleared = true
            return cleared
        default: return nil
        }
    }

    /// Returns the open alert with the problems that follow from it; nil if there is none.
    func open(with consequences: [Finding.Consequence], at moment: ClockMoment) -> Episode? {
        alert.map { episode(of: $0, with: consequences, at: moment) }
    }

    /// Returns a lasting problem that has no alert, as a consequence of another one.
    var consequence: Finding.Consequence? {
        guard let problem, alert == nil else { return nil }
        return Finding.Consequence(check: check, status: problem.severity, detail: detail)
    }

    /// Remembers the problems that follow from this one now, for the clear.
    mutating func remember(_ consequences: [Finding.Consequence]) {
        for consequence in consequences { self.consequences[consequence.check] = consequence }
    }

    private func episode(
        of alert: Problem, with consequences: [Finding.Consequence] = [], at moment: ClockMoment
    ) -> Episode {
        let now = moment.steady
        return Episode(
            check: check, severity: alert.severity, since: alert.since, detail: detail,
            onset: moment.wall - (now - first), last: moment.wall - (now - last),
            over: problem == nil ? overTime.map { moment.wall - (now - $0) } : nil,
            consequences: consequences)
    }

    // MARK: Causes

    /// The checks that may explain the problem of this one.
    var possibleCauses: [CheckID] { alerting.explainedBy }

    /// Returns whether the problem of this check explains that of another one.
    ///
    /// A consequence that is seen before its cause waits for the second violation of the cause. One that is not seen
    /// again after the end of its cause stays a consequence.
    ///
    /// - Parameter isBlocked: Whether no rendition of the channel can be read.
    func explains(_ other: EpisodeEntry, isBlocked: Bool, at time: SteadyTime) -> Bool {
        let isOver = overTime.map { other.last - $0 <= limits.clearDelay } ?? false
        guard problem != nil || isOver || alerting.trigger == .second && time - last <= limits.repeatInterval
        else { return false }
        let isOfChannel = other.occasions[nil] != nil
        if alerting.stopsReading || alerting.isContinuous {
            if isOfChannel { return isBlocked && problem != nil }
            return first - other.first <= limits.repeatInterval && other.first - last <= limits.repeatInterval
                && sharesRendition(with: other)
        }
        return (first - other.first).magnitude <= Self.togetherTime
            && (isOfChannel || sharesRendition(with: other))
    }

    private func sharesRendition(with other: EpisodeEntry) -> Bool {
        // After a restart, the renditions are not known until the next violation.
        occasions.isEmpty || other.occasions.isEmpty || occasions.keys.contains { other.occasions[$0] != nil }
    }
}

extension ClockMoment {
    /// Returns a past time by the steady clock.
    func steadyTime(of time: WallTime) -> SteadyTime {
        SteadyTime(seconds: min(steady.seconds, time.unixSeconds - wallOffset))
    }
}

/// The limits of a book, in seconds.
struct EpisodeLimits: Sendable {
    /// The time within which a second violation of a check is a problem.
    let repeatInterval: Double
    /// The time and the number of DATA tags without a violation before a problem is over.
    let clearDelay: Double
    let clearTagCount: Int
    /// The time without a violation after which a problem is over even without tags.
    let window: Double
    /// The time without the problem before its alert is cleared, and the maximum for one that recurs.
    let hold: Double
    let maximumHold: Double

    init(_ policy: HealthPolicy, window: Double) {
        repeatInterval = policy[.alertRepeat]
        clearDelay = policy[.alertClear]
        clearTagCount = policy.count(.alertClearTags)
        self.window = window
        hold = policy[.alertHold]
        maximumHold = max(hold, policy[.alertMaximumHold])
    }
}

/// A violation of a check.
struct Violation: Sendable {
    let check: CheckID
    /// The severity, `warn` or `fail`.
    let severity: CheckStatus
    /// The observed and the expected behavior.
    let detail: String
    /// The rendition; nil for the whole channel.
    var rendition: RenditionID?
    /// The position in the media, in seconds; nil if unknown.
    var position: Double?
    /// Its age, in seconds.
    var age = 0.0
    /// Whether it has lasted so long that it needs no second one.
    var isLasting = false
}
