package import HLSPlaylist
package import ID3v2
package import NielsenID3

/// The continuous health of one live channel: its state, and the violations of its checks.
///
/// This is a value without I/O: the caller passes observations with their times and drains the events. Its memory is
/// bounded. The state depends on the findings of the last minute; counts accumulate from the start.
///
/// Times passed in are steady; published times, and times compared with tags and quiet hours, are wall time.
package struct ChannelHealth: Sendable {
    /// The limits of its checks.
    package let policy: HealthPolicy
    /// The channel's settings besides the limits.
    package let settings: ChannelHealthSettings

    /// The current state.
    package private(set) var state = ChannelState.connecting
    /// The time of the last state change.
    package private(set) var stateSince: WallTime
    /// The time of the last DATA tag; nil before the first.
    package private(set) var lastTagTime: WallTime?

    private(set) var activity = ChannelActivity.checking
    private var renditions: ChannelRenditions
    /// The use of the backup; nil for a channel without one.
    private var backup: ChannelBackup?
    private var silence: PresenceSilent
    private var book: EpisodeBook
    private var events: [ChannelEvent] = []
    /// The last time at which each kind of limit was exceeded.
    private var exceededLimits: [ExceededLimit: SteadyTime] = [:]
    private let healthyReason: String
    private var earlierTags = HealthVerdict.TagCounts()
    package var breaks = ChannelBreaks()
    /// The time since which the renditions of the primary are followed.
    private var followedSince: SteadyTime

    /// Creates the health of a channel that is followed from a moment.
    ///
    /// `episodes` were open, and `findings` known, when the channel was last followed.
    package init(
        policy: HealthPolicy, settings: ChannelHealthSettings = ChannelHealthSettings(),
        open episodes: [Episode] = [], findings: [FindingGroup] = [], at moment: ClockMoment
    ) {
        let time = moment.steady
        (self.policy, self.settings) = (policy, settings)
        renditions = ChannelRenditions(policy: policy, window: settings.window)
        book = EpisodeBook(
            policy: policy, settings: settings, hourlyCount: policy.count(.channelAlerts), open: episodes,
            findings: findings, at: moment)
        book.resume(.presenceSilent)
        if settings.hasBackup { backup = ChannelBackup(earlierUse: book.onset(of: .channelBackup)) }
        if book.isOpen(.playlistHTTP) { _ = renditions.update(.first, at: time) { $0.resumeFailure() } }
        (followedSince, stateSince, silence) = (time, moment.wall, PresenceSilent(at: time))
        healthyReason = "no findings in the last \(SecondsText(settings.window))"
        advance(to: time)
    }

    /// The latest time passed in.
    package var now: SteadyTime { book.moment.steady }
    /// The same moment by both clocks.
    package var moment: ClockMoment { book.moment }
    /// The seconds to add to the given times to get the wall time; 0 until the wall clock is set.
    package var wallTimeOffset: Double {
        get { book.moment.wallOffset }
        set { book.moment.wallOffset = newValue }
    }

    /// Whether tags are expected and none has arrived for too long, in any state of the channel.
    package var isSilent: Bool {
        activity == .checking && book.isLasting(.presenceSilent) && !settings.muted.contains(.presenceSilent)
    }

    /// The use of the backup because the primary fails; nil while the primary works.
    package var backupUse: (since: WallTime, reason: String)? {
        backup?.use.map { (moment.wall - (now - $0.since), $0.reason) }
    }

    /// Returns whether a source cannot be used, so that another one must be read.
    package func isFailing(_ source: RenditionID.Source, at time: SteadyTime) -> Bool {
        ChannelBackup.isFailing(renditions.delivery.values(of: source), at: max(now, time))
    }
    /// The last findings, newest last.
    package var recentFindings: [RecentFinding] { book.recent }
    /// The findings by what they state, the last one in the last group.
    package var findingGroups: [FindingGroup] { book.groups }

    /// The open alerts with their consequences, oldest first.
    package var openAlerts: [Episode] { book.open }
    /// Their number.
    package var openAlertCount: Int { book.openCount }
    /// The reason for the current state, as half a sentence.
    package var reason: String { currentState.reason }

    /// The tag counts of the rendition with the most DATA tags, without repeats.
    package var tags: HealthVerdict.TagCounts {
        renditions.all.map(\.tags).max { $0.data < $1.data } ?? earlierTags
    }

    /// The outcome of every check since the start, including the monitor's own, without individual findings.
    package var outcomes: [CheckOutcome] {
        var all = book
        for rendition in renditions.all { all.markRuns(of: rendition) }
        return CheckRegistry.liveOutcomes(
            of: all.ledger, policy: policy, duration: policy[.countMinimumDuration])
    }

    /// Returns the events since the last call, in order, and the episodes to raise and to clear now; call it after
    /// every other method.
    package mutating func drain() -> (events: [ChannelEvent], alerts: [Episode]) {
        var alerts = book.takeChanges()
        if book.takeExcess() {
            observe(.share(.alerts, maximum: policy.count(.channelAlerts)), at: now)
            alerts += book.takeChanges()
        }
        defer { events = [] }
        return (events, alerts)
    }
}

