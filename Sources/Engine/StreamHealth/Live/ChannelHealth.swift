package import HLSPlaylist
package import NielsenID3
import TimedMedia

/// The continuous health of one live channel: its state, and the violations of its checks.
///
/// This is a value without input or output. The caller passes observations with their times and drains the resulting
/// events. Its memory is bounded. The state depends on the findings of the last minute; counts accumulate from the
/// start.
///
/// Times passed in come from a steady clock that starts at Unix time, so that setting the wall clock does not delay
/// findings. Published times, and times compared with tags and quiet hours, are wall time.
package struct ChannelHealth: Sendable {
    /// The checks for the presence of tags, which do not run in quiet hours.
    private static let presenceChecks: Set<CheckID> = [
        .presenceSilent, .ownerPresent, .tagCount, .infoLate,
    ]
    /// The checks that evaluate a window of media after each segment.
    private static let windowChecks: [CheckID] = [.ownerPresent, .tagCount, .infoLate]
    /// The maximum number of renditions checked.
    private static let maximumRenditionCount = 16
    /// The maximum number of recent findings kept.
    private static let keptFindingCount = 32

    /// The limits of its checks.
    package let policy: HealthPolicy
    /// The channel's settings besides the limits.
    package let settings: ChannelHealthSettings

    /// The offset that converts the given times to wall time, in seconds; 0 until the wall clock is set.
    package var wallTimeOffset = 0.0
    /// The latest time passed in.
    package private(set) var now: Double

    /// The current state.
    package private(set) var state = ChannelState.connecting
    /// The time of the last state change, in Unix seconds.
    package private(set) var stateSince: Double
    /// The time of the last DATA tag, in Unix seconds; nil before the first.
    package private(set) var lastTagTime: Double?
    /// The tag counts of the rendition with the most DATA tags, without repeats.
    package var tags: HealthVerdict.TagCounts {
        renditions.values.map(\.tags).max { $0.data < $1.data } ?? earlierTags
    }
    /// The last findings, newest last.
    package private(set) var recentFindings: [RecentFinding] = []

    private var renditions: [Int: LiveRenditionHealth] = [:]
    private var comparison: ChannelRenditions
    private var earlierTags = HealthVerdict.TagCounts()
    private var delivery = ChannelDelivery()
    private var silence = PresenceSilent()
    private var violations: RecentViolations
    private var ledger: CheckLedger
    private var events: [ChannelEvent] = []
    /// The last time each limit was exceeded.
    private var exceededLimits: [ExceededLimit: Double] = [:]
    /// The window checks that found something in the previous segment.
    private var episodes: Set<CheckID> = []
    /// The time since which the renditions of the primary are followed.
    private var followedSince: Double
    private var isPaused = false
    private var isQuiet = false
    private var isEnded = false

    /// A finding with its time.
    package struct RecentFinding: Sendable, Hashable {
        /// The time of the finding, in Unix seconds.
        package let time: Double
        /// The check that made the finding.
        package let check: CheckID
        /// The finding itself.
        package let finding: Finding

        /// Creates a finding made at `time`.
        package init(time: Double, check: CheckID, finding: Finding) {
            self.time = time
            self.check = check
            self.finding = finding
        }
    }

    /// Creates the health of a channel that is followed from a wall time in Unix seconds.
    ///
    /// `violations` were ongoing when the channel was last followed.
    package init(
        policy: HealthPolicy, settings: ChannelHealthSettings = ChannelHealthSettings(),
        violations ongoing: [ChannelViolation] = [], at time: Double
    ) {
        self.policy = policy
        self.settings = settings
        comparison = ChannelRenditions(policy: policy)
        violations = RecentViolations(window: settings.window)
        for violation in ongoing { violations.observe(violation, at: time) }
        ledger = CheckLedger(policy: policy, keepsFindings: false)
        now = time
        followedSince = time
        stateSince = time
        silence.hold(at: time)
        advance(to: time)
    }

    /// The outcome of every check since the start, including the monitor's own, without individual findings.
    package var outcomes: [CheckOutcome] {
        var all = ledger
        for rendition in renditions.values { all.markRuns(of: rendition.ledger) }
        return CheckRegistry.liveOutcomes(
            of: all, policy: policy, duration: policy[.countMinimumDuration])
    }

    /// Returns the events since the last call, in order; call it after every other method.
    package mutating func drainEvents() -> [ChannelEvent] {
        defer { events = [] }
        return events
    }
}

// MARK: - Observations

