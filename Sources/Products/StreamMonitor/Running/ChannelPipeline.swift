import HLSInput
import HLSPlaylist
import HostSystem
import ID3v2
import NielsenID3
import StreamHealth
import Synchronization
import TagStore

/// Processes what the sources of a channel read: stores new tags, updates the health and the status of the channel, and
/// publishes the resulting events.
final class ChannelPipeline: Sendable {
    private let context: ChannelContext
    private let tags: ChannelTags
    private let alerts: AlertStore
    private let report: @Sendable (MonitorEvent) -> Void
    private let record: Mutex<ChannelRecord>
    /// The clock reading at the creation of the pipeline.
    private let start: ClockReading

    private var clock: any HostClock { context.services.clock }

    init(
        _ context: ChannelContext, tags: ChannelTags, alerts: AlertStore,
        report: @escaping @Sendable (MonitorEvent) -> Void
    ) {
        self.context = context
        self.tags = tags
        self.alerts = alerts
        self.report = report
        start = context.services.clock.reading
        record = Mutex(
            ChannelRecord(
                context.settings, monitor: context.services.buffer.id.text,
                memory: alerts.memory(of: context.settings.id),
                at: ClockMoment(start, steadySince: start)))
    }

    // MARK: Status

    /// The current values for the metrics.
    var metrics: ChannelMetrics { record.withLock(\.currentMetrics) }

    /// The current state and recent history of the channel.
    var details: ChannelDetails { record.withLock { ChannelDetails($0) } }

    /// The current state of the channel.
    var snapshot: ChannelSnapshot { record.withLock { $0.snapshot } }

    /// The distance from live and the time of the newest tag, without the text of the state.
    var position: (secondsBehindLive: Double?, tagTime: ChannelSnapshot.TagTime?) {
        record.withLock { ($0.metrics.snapshot.secondsBehindLive, $0.metrics.snapshot.tagTime) }
    }

    /// The open alerts, oldest first.
    var openAlerts: [Alert] { record.withLock(\.openAlerts) }

    /// Whether the channel was attempted at least once, successfully or not.
    var isTried: Bool { record.withLock { $0.metrics.isTried } }

    // MARK: Sources and playlists

    /// Starts to follow playlists of a source; `areOthers` is whether the primary followed others before.
    func begin(_ places: [LiveRenditionPlace], of source: LiveInput, areOthers: Bool) {
        guard let first = places.first else { return }
        update { record, time in
            record.health.setRenditions(places.map(source.rendition), of: source.source)
            if areOthers { record.restartSpacing() }
            for limit in first.exceededLimits {
                record.health.observe(.playlist(limit), rendition: first.id, at: time)
            }
            if first.isOneOfTooMany {
                record.health.observe(
                    .share(.renditions, maximum: places.count), rendition: first.id, at: time)
            }
        }
    }

    /// Records that a load of a playlist began.
    func beginLoad(of rendition: RenditionID) {
        let time = ClockMoment(clock.reading, steadySince: start).steady
        record.withLock { $0.health.beginLoad(of: rendition, at: time) }
    }

    /// Records that a load of a multivariant playlist ended; its failure is reported with `observe`.
    func endLoad(of rendition: RenditionID) {
        update { record, time in record.health.endLoad(of: rendition, at: time) }
    }

    /// Returns whether a source cannot be used.
    func isFailing(_ source: RenditionID.Source) -> Bool {
        let time = ClockMoment(clock.reading, steadySince: start).steady
        return record.withLock { $0.health.isFailing(source, at: time) }
    }

    /// Records the first attempt to read a segment.
    func observeAttempt(_ isSuccess: Bool, toReadSegmentOf rendition: RenditionID) {
        update { record, time in
            record.health.observeAttempt(isSuccess, toReadSegmentOf: rendition, at: time)
        }
    }

    /// Records that a source could not be opened.
    func observe(_ error: InputError, opening source: LiveInput) {
        let failure = FetchFailure(reason: error.reason)
        update { record, time in
            record.health.observe(failure, opening: source.source, at: time)
            if !source.isBackup { record.metrics.observeFailureToOpen() }
        }
    }