// MARK: - Segments

extension ChannelHealth {
    /// Records a segment, in reading order.
    ///
    /// `behindLive` is the duration of the media that the playlist lists after the segment, in seconds. Its tags were
    /// due that much earlier.
    package mutating func observe(
        _ observation: SegmentObservation, behindLive: Double = 0, at time: SteadyTime
    ) {
        guard activity.isChecked else { return }
        excludeUnexpectedTime(upTo: time)
        moveOn(to: time)
        let id = observation.rendition
        var rendition =
            renditions.remove(id)
            ?? RenditionHealth(
                policy: policy, rendition: renditionName(of: id), live: settings, listsSettledFindings: true,
                at: now)
        let tags = rendition.observe(
            observation, due: moment.wall - max(0, behindLive), isQuiet: activity == .quiet,
            isSilent: book.isLasting(.presenceSilent), delivered: renditions.tagTimes(besides: id.source),
            at: now)
        for tag in tags where tag.occurrence.tag.kind == .data {
            observeDataTag()
            book.observeTag()
            if settings.hasBackup { renditions.addTimes(of: tag.occurrence, of: id.source) }
        }
        breaks.add(&rendition.breaks)
        let found = rendition.drainSettled()
        book.markVerified(by: rendition)
        if let oldest = renditions.insert(rendition, as: id) { book.markRuns(of: oldest) }
        for (check, finding) in found { book.report(check, finding, rendition: id) }
        for check in rendition.ledger.lasting {
            book.repeatViolation(of: check, rendition: id, position: rendition.place.position)
        }
        reportWindows(of: rendition, id)
        compare(observation, tags: tags, isExcused: rendition.isExcused)
        advance(to: time)
    }

    /// Records that DATA tags arrived in a segment that is observed later, after an earlier one.
    package mutating func observeArrivalOfTags(at time: SteadyTime) {
        guard activity.isChecked else { return }
        moveOn(to: time)
        observeDataTag()
    }

    private mutating func observeDataTag() {
        silence.observeTag(at: now)
        book.judge(.presenceSilent, .notRun, at: Finding.Place(), rendition: nil)
        lastTagTime = moment.wall
    }

    /// Sets the followed renditions of the primary or the backup, which must carry the same tags.
    ///
    /// Their checks restart, because their positions count from a new origin.
    package mutating func setRenditions(
        _ followed: [ChannelRendition], of source: RenditionID.Source = .primary
    ) {
        for id in renditions.ids(of: source) {
            if let rendition = renditions.remove(id) { book.markRuns(of: rendition) }
        }
        renditions.set(followed, of: source)
        if source == .primary { followedSince = now }
    }

    /// Returns the name of a rendition for findings, or nil when it has none.
    package func renditionName(of id: RenditionID) -> String? { renditions.name(of: id) }

    private mutating func reportWindows(of rendition: RenditionHealth, _ id: RenditionID) {
        let isStart = now - followedSince < settings.window
        for check in CheckRegistry.checks(on: .unit) {
            if let result = renditions.result(of: check.id, after: id, isStart: isStart, at: now) {
                book.judge(check.id, result, at: rendition.place, rendition: id)
            }
        }
    }

    private mutating func compare(_ observation: SegmentObservation, tags: [PlacedTag], isExcused: Bool) {
        guard let segment = observation.segment else { return }
        let rendition = observation.rendition
        let results = renditions.compare(
            segment, tags: tags, rendition: rendition, isExcused: isExcused, at: now)
        for found in results {
            book.report(found.check, found.result, at: found.place, rendition: rendition)
        }
        if results.isEmpty, renditions.differLastingly {
            book.repeatViolation(of: .renditionTagsDiffer, rendition: rendition)
        }
    }
}

// MARK: - Playlists, loads and limits

