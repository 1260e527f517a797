package import ID3v2
package import NielsenID3

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

/// The memory of the checks of a live channel or of the monitor: the findings, the problems that last with their start
/// and their cause, and the alerts that were sent.
///
/// Checks state what is true now. Whatever follows from it over time is decided here: the findings, the reason of a
/// degraded state, and the alerts. It is a value without input or output, with at most one entry for each check.
package struct EpisodeBook: Sendable {
    /// The maximum number of recent findings, and of groups of findings.
    private static let keptCount = 32
    /// The seconds after a restart in which a check may run before its problem counts as over: the checks of a window
    /// of media run within it.
    private static let verificationTime = 900.0

    /// The current time; findings and violations are made at it.
    package var moment: ClockMoment
    /// The counts of each check since the start.
    private(set) var ledger: CheckLedger
    /// The last findings, newest last.
    private(set) var recent: [RecentFinding] = []
    /// The findings by what they state, the last one in the last group.
    private(set) var groups: [FindingGroup] = []
    private let limits: EpisodeLimits
    private let muted: MutedChecks
    private var entries: [CheckID: EpisodeEntry] = [:]
    /// The alerts that may be raised; one beyond it waits until it is allowed or over.
    private var quota: RateShare
    /// The checks that may soon have a problem, which then explains others.
    private var expected: Set<CheckID> = []
    /// Whether an alert had to wait since the last call of `takeExcess`.
    private var isOverQuota = false
    /// The checks whose problems lasted before a restart and that have not run since.
    private var unverified: Set<CheckID>
    private let verificationEnd: SteadyTime
    /// Whether anything could be read when the time last advanced.
    private var isFollowed = true
    private var lastAdvance: SteadyTime
    private var found: [ChannelEvent] = []

    /// Creates a book with the limits of a policy.
    ///
    /// - Parameters:
    ///   - hourlyCount: The maximum number of alerts in an hour.
    ///   - open: The episodes that were open when it was last kept, before a restart.
    ///   - findings: The findings at that time.
    package init(
        policy: HealthPolicy, settings: ChannelHealthSettings = ChannelHealthSettings(),
        hourlyCount: Int = 1_000_000, open: [Episode] = [], findings: [FindingGroup] = [],
        at moment: ClockMoment
    ) {
        self.moment = moment
        ledger = CheckLedger(policy: policy, keepsFindings: false)
        limits = EpisodeLimits(policy, window: settings.window)
        muted = settings.muted
        quota = RateShare(hourlyCount, every: .seconds(3_600))
        unverified = Set(open.lazy.filter { $0.over == nil }.map(\.check))
        groups = findings.suffix(Self.keptCount)
        verificationEnd = moment.steady + Self.verificationTime
        lastAdvance = moment.steady
        for episode in open where entries[episode.check] == nil {
            entries[episode.check] = EpisodeEntry(restored: episode, limits: limits, at: moment)
        }
        for group in groups.reversed() {
            guard let time = group.lastTime.map(moment.steadyTime),
                moment.steady - time <= max(limits.window, limits.repeatInterval)
            else { continue }
            let entry = EpisodeEntry(restored: group, at: time, limits: limits, moment: moment)
            entries[group.check, default: entry].restore(group.last, at: time)
        }
        // The alerts of checks that were muted since are over.
        stop(muted.all)
    }

    // MARK: What is known

    /// The limits of the checks.
    var policy: HealthPolicy { ledger.policy }

    /// The worst recent violation as half a sentence, or nil when there is none.
    ///
    /// A cause with an alert stands for its consequences.
    var worst: String? {
        if entries.isEmpty { return nil }
        let recent = entries.filter { $0.value.isRecent(at: moment.steady) }
        let causes = recent.filter { item in
            !item.value.possibleCauses.contains { recent[$0]?.isAlert == true && isCause($0, of: item.value) }
        }
        return (causes.isEmpty ? recent : causes)
            .max { ($0.value.severity, $1.key.rawValue) < ($1.value.severity, $0.key.rawValue) }
            .map { "\($0.key.rawValue): \($0.value.detail)" }
    }

    /// The open alerts with their consequences, oldest first.
    package var open: [Episode] {
        entries.values.filter(\.isAlert).compactMap { $0.open(with: consequences(of: $0), at: moment) }
            .sorted { ($0.since, $0.check.rawValue) < ($1.since, $1.check.rawValue) }
    }

    /// The number of open alerts.
    package var openCount: Int { entries.values.count(where: \.isAlert) }

    /// Returns whether a check has a problem that lasts.
    func isOpen(_ check: CheckID) -> Bool { entries[check]?.isProblem ?? false }

    /// Returns whether a check has a problem that lasts, or may soon have one.
    package func isExpected(_ check: CheckID) -> Bool { isOpen(check) || expected.contains(check) }

    /// Returns the problem of a check; nil if it has none that lasts.
    func problem(of check: CheckID) -> (severity: CheckStatus, detail: String)? {
        entries[check].flatMap { $0.isProblem ? ($0.severity, $0.detail) : nil }
    }

    /// Returns the start of the problem of a check; nil if it has none that lasts.
    func onset(of check: CheckID) -> SteadyTime? { entries[check].flatMap { $0.isProblem ? $0.first : nil } }

    /// Returns whether the condition of a check is violated now, muted or not.
    func isLasting(_ check: CheckID) -> Bool { ledger.isLasting(check) }

    /// Continues a violation that lasted before a restart, and is not reported again.
    mutating func resume(_ check: CheckID) {
        if isOpen(check) { _ = ledger.setLasting(check, true) }
    }

    /// Returns the findings since the last call, in order.
    mutating func drainFindings() -> [ChannelEvent] {
        defer { found = [] }
        return found
    }

    // MARK: What the checks found

    /// Records that a check had something to check.
    mutating func markRun(_ check: CheckID) {
        if !muted.ignored.contains(check) { ledger.markRun(check) }
        unverified.remove(check)
    }

    /// Records that checks ran for a rendition, whose counts are separate.
    mutating func markVerified(by rendition: RenditionHealth) {
        if !unverified.isEmpty { unverified = unverified.filter { !rendition.ledger.hasRun($0) } }
    }

    /// Records every check that ran for a rendition as run.
    mutating func markRuns(of rendition: RenditionHealth) { ledger.markRuns(of: rendition.ledger) }

    /// Runs checks on an event of the channel's delivery.
    ///
    /// - Parameter age: The age of a violation, in seconds.
    mutating func judge(
        _ event: StreamEvent, by checks: [any HealthCheck<StreamEvent, CheckLedger>],
        rendition: RenditionID, age: Double = 0
    ) {
        var checks = checks
        var results = CheckLedger(policy: ledger.policy, keepsFindings: false, listsSettledFindings: true)
        results.judge(event, by: &checks)
        for check in checks where results.hasRun(check.id) { markRun(check.id) }
        for (check, finding) in results.drainSettled() {
            report(check, finding, rendition: rendition, age: age)
        }
    }

    /// Records the result of a check at a place.
    ///
    /// - Parameters:
    ///   - rendition: The rendition; nil for the whole channel.
    ///   - age: The age of a violation, in seconds.
    ///   - isLasting: Whether it has lasted so long that it needs no second one.
    mutating func report(
        _ check: CheckID, _ result: CheckResult, at place: Finding.Place, rendition: RenditionID?,
        age: Double = 0, isLasting: Bool = false
    ) {
        switch result {
        case .notRun: break
        case .pass: markRun(check)
        case .violation(let status, let detail):
            report(
                check, Finding(status: status, place: place, detail: detail), rendition: rendition, age: age,
                isLasting: isLasting)
        }
    }

    /// Records a finding, and its violation unless it is only information.
    mutating func report(
        _ check: CheckID, _ finding: Finding, rendition: RenditionID?, age: Double = 0,
        isLasting: Bool = false
    ) {
        if muted.ignored.contains(check) { return }
        var finding = finding
        finding.place.renditionID = finding.place.renditionID ?? rendition ?? .first
        ledger.report(check, finding)
        guard finding.status >= .warn else { return }
        recent.append(RecentFinding(time: moment.wall, check: check, finding: finding))
        if recent.count > Self.keptCount { recent.removeFirst() }
        groups.add(finding, of: check, at: moment.wall, limit: Self.keptCount)
        found.append(.finding(check, finding))
        violate(
            check, finding.status, finding.detail, rendition: rendition, position: finding.place.position,
            age: age, isLasting: isLasting)
    }

    /// Records the result of a check that judges a condition of the whole channel.
    ///
    /// A violation is a finding when it begins, and not again while it lasts.
    mutating func judge(
        _ check: CheckID, _ result: CheckResult, at place: Finding.Place, rendition: RenditionID?,
        age: Double = 0
    ) {
        let hasLasted = ledger.setLasting(check, result.isViolation)
        if hasLasted, case .violation(let severity, let detail) = result {
            violate(check, severity, detail, rendition: rendition, position: place.position)
        } else {
            report(check, result, at: place, rendition: rendition, age: age)
        }
    }

    /// Records a violation that is not a finding again; its text is for an operator.
    mutating func violate(
        _ check: CheckID, _ severity: CheckStatus, _ detail: String, rendition: RenditionID? = nil,
        position: Double? = nil, age: Double = 0, isLasting: Bool = false
    ) {
        guard severity >= .warn, !muted.contains(check) else { return }
        let violation = Violation(
            check: check, severity: severity, detail: Finding.shortened(detail), rendition: rendition,
            position: position, age: age, isLasting: isLasting)
        unverified.remove(check)
        entries[check, default: EpisodeEntry(violation, limits: limits, at: moment)]
            .violate(violation, at: moment)
    }

    /// Repeats the last violation of a check, which lasts and is not a finding again.
    mutating func repeatViolation(of check: CheckID, rendition: RenditionID, position: Double? = nil) {
        guard let last = entries[check] else { return }
        violate(check, last.severity, last.detail, rendition: rendition, position: position)
    }

    /// Records that the last violation of a check is not over, although no observation repeats it.
    ///
    /// - Parameter detail: Its text as of now; nil for the last one.
    mutating func extendViolation(of check: CheckID, _ detail: String? = nil) {
        if !muted.contains(check) { entries[check]?.extend(detail, at: moment.steady) }
    }

    /// Records that a DATA tag arrived.
    mutating func observeTag() {
        for check in entries.keys { entries[check]?.observeTag() }
    }

    /// Ends the problem of a check that judges its whole condition each time.
    mutating func end(_ check: CheckID) { entries[check]?.end(at: moment.steady) }

    /// Repeats the problem of a check that judges its whole condition each time, and cannot do so now.
    mutating func extend(_ check: CheckID) {
        if let problem = problem(of: check) { violate(check, problem.severity, problem.detail) }
    }

    /// Runs the checks of the monitor itself, called about once a second.
    package mutating func judge(
        _ facts: MonitorFacts, by checks: inout [any HealthCheck<MonitorFacts, EpisodeBook>]
    ) {
        for index in checks.indices { checks[index].judge(facts, into: &self) }
    }

    /// Ends the problems and the alerts of checks that are no longer run; nil stands for all.
    mutating func stop(_ checks: Set<CheckID>? = nil) {
        ledger.endConditions(of: checks)
        for check in checks.map({ Array($0) }) ?? Array(entries.keys) {
            unverified.remove(check)
            entries[check]?.end(at: moment.steady, isStopped: true)
        }
    }

    /// Sets whether a check may soon have a problem; until then, the alerts that it would explain wait.
    package mutating func expect(_ check: CheckID, _ isExpected: Bool) {
        if isExpected, !muted.contains(check) { expected.insert(check) } else { expected.remove(check) }
    }

    // MARK: Time and alerts

    /// Records that the time advanced, and ends the problems that are over.
    ///
    /// - Parameter isFollowed: Whether the channel can be read, so that problems may end.
    mutating func advance(isFollowed: Bool) {
        let time = moment.steady
        if time >= verificationEnd { unverified = [] }
        let passed = time - lastAdvance
        for check in unverified { entries[check]?.postpone(by: passed) }
        for check in entries.keys { entries[check]?.settle(unread: isFollowed ? nil : passed, at: time) }
        self.isFollowed = isFollowed
        lastAdvance = time
    }

    /// Returns the episodes to raise and to clear now.
    package mutating func takeChanges() -> [Episode] {
        if entries.isEmpty { return [] }
        var changes: [Episode] = []
        let explained = entries.filter { $0.value.isProblem && isExplained($0.value) }
        for check in entries.keys {
            let isExplained = explained[check] != nil
            let moment = moment
            if let change = entries[check]?.advance(to: moment, isExplained: isExplained) {
                changes.append(change)
            } else if entries[check]?.isForgettable(at: moment.steady) == true {
                entries[check] = nil
            }
        }
        for entry in entries.values where entry.isAlert {
            let consequences = consequences(of: entry)
            entries[entry.check]?.remember(consequences)
        }
        changes.sort { ($0.since, $0.check.rawValue) < ($1.since, $1.check.rawValue) }
        return pass(changes)
    }

    /// Returns the changes that the quota allows, and those that had to wait for it.
    private mutating func pass(_ changes: [Episode]) -> [Episode] {
        var passed: [Episode] = []
        for change in changes {
            let check = change.check
            if change.isCleared {
                if entries[check]?.isWaiting == false { passed.append(change) }
                entries[check]?.isWaiting = false
            } else if check == .channelOverLimit || claim() {
                // The alert about an exceeded limit always passes.
                passed.append(open.first { $0.check == check } ?? change)
            } else {
                entries[check]?.isWaiting = true
                isOverQuota = true
            }
        }
        for episode in open where entries[episode.check]?.isWaiting == true {
            guard claim() else { break }
            entries[episode.check]?.isWaiting = false
            passed.append(episode)
        }
        return passed
    }

    private mutating func claim() -> Bool { quota.claim(1, at: .seconds(moment.steady.seconds)) == 1 }

    /// Returns whether an alert had to wait since the last call.
    mutating func takeExcess() -> Bool {
        defer { isOverQuota = false }
        return isOverQuota
    }

    // MARK: Causes

    private func isExplained(_ entry: EpisodeEntry) -> Bool {
        !entry.isAlert && entry.possibleCauses.contains { expected.contains($0) || isCause($0, of: entry) }
    }

    private func isCause(_ check: CheckID, of entry: EpisodeEntry) -> Bool {
        entries[check]?.explains(entry, isBlocked: !isFollowed, at: moment.steady) ?? false
    }

    /// Returns the problems without an alert of their own that an entry explains, and that those explain in turn.
    private func consequences(of cause: EpisodeEntry) -> [Finding.Consequence] {
        var found: Set<CheckID> = []
        addConsequences(of: cause, to: &found)
        return found.compactMap { entries[$0]?.consequence }.sorted { $0.check.rawValue < $1.check.rawValue }
    }

    private func addConsequences(of cause: EpisodeEntry, to found: inout Set<CheckID>) {
        for entry in entries.values where entry.possibleCauses.contains(cause.check) {
            guard isCause(cause.check, of: entry), found.insert(entry.check).inserted else { continue }
            addConsequences(of: entry, to: &found)
        }
    }
}