    /// Records a load of a playlist.
    func observe(_ load: LivePlaylistLoad, of place: LiveRenditionPlace) {
        let outcome: PlaylistLoadOutcome =
            if let failure = load.failure {
                .failed(
                    FetchFailure(
                        httpStatus: load.status.flatMap { $0 < 300 ? nil : $0 },
                        reason: failure.reason))
            } else if let newest = load.segments.last {
                .changed(
                    PlaylistEdge(
                        targetDuration: Double(newest.targetSeconds),
                        endDate: newest.programDateTimeMilliseconds.map {
                            WallTime(unixMilliseconds: $0) + newest.duration
                        }))
            } else {
                .unchanged
            }
        context.services.fetchTimes.observe(.playlist, load.duration)
        update { record, time in
            record.metrics.observe(load, of: place.id)
            record.health.observe(outcome, rendition: place.id, at: time)
            record.health.observe(load.update.events, rendition: place.id, at: time)
            for limit in load.exceededLimits {
                record.health.observe(.playlist(limit), rendition: place.id, at: time)
            }
        }
    }

    // MARK: Segments

    /// Stores the new tags of a segment, and reports all of its tags.
    ///
    /// - Parameters:
    ///   - reader: The name under which the buffer stores the read position.
    ///   - position: The media sequence number up to which everything has been read.
    ///   - behindLive: The duration of the media that the playlist lists after the segment, in seconds.
    func store(
        _ live: LiveSegmentReading, of segment: LiveSegment, in place: LiveRenditionPlace, reader: String,
        position: Int, behindLive: Double
    ) async -> ReadSegment {
        let found = live.reading.tags
        let new = tags.insert(found)
        await tags.store(new, reader: reader, position: position)
        let now = clock.reading
        let read = ReadSegment(
            segment: segment, live: live, rendition: place.id, behindLive: behindLive,
            wallTime: WallTime(unixMilliseconds: now.wall))
        // A reader of the events finds their tags counted.
        record.withLock { $0.countTags(new, of: read, at: now) }
        for tag in found.prefix(claimEvents(found.count)) {
            report(MonitorEvent(channel: context.settings.id, time: now.wall, kind: .tag(tag)))
        }
        return read
    }

    /// Records that tags arrived in a segment that is judged later, because an earlier one is missing.
    func observeArrival(of read: ReadSegment) {
        guard read.tags.contains(where: { $0.tag.kind == .data }) else { return }
        update { record, time in record.health.observeArrivalOfTags(at: time) }
    }

    /// Judges a segment after all earlier ones of its playlist.
    func judge(_ read: ReadSegment) {
        var fetch = SegmentFetch(read.segment, read.live)
        fetch.delay = read.delay.map { $0 / .seconds(1) }
        if !read.isGap { context.services.fetchTimes.observe(.segment, read.live.duration) }
        // The tags were due when the segment was read.
        let behindLive = read.behindLive + read.age / .seconds(1)
        update { record, time in
            if !read.isGap, !read.isFailureReported || fetch.failure == nil {
                record.health.observe(fetch, rendition: read.rendition, at: time)
            }
            if read.isOutOfOrder { return }
            record.health.observe(read.live.reading.observation, behindLive: behindLive, at: time)
            record.observe(read)
        }
    }

    /// Records segments that cannot be read, before they are given up.
    func observe(failures: [(segment: LiveSegment, live: LiveSegmentReading)], in place: LiveRenditionPlace) {
        if failures.isEmpty { return }
        update { record, time in
            for (segment, live) in failures {
                record.health.observe(SegmentFetch(segment, live), rendition: place.id, at: time)
            }
        }
    }

    /// Returns how many of the `wanted` events may be reported, and records a finding if the limit is exceeded.
    private func claimEvents(_ wanted: Int) -> Int {
        let taken = context.use.claimEvents(wanted, at: clock.sinceBoot)
        if taken < wanted { observe(.lines, maximum: .channelLines) }
        return taken
    }