extension ChannelHealth {
    /// Records a segment, in reading order.
    ///
    /// `behindLive` is the duration of the media that the playlist lists after the segment, in seconds. Its tags were
    /// due that much earlier.
    package mutating func observe(
        _ observation: SegmentObservation, behindLive: Double = 0, at time: Double
    ) {
        guard isJudged else { return }
        holdSilence(at: time)
        moveOn(to: time)
        let index = observation.rendition
        var rendition = renditions.removeValue(forKey: index) ?? makeRendition(index)
        let tags = rendition.observe(
            observation, due: wallTime - max(0, behindLive), isQuiet: isQuiet, isSilent: silence.isSilent,
            at: now)
        for tag in tags where tag.occurrence.tag.kind == .data {
            silence.observe(at: now)
            lastTagTime = wallTime
            events.append(.dataTag)
        }
        let findings = rendition.drainFindings()
        renditions[index] = rendition
        for (check, finding) in findings { report(check, finding, rendition: index) }
        let position = rendition.place.position
        for check in rendition.ongoingViolations {
            repeatViolation(of: check, rendition: index, position: position)
        }
        reportWindows(of: index, position: position)
        compare(observation, tags: tags, isExcused: renditions[index]?.isExcused == true)
        advance(to: time)
    }

    /// Sets the followed renditions of the primary or the backup, which must carry the same tags.
    ///
    /// Their checks restart, because their positions count from a new origin.
    package mutating func setRenditions(_ followed: [ChannelRendition], ofBackup isBackup: Bool = false) {
        for index in comparison.indices(ofBackup: isBackup) {
            guard let rendition = renditions.removeValue(forKey: index) else { continue }
            ledger.markRuns(of: rendition.ledger)
        }
        comparison.set(followed, ofBackup: isBackup)
        if !isBackup { followedSince = now }
    }

    private mutating func compare(_ observation: SegmentObservation, tags: [PlacedTag], isExcused: Bool) {
        guard let segment = observation.segment else { return }
        if comparison.differLastingly { comparison.keep(read: Set(renditions.filter(isFollowed).keys)) }
        let results = comparison.observe(
            segment, tags: tags, rendition: observation.rendition, isExcused: isExcused)
        for found in results {
            report(found.check, found.result, at: found.place, rendition: observation.rendition)
        }
        if results.isEmpty, comparison.differLastingly {
            repeatViolation(of: .renditionTagsDiffer, rendition: observation.rendition)
        }
    }

    /// Records the outcome of loading a rendition's playlist.
    package mutating func observe(_ outcome: PlaylistLoadOutcome, rendition: Int = 0, at time: Double) {
        guard isJudged else { return }
        moveOn(to: time)
        let results = delivery.observe(outcome, rendition: rendition, policy: policy, at: now)
        report(.playlistHTTP, results.playlistHTTP, at: place(of: rendition), rendition: rendition)
        report(.playlistVariantDrift, results.drift, at: place(of: rendition), rendition: rendition)
        if case .failed = outcome {
            // A repeated failure is not reported, but it still counts.
            if results.playlistHTTP == .notRun {
                repeatViolation(of: .playlistHTTP, rendition: rendition)
            }
        } else {
            for check in CheckRegistry.playlistEventChecks where check.id != .playlistDateJump {
                ledger.markRun(check.id)
            }
        }
        if delivery.isDrifting, results.drift == .notRun {
            repeatViolation(of: .playlistVariantDrift, rendition: rendition)
        }
        advance(to: time)
    }

    /// Records unexpected changes in a rendition's playlist.
    package mutating func observe(_ events: [PlaylistEvent], rendition: Int = 0, at time: Double) {
        guard isJudged, !events.isEmpty else { return }
        moveOn(to: time)
        for event in events {
            if case .stale = event { delivery.markStale(rendition: rendition, at: now) }
            var place = place(of: rendition)
            place.mediaSequence = event.mediaSequence.flatMap(UInt64.init(exactly:))
            for check in CheckRegistry.playlistEventChecks {
                report(check.id, check.check(event, by: policy), at: place, rendition: rendition)
            }
        }
        advance(to: time)
    }

    /// Records the load of a segment, successful or not.
    package mutating func observe(_ fetch: SegmentFetch, rendition: Int = 0, at time: Double) {
        guard isJudged else { return }
        moveOn(to: time)
        var place = place(of: rendition)
        place.segment = fetch.name
        place.mediaSequence = fetch.mediaSequence
        report(
            .segmentHTTP, fetch.failure.map { SegmentHTTP.check($0) } ?? .pass, at: place,
            rendition: rendition)
        if fetch.failure == nil {
            report(
                .segmentSlow,
                SegmentSlow.check(seconds: fetch.seconds, duration: fetch.duration, by: policy), at: place,
                rendition: rendition)
        }
        if fetch.hasOtherBytes {
            report(.segmentChanged, SegmentChanged.otherBytes, at: place, rendition: rendition)
        }
        advance(to: time)
    }
}