extension ChannelHealth {
    /// Records the outcome of loading a rendition's playlist.
    package mutating func observe(
        _ outcome: PlaylistLoadOutcome, rendition: RenditionID = .first, at time: SteadyTime
    ) {
        moveOn(to: time)
        // A problem that this load ends lasted until now.
        if activity.isChecked { renditions.followed.extendViolations(in: &book) }
        let result = renditions.update(rendition, at: now) { [now] in $0.load(outcome, at: now) }
        renditions.advance(to: now)
        if activity.isChecked, let (http, age) = result {
            renditions.report(http, of: outcome, rendition: rendition, age: age, to: &book)
        }
        advance(to: time)
    }

    /// Records that a source could not be opened.
    package mutating func observe(
        _ failure: FetchFailure, opening source: RenditionID.Source, at time: SteadyTime
    ) {
        moveOn(to: time)
        renditions.close(source, at: now)
        observe(.failed(failure), rendition: RenditionID(0, of: source), at: time)
    }

    /// Records the first attempt to read a segment, which decides whether its source can be used.
    package mutating func observeAttempt(
        _ isSuccess: Bool, toReadSegmentOf rendition: RenditionID, at time: SteadyTime
    ) {
        moveOn(to: time)
        _ = renditions.update(rendition, at: now) { $0.observeSegment(isFailure: !isSuccess) }
        advance(to: time)
    }

    /// Records that a load of a rendition's playlist, or of the multivariant playlist that lists it, began.
    package mutating func beginLoad(of rendition: RenditionID, at time: SteadyTime) {
        moveOn(to: time)
        _ = renditions.update(rendition, at: now) { [now] in $0.begin(at: now) }
    }

    /// Records that a load of a multivariant playlist ended.
    package mutating func endLoad(of rendition: RenditionID, at time: SteadyTime) {
        moveOn(to: time)
        _ = renditions.update(rendition, adds: false, at: now) { $0.end() }
        advance(to: time)
    }

    /// Records unexpected changes in a rendition's playlist.
    package mutating func observe(
        _ events: [PlaylistEvent], rendition: RenditionID = .first, at time: SteadyTime
    ) {
        if events.isEmpty { return }
        moveOn(to: time)
        for event in events {
            var age = 0.0
            if case .stale(let duration, _) = event {
                age = duration / .seconds(1)
                _ = renditions.update(rendition, adds: false, at: now) { [now] in
                    $0.markStale(since: now - age)
                }
            }
            guard activity.isChecked else { continue }
            var place = renditions.place(of: rendition)
            place.mediaSequence = event.mediaSequence.flatMap(UInt64.init(exactly:))
            book.judge(
                .playlistChange(event, place), by: CheckRegistry.checks(on: .playlistChange),
                rendition: rendition, age: age)
        }
        advance(to: time)
    }

    /// Records that a rendition's playlist is complete and its last segment was read.
    ///
    /// The state lasts until the playlist lists new segments. Call it after each load that returns a complete playlist.
    package mutating func observeEnd(of rendition: RenditionID = .first, at time: SteadyTime) {
        moveOn(to: time)
        if renditions.update(rendition, at: now, { $0.markEnded() }) == true, activity.isChecked {
            book.report(
                .channelEnded, ChannelEnded.violation, at: renditions.place(of: rendition),
                rendition: rendition)
        }
        advance(to: time)
    }

    /// Records the load of a segment, successful or not.
    package mutating func observe(_ fetch: SegmentFetch, rendition: RenditionID = .first, at time: SteadyTime)
    {
        guard activity.isChecked else { return }
        moveOn(to: time)
        var place = renditions.place(of: rendition)
        place.segment = fetch.name
        place.mediaSequence = fetch.mediaSequence
        book.judge(
            .segmentLoad(fetch, place), by: CheckRegistry.checks(on: .segmentLoad), rendition: rendition)
        advance(to: time)
    }

    /// Records an exceeded limit; it is a finding unless the same limit was exceeded within the last minute.
    package mutating func observe(
        _ limit: ExceededLimit, rendition: RenditionID = .first, at time: SteadyTime
    ) {
        guard activity.isChecked else { return }
        moveOn(to: time)
        if let last = exceededLimits.updateValue(now, forKey: limit.kind), now - last <= settings.window {
            book.repeatViolation(of: .channelOverLimit, rendition: rendition)
        } else {
            book.report(
                .channelOverLimit, ChannelOverLimit.check(limit), at: renditions.place(of: rendition),
                rendition: rendition)
        }
        advance(to: time)
    }
}

// MARK: - Time, control and state

extension ChannelHealth {
    /// Sets whether a problem of the monitor exists, or may soon, which then explains those of the channel.
    package mutating func expect(_ check: CheckID, _ isExpected: Bool) { book.expect(check, isExpected) }

