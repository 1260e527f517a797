package import NielsenID3
package import TimedMedia

/// A finding of a live channel with its time.
package struct RecentFinding: Sendable, Hashable {
    /// The time of the finding.
    package let time: WallTime
    /// The check that made the finding.
    package let check: CheckID
    /// The finding itself.
    package let finding: Finding

    /// Creates a finding made at `time`.
    package init(time: WallTime, check: CheckID, finding: Finding) {
        self.time = time
        self.check = check
        self.finding = finding
    }
}

/// The findings and violations of a live channel, and the events that report them.
struct ChannelFindings: Sendable {
    /// The maximum number of recent findings kept.
    private static let keptCount = 32

    /// The current time; findings and violations are made at it.
    var moment: ClockMoment
    /// The counts of each check since the start.
    private(set) var ledger: CheckLedger
    /// The last findings, newest last.
    private(set) var recent: [RecentFinding] = []
    private var violations: RecentViolations
    /// The checks whose violations lasted before a restart and that have not run since.
    private var unverified: Set<CheckID>
    /// The end of the time in which these checks may run; a check that has not run by then counts as passed.
    private let verificationEnd: SteadyTime
    /// The length of that time in seconds: the checks of a window run within it.
    private static let verificationTime = 900.0
    /// The last time each kind of limit was exceeded.
    private var exceededLimits: [ExceededLimit: SteadyTime] = [:]
    /// The number of seconds after a violation during which the channel counts as degraded.
    private let window: Double
    private let muted: MutedChecks
    private var events: [ChannelEvent] = []

    /// Creates the findings of a channel whose violations `ongoing` have lasted since before `time`.
    init(
        policy: HealthPolicy, settings: ChannelHealthSettings, ongoing all: [ChannelViolation],
        at time: SteadyTime
    ) {
        muted = settings.muted
        let ongoing = all.filter { !settings.muted.contains($0.check) }
        moment = ClockMoment(steady: time)
        ledger = CheckLedger(policy: policy, keepsFindings: false)
        window = settings.window
        violations = RecentViolations(window: settings.window)
        unverified = Set(ongoing.map(\.check))
        verificationEnd = time + Self.verificationTime
        for violation in ongoing { violations.observe(violation, at: time) }
        // The alerts of checks that were muted since are over.
        if all.count > ongoing.count { events.append(.stopped(muted.all)) }
    }

    /// The worst recent violation as half a sentence, or nil when there is none.
    var worst: String? { violations.worst(at: moment.steady) }

    /// Reports an event.
    mutating func report(_ event: ChannelEvent) { events.append(event) }

    /// Returns the events since the last call, in order.
    mutating func drainEvents() -> [ChannelEvent] {
        defer { events = [] }
        return events
    }

    /// Records that a check had something to check.
    mutating func markRun(_ check: CheckID) {
        if !muted.ignored.contains(check) { ledger.markRun(check) }
        unverified.remove(check)
    }

    /// Records that checks ran for a rendition, whose counts are separate.
    mutating func markVerified(by rendition: LiveRenditionHealth) {
        if !unverified.isEmpty { unverified = unverified.filter { !rendition.ledger.hasRun($0) } }
    }

    /// Reports that the time advanced, and extends the violations from before a restart whose checks have not run yet.
    mutating func advance(isFollowed: Bool) {
        if moment.steady >= verificationEnd { unverified = [] }
        for check in unverified { extendViolation(of: check) }
        report(.advanced(isFollowed: isFollowed))
    }

    /// Records every check that ran for a rendition as run.
    mutating func markRuns(of rendition: LiveRenditionHealth) { ledger.markRuns(of: rendition.ledger) }

    /// Reports the result of a check at a place.
    mutating func report(
        _ check: CheckID, _ result: CheckResult, at place: Finding.Place, rendition: RenditionID
    ) {
        switch result {
        case .notRun: break
        case .pass: markRun(check)
        case .violation(let status, let detail):
            report(
                check, Finding(status: status, place: place, detail: detail), rendition: rendition)
        }
    }

    /// Reports a finding, and its violation unless it is only information.
    mutating func report(
        _ check: CheckID, _ finding: Finding, rendition: RenditionID
    ) {
        if muted.ignored.contains(check) { return }
        var finding = finding
        finding.place.renditionID = finding.place.renditionID ?? rendition
        ledger.report(check, finding)
        guard finding.status >= .warn else { return }
        recent.append(RecentFinding(time: moment.wall, check: check, finding: finding))
        if recent.count > Self.keptCount { recent.removeFirst() }
        events.append(.finding(check, finding))
        violate(
            check, finding.status, finding.detail, rendition: rendition, position: finding.place.position)
    }

    /// Reports an exceeded limit; it is a finding unless the same limit was exceeded within the window.
    mutating func report(_ limit: ExceededLimit, at place: Finding.Place, rendition: RenditionID) {
        let last = exceededLimits.updateValue(moment.steady, forKey: limit.kind)
        if let last, moment.steady - last <= window {
            repeatViolation(of: .channelOverLimit, rendition: rendition)
        } else {
            report(.channelOverLimit, ChannelOverLimit.check(limit), at: place, rendition: rendition)
        }
    }

    /// Reports a violation that is not a finding again.
    mutating func violate(
        _ check: CheckID, _ severity: CheckStatus, _ detail: String, rendition: RenditionID, position: Double?
    ) {
        guard severity >= .warn, !muted.contains(check) else { return }
        let violation = ChannelViolation(
            check: check, severity: severity, detail: detail, rendition: rendition, position: position)
        unverified.remove(check)
        violations.observe(violation, at: moment.steady)
        events.append(.violation(violation))
    }

    /// Repeats the last violation of a check, which lasts and is not a finding again.
    mutating func repeatViolation(
        of check: CheckID, rendition: RenditionID, position: Double? = nil
    ) {
        guard let last = violations.last(of: check) else { return }
        violate(
            check, last.severity, last.detail, rendition: rendition, position: position)
    }

    /// Records that the last violation of a check is not over, although no observation repeats it.
    mutating func extendViolation(of check: CheckID) {
        if muted.contains(check) { return }
        violations.extend(check, at: moment.steady)
        events.append(.ongoing(check))
    }

    /// Ends the violations of the given checks, or of all checks for nil.
    mutating func stop(_ checks: Set<CheckID>? = nil) {
        unverified = unverified.filter { !(checks?.contains($0) ?? true) }
        violations.forget(checks)
        events.append(.stopped(checks))
    }
}