// MARK: - Limits

extension ChannelHealth {
    /// Records an exceeded limit; it is a finding unless the same limit was exceeded within the last minute.
    package mutating func observe(_ limit: ExceededLimit, rendition: Int = 0, at time: Double) {
        guard isJudged else { return }
        moveOn(to: time)
        let last = exceededLimits.updateValue(now, forKey: limit)
        if let last, now - last <= settings.window {
            repeatViolation(of: .channelOverLimit, rendition: rendition)
        } else {
            report(
                .channelOverLimit, ChannelOverLimit.check(limit), at: place(of: rendition),
                rendition: rendition)
        }
        advance(to: time)
    }
}

// MARK: - Time and control

extension ChannelHealth {
    /// Advances the time; call it about once a second.
    package mutating func advance(to time: Double) {
        moveOn(to: time)
        guard isJudged else { return settle() }
        updateQuietHours()
        holdSilence(at: now)
        if !isQuiet {
            var place = Finding.Place()
            if let last = renditions.values.max(by: { $0.lastTime < $1.lastTime }) { place = last.place }
            report(.presenceSilent, silence.advance(to: now, policy: policy), at: place, rendition: 0)
            if silence.isSilent { extendViolation(of: .presenceSilent) }
        }
        delivery.advance(to: now)
        if delivery.isStale { extendViolation(of: .playlistStale) }
        if delivery.isFailing { extendViolation(of: .playlistHTTP) }
        events.append(.advanced(isFollowed: !renditions.isEmpty && !delivery.isUnreachable))
        settle()
    }

    /// Pauses all checks: ends their violations and ignores observations until `resume`.
    package mutating func pause(at time: Double) {
        moveOn(to: time)
        guard isJudged else { return }
        isPaused = true
        stop()
        settle()
    }

    /// Restarts all checks after `pause` or `end`.
    package mutating func resume(at time: Double) {
        moveOn(to: time)
        guard !isJudged else { return }
        isPaused = false
        isEnded = false
        isQuiet = false
        begin()
        advance(to: time)
    }

    /// Ends the channel after its last segment, and its violations.
    package mutating func end(at time: Double) {
        moveOn(to: time)
        guard !isEnded else { return }
        isEnded = true
        isPaused = false
        stop()
        settle()
    }

    private var isJudged: Bool { !isPaused && !isEnded }

    /// The wall time, in Unix seconds.
    private var wallTime: Double { now + wallTimeOffset }

    private mutating func moveOn(to time: Double) {
        // Two threads may report the same moment in either order.
        if time.isFinite { now = max(now, time) }
    }

    private mutating func begin() {
        earlierTags = tags
        for rendition in renditions.values { ledger.markRuns(of: rendition.ledger) }
        renditions = [:]
        comparison.restart()
        delivery = ChannelDelivery()
        episodes = []
        silence = PresenceSilent()
        silence.hold(at: now)
    }

    private mutating func updateQuietHours() {
        let isQuietNow = settings.isQuiet(at: wallTime)
        if isQuietNow, !isQuiet {
            stop(Self.presenceChecks)
        }
        isQuiet = isQuietNow
    }

    /// Excludes the time in which no tags are expected from a silence.
    private mutating func holdSilence(at time: Double) {
        if isQuiet {
            silence = PresenceSilent()
            silence.hold(at: time)
        } else if !silence.isSilent, followedRenditions.contains(where: { $0.isExcused(at: time) }) {
            silence.hold(at: time)
        }
    }
}

// MARK: - Findings, violations, and the state

extension ChannelHealth {
    private var followedRenditions: [LiveRenditionHealth] {
        renditions.filter(isFollowed).map(\.value)
    }

    private func isFollowed(_ index: Int, _ rendition: LiveRenditionHealth) -> Bool {
        now - rendition.lastTime <= settings.window
    }

    private mutating func makeRendition(_ index: Int) -> LiveRenditionHealth {
        if renditions.count >= Self.maximumRenditionCount,
            let oldest = renditions.min(by: { $0.value.lastTime < $1.value.lastTime })
        {
            ledger.markRuns(of: oldest.value.ledger)
            renditions[oldest.key] = nil
        }
        return LiveRenditionHealth(
            policy: policy, settings: settings, name: comparison.name(of: index), at: now)
    }