    /// Advances the time; call it about once a second.
    package mutating func advance(to time: SteadyTime) {
        moveOn(to: time)
        renditions.advance(to: now)
        backup?.observe(renditions.delivery, at: book.moment.steady)
        guard activity.isChecked else { return updateState() }
        let isQuiet = settings.isQuiet(at: moment.wall)
        if isQuiet, activity == .checking { book.stop(CheckRegistry.presenceChecks) }
        activity = isQuiet ? .quiet : .checking
        excludeUnexpectedTime(upTo: now)
        if activity != .quiet { reportSilence() }
        if let change = backup?.report(to: &book) { events.append(change) }
        renditions.followed.extendViolations(in: &book)
        book.advance(isFollowed: !renditions.isEmpty && !renditions.followed.isBlocked)
        updateState()
    }

    /// Reports a silence, or the load that hangs or fails instead of the silence that follows from it.
    private mutating func reportSilence() {
        let isSilent = book.isLasting(.presenceSilent)
        if !isSilent, silence.isOverLimit(at: now, policy: policy),
            let load = renditions.explainSilence(after: policy[.silence] / 4, at: now)
        {
            backup?.observe(renditions.delivery, at: book.moment.steady)
            book.report(
                .playlistHTTP, .violation(.fail, PlaylistHTTP.text(load.reason)),
                at: renditions.place(of: load.rendition), rendition: load.rendition, age: now - load.start,
                isLasting: true)
            silence.hold(at: now)
        }
        let isOverLimit = silence.isOverLimit(at: now, policy: policy)
        if !isOverLimit { book.markRun(.presenceSilent) }
        guard isSilent || isOverLimit else { return }
        let text = silence.text(at: moment, policy: policy)
        if isSilent { return book.extendViolation(of: .presenceSilent, text) }
        book.judge(
            .presenceSilent, .violation(.fail, text), at: renditions.lastPlace, rendition: nil,
            age: silence.age(at: now))
    }

    /// Pauses all checks: ends their violations and ignores observations until `resume`.
    package mutating func pause(at time: SteadyTime) {
        moveOn(to: time)
        if activity.isChecked { stop(.paused) }
    }

    /// Restarts all checks after `pause` or `end`.
    package mutating func resume(at time: SteadyTime) {
        moveOn(to: time)
        guard !activity.isChecked else { return }
        activity = .checking
        earlierTags = tags
        for rendition in renditions.all { book.markRuns(of: rendition) }
        renditions.restart()
        backup?.restart()
        silence = PresenceSilent(at: now)
        advance(to: time)
    }

    /// Moves the time on while the channel waits for its start: nothing changes before it is followed.
    package mutating func hold(at time: SteadyTime) {
        moveOn(to: time)
        silence.hold(at: now)
        renditions.hold(at: now)
        followedSince = now
    }

    /// Ends a channel that may end after its last segment, and its violations.
    package mutating func end(at time: SteadyTime) {
        moveOn(to: time)
        if activity != .ended { stop(.ended) }
    }

    private mutating func stop(_ activity: ChannelActivity) {
        self.activity = activity
        book.stop()
        updateState()
    }

    private mutating func moveOn(to time: SteadyTime) {
        // Two threads may report the same moment in either order.
        if time.isFinite { book.moment.steady = max(now, time) }
    }

    /// Excludes the time in which no tags are expected from a silence, or in which nothing is read for another cause.
    private mutating func excludeUnexpectedTime(upTo time: SteadyTime) {
        if activity == .quiet { silence = PresenceSilent(at: time) }
        silence.move(
            to: time, isSilent: book.isLasting(.presenceSilent),
            isExcused: renditions.isExcused(at: time, now: now), isBlocked: renditions.followed.isBlocked,
            policy: policy)
    }

    /// Applies the state that follows from the current observations.
    private mutating func updateState() {
        events += book.drainFindings()
        let (next, reason) = currentState
        guard next != state else { return }
        events.append(.state(from: state, to: next, reason: reason))
        (state, stateSince) = (next, moment.wall)
    }

    private var currentState: (ChannelState, reason: String) {
        if let state = activity.state { return state }
        if renditions.followed.isUnreachable {
            return (.unreachable, PlaylistHTTP.text(renditions.delivery.failureText(at: now)))
        }
        if renditions.followed.isOver { return (.ended, "the playlist has ended") }
        if isSilent { return (.silent, PresenceSilent.reason(since: lastTagTime)) }
        guard !renditions.isEmpty else { return (.connecting, "nothing has been read yet") }
        if let worst = book.worst { return (.degraded, worst) }
        return (.healthy, healthyReason)
    }
}