    // MARK: Limits, time and control

    /// Records that the channel exceeded a limit of its policy.
    func observe(_ share: ChannelShare, maximum limit: HealthLimit, in rendition: RenditionID = .first) {
        observe(share, maximum: context.settings.policy.count(limit), in: rendition)
    }

    /// Records that the channel exceeded a limit.
    func observe(_ share: ChannelShare, maximum: Int, in rendition: RenditionID = .first) {
        update { record, time in
            record.health.observe(.share(share, maximum: maximum), rendition: rendition, at: time)
        }
    }

    /// Changes the display name.
    func rename(to name: String) { record.withLock { $0.metrics.snapshot.name = name } }

    /// Pauses the checks and clears the alerts.
    func pause() { update { record, time in record.health.pause(at: time) } }

    /// Resumes the checks from the initial state.
    func resume() { update { record, time in record.health.resume(at: time) } }

    /// Moves the time on while the channel waits for its start.
    func hold() { update { record, time in record.health.hold(at: time) } }

    /// Advances the time of the checks.
    ///
    /// - Parameter hasClockProblem: Whether the clock of the machine is, or may be, off the tags of most channels.
    func advance(hasClockProblem: Bool) {
        update { record, time in
            record.health.expect(.monitorClock, hasClockProblem)
            record.health.advance(to: time)
        }
        addPeriods()
    }

    /// Records that a playlist is complete, and its last segment was read.
    func observeEnd(of place: LiveRenditionPlace) {
        update { record, time in record.health.observeEnd(of: place.id, at: time) }
    }

    /// Ends a channel that may end, after its last segment.
    func end() { update { record, time in record.health.end(at: time) } }

    /// Keeps the alerts and at most `count` findings for a restart.
    func keep(findings count: Int) {
        let (open, findings) = record.withLock { ($0.openAlerts, $0.health.findingGroups) }
        alerts.keep(open, Array(findings.suffix(count)), of: context.settings.id)
    }

    /// Stops updating, because another pipeline has taken over the channel and its open alerts.
    func retire() {
        addPeriods(isEnd: true)
        record.withLock { $0.isRetired = true }
    }

    /// Adds the periods for reports that have ended.
    ///
    /// - Parameter isEnd: Whether the channel is not followed any more.
    func addPeriods(isEnd: Bool = false) {
        context.services.periods.add(record.withLock { $0.isRetired ? [] : $0.takePeriods(isEnd: isEnd) })
    }

    /// Applies a change and publishes the resulting events; uses the boot clock, so setting the wall clock has no
    /// effect.
    private func update(_ change: (inout ChannelRecord, _ time: SteadyTime) -> Void) {
        let now = clock.reading
        let moment = ClockMoment(now, steadySince: start)
        let (events, notes) = record.withLock { record -> ([MonitorEvent.Kind], [String]) in
            if record.isRetired { return ([], []) }
            record.health.wallTimeOffset = moment.wallOffset
            change(&record, moment.steady)
            let (events, notes, changes) = record.drain()
            // Do this with the lock held, to keep the order of raises and clears across threads.
            for change in changes { alerts.observe(change, at: now) }
            return (events, notes)
        }
        for note in notes { context.note(note) }
        for event in events { publish(event, unixMilliseconds: now.wall) }
    }

    private func publish(_ kind: MonitorEvent.Kind, unixMilliseconds time: Int64) {
        // Always report an exceeded limit.
        if case .finding(.channelOverLimit, _) = kind {} else if claimEvents(1) == 0 { return }
        report(MonitorEvent(channel: context.settings.id, time: time, kind: kind))
    }
}

extension SegmentFetch {
    /// Creates the result of loading a segment.
    fileprivate init(_ segment: LiveSegment, _ live: LiveSegmentReading) {
        self.init(
            name: segment.printableURI, mediaSequence: UInt64(exactly: segment.mediaSequence),
            duration: segment.duration, seconds: live.duration / .seconds(1),
            failure: live.failure.map { FetchFailure(reason: $0.reason) })
    }
}