    /// Returns the name of a rendition for findings, or nil when it has none.
    package func renditionName(of index: Int) -> String? { comparison.name(of: index) }

    private func place(of rendition: Int) -> Finding.Place {
        var place = Finding.Place()
        place.rendition = renditionName(of: rendition)
        return place
    }

    /// Reports a window violation that all renditions share: tags are required in only one of them.
    private mutating func reportWindows(of rendition: Int, position: Double?) {
        guard let own = renditions[rendition] else { return }
        let followed = followedRenditions
        for check in Self.windowChecks {
            let results = followed.compactMap { $0.windows[check] }
            guard !results.isEmpty, results.allSatisfy(\.isViolation) else {
                if results.contains(.pass) { ledger.markRun(check) }
                episodes.remove(check)
                continue
            }
            guard case .violation(let status, let detail) = own.windows[check] else { continue }
            // At the start, an unread rendition may have what this one lacks.
            if now - followedSince < settings.window,
                comparison.indices(ofBackup: false).contains(where: { renditions[$0]?.windows[check] == nil })
            {
                continue
            }
            if episodes.insert(check).inserted {
                report(
                    check, .violation(status, detail), at: own.place, rendition: rendition)
            } else {
                violate(check, status, detail, rendition: rendition, position: position)
            }
        }
    }

    private mutating func report(
        _ check: CheckID, _ result: CheckResult, at place: Finding.Place, rendition: Int
    ) {
        switch result {
        case .notRun: break
        case .pass: ledger.markRun(check)
        case .violation(let status, let detail):
            report(
                check, Finding(status: status, place: place, detail: detail), rendition: rendition)
        }
    }

    private mutating func report(_ check: CheckID, _ finding: Finding, rendition: Int) {
        ledger.report(check, finding)
        guard finding.status >= .warn else { return }
        recentFindings.append(RecentFinding(time: wallTime, check: check, finding: finding))
        if recentFindings.count > Self.keptFindingCount { recentFindings.removeFirst() }
        events.append(.finding(check, finding))
        violate(
            check, finding.status, finding.detail, rendition: rendition, position: finding.place.position)
    }

    private mutating func violate(
        _ check: CheckID, _ severity: CheckStatus, _ detail: String, rendition: Int, position: Double?
    ) {
        guard severity >= .warn else { return }
        let violation = ChannelViolation(
            check: check, severity: severity, detail: detail, rendition: rendition, position: position)
        violations.observe(violation, at: now)
        events.append(.violation(violation))
    }

    /// Repeats the last violation of a check, which lasts and is not a finding again.
    private mutating func repeatViolation(of check: CheckID, rendition: Int, position: Double? = nil) {
        guard let last = violations.last(of: check) else { return }
        violate(check, last.severity, last.detail, rendition: rendition, position: position)
    }

    private mutating func extendViolation(of check: CheckID) {
        violations.extend(check, at: now)
        events.append(.ongoing(check))
    }

    private mutating func stop(_ checks: Set<CheckID>? = nil) {
        violations.forget(checks)
        events.append(.stopped(checks))
    }

    /// Applies the state that follows from the current observations.
    private mutating func settle() {
        let (next, reason) = currentState
        guard next != state else { return }
        events.append(.state(from: state, to: next, reason: reason))
        state = next
        stateSince = wallTime
    }

    private var currentState: (ChannelState, reason: String) {
        if isEnded { return (.ended, "the playlist has ended") }
        if isPaused { return (.paused, "by an operator") }
        if isQuiet { return (.paused, "quiet hours") }
        if delivery.isUnreachable {
            return (.unreachable, "the load of the playlist \(delivery.failureText)")
        }
        if silence.isSilent { return (.silent, "no DATA tag for \(SecondsText(policy[.silence]))") }
        guard !renditions.isEmpty else { return (.connecting, "nothing has been read yet") }
        if let worst = violations.worst(at: now) { return (.degraded, worst) }
        return (.healthy, "no findings in the last \(SecondsText(settings.window))")
    }
}

extension PlaylistEvent {
    /// The segment of the event; nil for an event of the whole playlist.
    fileprivate var mediaSequence: Int? {
        switch self {
        case .stale: nil
        case .sequenceGap(_, let found), .sequenceBack(_, let found): found
        case .discontinuitySequence(let mediaSequence, _, _), .segmentTooLong(let mediaSequence, _, _),
            .dateJump(let mediaSequence, _), .segmentReplaced(let mediaSequence, _, _):
            mediaSequence
        }
    }
}
