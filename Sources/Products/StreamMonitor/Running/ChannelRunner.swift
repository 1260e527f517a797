import HLSInput
import HLSPlaylist
import HTTPTransfer
import HostSystem
import NielsenID3
import StreamHealth
import Synchronization
import TagDelivery
import TagStore

/// Follows one channel until its task ends: loads its playlists, reads new segments, stores the tags, and reports
/// events.
final class ChannelRunner: Sendable {
    /// The settings of the channel.
    let settings: ChannelSettings

    private let services: MonitorServices
    /// The primary, followed by the backup if there is one.
    private let sources: [ChannelSource]
    private let ingest: TagIngest
    /// The owner of the channel's tags in the buffer.
    private let owner: TagOwner
    private let alerts: AlertStore
    private let report: @Sendable (MonitorEvent) -> Void
    private let record: Mutex<ChannelRecord>
    private let redaction: Redaction
    /// The clock reading at the creation of the runner.
    private let start: ClockReading

    init(
        _ settings: ChannelSettings, services: MonitorServices, alerts: AlertStore,
        report: @escaping @Sendable (MonitorEvent) -> Void
    ) {
        self.settings = settings
        self.services = services
        self.alerts = alerts
        self.report = report
        redaction = Redaction(settings)
        var headers = HTTPHeaders()
        for header in settings.headers { headers.append(header.name, header.value) }
        sources = [settings.url, settings.backup].compactMap { $0 }.enumerated().map { index, url in
            let input = LiveInput(
                channel: settings.id, url: url, headers: headers, connection: settings.connection,
                fetcher: services.fetcher, share: settings.policy.count(.channelTransfers),
                segmentListByteCount: min(settings.policy.count(.channelMemory), 1 << 20) << 20,
                allowsPrivateAddresses: services.allowsPrivateAddresses,
                tagPolicy: settings.policy.tagPolicy, clock: services.clock)
            return ChannelSource(input: input, isBackup: index > 0)
        }
        owner = TagOwner(channel: settings.id)
        ingest = TagIngest(into: .own(services.buffer), of: owner)
        services.buffer.setEqualShares(settings.policy[.channelBuffer], of: owner)
        start = services.clock.reading
        record = Mutex(
            ChannelRecord(
                settings, openAlerts: alerts.alerts(of: settings.id),
                at: start.unixSeconds(steadySince: start)))
    }

    /// Sets the limits on renditions and requests for a monitor with `channelCount` channels.
    ///
    /// With few channels, each gets an equal part of the total if that exceeds the default limit. An explicit limit
    /// applies unchanged.
    func share(with channelCount: Int) {
        func share(_ limit: HealthLimit, of all: Int) -> Int {
            let share = max(1, settings.policy.count(limit))
            return settings.policy.isSet(limit) ? share : max(share, all / max(1, channelCount))
        }
        record.withLock { $0.maximumRenditionCount = share(.channelRenditions, of: Self.renditionCount) }
        let transferCount = share(.channelTransfers, of: Self.transferCount)
        for source in sources { source.input.share = transferCount }
    }

    /// The total numbers of concurrent requests and of followed renditions.
    private static let transferCount = 512
    private static let renditionCount = 1_000

    /// The current values for the metrics.
    var metrics: ChannelMetrics { record.withLock { ChannelMetrics($0) } }

    /// The current state and recent history of the channel.
    var details: ChannelDetails { record.withLock { ChannelDetails($0) } }

    /// The data for evidence of an alert.
    var evidenceSubject: EvidenceSubject {
        EvidenceSubject(
            settings: settings, input: sources[0].input, place: record.withLock { $0.primaryPlaces.first },
            details: details)
    }

    /// Whether the channel was attempted at least once, successfully or not.
    var isTried: Bool { record.withLock { $0.counters.isTried } }

    /// The current state of the channel.
    var snapshot: ChannelSnapshot { record.withLock { $0.snapshot } }

    // MARK: Following

    /// The first and the longest delay before a retry after an address cannot be opened, in seconds.
    private static let firstRetryDelay = 2.0
    private static let longestRetryDelay = 30.0

    /// Follows the channel until the task is cancelled or the channel has ended.
    func run() async {
        await readRecentTags()
        await withTaskGroup(of: Bool.self) { group in
            for source in sources {
                group.addTask {
                    await self.run(source)
                    return source.isBackup
                }
            }
            // The backup stops with the primary.
            for await isBackup in group where !isBackup { group.cancelAll() }
        }
    }

    private func run(_ source: ChannelSource) async {
        var delay = Self.firstRetryDelay
        // The rendition that the tags have moved to, if any.
        var moved: LiveRenditionPlace?
        var hasEnded = false
        var last: [LiveRenditionPlace] = []
        while !Task.isCancelled {
            do throws(InputError) {
                let primary = record.withLock(\.primaryNames)
                let places =
                    if let moved { [moved] } else if hasEnded { last } else { try await places(of: source) }
                last = places
                if !places.isEmpty {
                    update { record, time in
                        record.begin(places, ofBackup: source.isBackup)
                        for limit in places[0].exceededLimits {
                            record.health.observe(.playlist(limit), rendition: places[0].index, at: time)
                        }
                        if places[0].isOneOfTooMany {
                            record.health.observe(
                                .share(.renditions, maximum: places.count), rendition: places[0].index,
                                at: time)
                        }
                    }
                    delay = Self.firstRetryDelay
                    let end = await follow(
                        places, of: source, beside: primary, goesOn: moved == nil, hasEnded: hasEnded)
                    if Task.isCancelled { return }
                    moved = nil
                    switch end {
                    case .moved(let place):
                        moved = place
                        continue
                    case .gone: hasEnded = false
                    case .ended where source.isBackup:
                        // The backup may resume while the primary continues.
                        hasEnded = true
                        delay = Self.longestRetryDelay
                    case .ended: return update { record, time in record.health.end(at: time) }
                    }
                }
            } catch {
                if Task.isCancelled { return }
                let failure = FetchFailure(reason: redaction.text(error.reason))
                update { record, time in
                    if source.isBackup {
                        let index = source.numbered(.unopened).index
                        return record.health.observe(.failed(failure), rendition: index, at: time)
                    }
                    record.primary.observeOpening(isFailure: true)
                    record.health.observe(.failed(failure), at: time)
                    record.counters.observeFailureToOpen()
                }
            }
            // Random delays keep many channels of one host from reconnecting at the same time.
            let waiting = delay * .random(in: 0.75..<1.25)
            delay = min(2 * delay, Self.longestRetryDelay)
            guard await sleep(.seconds(waiting)) else { return }
        }
    }

    /// The minimum time that a rendition without tags is followed before the others are probed again.
    private static let probeInterval = Duration.seconds(300)

    /// Returns the media playlists of a source to follow; empty if they are not known yet.
    private func places(of source: ChannelSource) async throws(InputError) -> [LiveRenditionPlace] {
        guard source.isBackup else { return try await chosenPlaces(of: source) }
        let (primary, isFailing) = record.withLock { ($0.primaryPlaces, $0.primary.isFailing) }
        var places: [LiveRenditionPlace] = []
        for place in primary {
            guard let counterpart = try await source.input.counterpart(of: place) else { continue }
            places.append(counterpart)
        }
        // The primary's renditions are unknown, or the backup has no counterparts: choose among the backup's own.
        if places.isEmpty, !primary.isEmpty || isFailing { places = try await chosenPlaces(of: source) }
        return places.map { source.numbered($0) }
    }

    private func chosenPlaces(of source: ChannelSource) async throws(InputError) -> [LiveRenditionPlace] {
        let maximumCount = record.withLock(\.maximumRenditionCount)
        guard case .chosen(let choice) = settings.rendition else {
            let all = try await source.input.open(.all, maximumCount: maximumCount)
            if all.count == 1 { return all }
            if !source.isBackup, let last = await lastRead(of: all, in: source) { return [last] }
            let probed = try await source.input.probe()
            if Task.isCancelled { return [] }
            noteCarriers(probed.filter(\.carriesTags).map(\.place))
            return (probed.cheapestWithTags ?? probed.first?.place).map { [$0] } ?? all
        }
        return try await source.input.open(choice, maximumCount: maximumCount)
    }

    /// Returns the only rendition with tags that were read before a restart; nil if there is none or several.
    ///
    /// Following it at once avoids a gap: if one of the other renditions does not respond, a probe takes so long that
    /// segments would expire. Among several renditions, the media sequence numbers do not show which was read last.
    private func lastRead(of places: [LiveRenditionPlace], in source: ChannelSource) async
        -> LiveRenditionPlace?
    {
        var found: [LiveRenditionPlace] = []
        for place in places where await bookmark(of: source.reader(of: place, in: settings.id)) != nil {
            found.append(place)
        }
        return found.count == 1 ? found[0] : nil
    }

    private func noteCarriers(_ places: [LiveRenditionPlace]) {
        let names = places.compactMap(\.uri).map(redaction.text)
        services.note(
            "\(settings.id): "
                + (names.isEmpty
                    ? "no rendition carries tags" : "tags are in \(names.joined(separator: ", "))"))
    }

    private var isSilent: Bool { snapshot.state == .silent }

    /// The reason why a media playlist is no longer followed.
    private enum FollowingEnd: Sendable {
        /// The playlist is complete, or the task is cancelled.
        case ended
        /// The tags have moved to another rendition.
        case moved(LiveRenditionPlace)
        /// The channel no longer has this rendition, or the primary now follows another one.
        case gone
    }

    /// Follows media playlists of a source in parallel until they are complete or the task is cancelled.
    ///
    /// - Parameters:
    ///   - primary: The names of the primary's followed renditions when those of the backup were chosen.
    ///   - goesOn: Whether to resume after the last segment that was read.
    ///   - hasEnded: Whether the playlists were complete before; they are then read only if they resume.
    private func follow(
        _ places: [LiveRenditionPlace], of source: ChannelSource, beside primary: [String?], goesOn: Bool,
        hasEnded: Bool
    ) async -> FollowingEnd {
        await withTaskGroup(of: FollowingEnd.self) { group in
            for place in places {
                group.addTask {
                    await self.follow(
                        place, of: source, beside: primary, goesOn: goesOn, hasEnded: hasEnded)
                }
            }
            for await end in group {
                if case .ended = end { continue }
                // All renditions are chosen again together.
                group.cancelAll()
                return end
            }
            return .ended
        }
    }

    /// Follows one media playlist of the channel; reads the segments of a backup only when needed.
    private func follow(
        _ place: LiveRenditionPlace, of source: ChannelSource, beside primary: [String?], goesOn: Bool,
        hasEnded: Bool
    ) async -> FollowingEnd {
        let reader = source.reader(of: place, in: settings.id)
        let position = goesOn ? await bookmark(of: reader) : nil
        let rendition = LiveRendition(place, of: source.input, startingAfter: position)
        var hasEnded = hasEnded
        let isOneOfMany = settings.rendition == .automatic && place.uri != nil && !source.isBackup
        // The search runs while the rendition is followed, so no segment is missed.
        let search = RenditionSearch()
        defer { search.cancel() }
        var searchTime = services.clock.sinceBoot
        // It was chosen because it was read before the restart; another one may be better now.
        if isOneOfMany, position != nil { search.begin(in: source.input) }
        var skipped = SkippedSegments()
        while !Task.isCancelled {
            let start = services.clock.sinceBoot
            if isOneOfMany, isSilent, start - searchTime > Self.probeInterval {
                searchTime = start
                search.begin(in: source.input)
            }
            if let found = search.take(), found.name != place.name {
                noteCarriers([found])
                return .moved(found)
            }
            if source.isBackup, record.withLock(\.primaryNames) != primary { return .gone }
            var load = await rendition.load(at: start, jitter: .random(in: 0..<1))
            if Task.isCancelled { return .ended }
            keepShare(of: &load, in: place)
            // A backup that has ended is neither a working source nor a delayed one.
            if hasEnded, load.update.isEnded { return .ended }
            if load.failure == nil { hasEnded = false }
            take(load, of: place)
            load.releaseBody()
            if rendition.isGone { return .gone }
            skipped.append(load.segments)
            if !source.isBackup || isBackupRead {
                let segments = source.isBackup ? skipped.take() : load.segments
                var behind = segments.reduce(0) { $0 + $1.listed.duration }
                for segment in segments {
                    let reading = await rendition.read(segment)
                    // The next reader of the playlist reads an abandoned segment again.
                    if Task.isCancelled { return .ended }
                    behind -= segment.listed.duration
                    await take(reading, of: segment, in: place, reader: reader, behindLive: max(0, behind))
                }
            }
            if load.update.isEnded { return .ended }
            // Load a playlist less often if its processing takes long.
            let renditionCount = max(1, record.withLock(\.primaryPlaces).count)
            let delay = max(load.update.reloadDelay, load.processingDuration * (4 * renditionCount))
            let rest = start + delay - services.clock.sinceBoot
            if rest > .zero {
                guard await sleep(rest) else { return .ended }
            }
        }
        return .ended
    }

    /// Drops the oldest new segments if there are more than the channel may read now, and reports each exceeded limit.
    private func keepShare(of load: inout LivePlaylistLoad, in place: LiveRenditionPlace) {
        let wanted = load.segments.count
        let taken = record.withLock { $0.use.segments.take(wanted, at: services.clock.sinceBoot) }
        if load.keepNewest(taken) {
            observe(.segments, settings.policy.count(.channelSegments), in: place.index)
        }
        if load.isShortened { observe(.memory, settings.policy.count(.channelMemory), in: place.index) }
    }

    /// Reports that the channel exceeded a limit.
    private func observe(_ share: ChannelShare, _ maximum: Int, in rendition: Int = 0) {
        update { record, time in
            record.health.observe(.share(share, maximum: maximum), rendition: rendition, at: time)
        }
    }

    /// Whether to read the segments of the backup; writes a note if the condition of the primary changes that.
    private var isBackupRead: Bool {
        if settings.comparesBackup { return true }
        let (isRead, hasChanged) = record.withLock { record in
            let isFailing = record.primary.isFailing
            defer { record.isBackupRead = isFailing }
            return (isFailing, record.isBackupRead != isFailing)
        }
        if hasChanged {
            services.note(
                "\(settings.id): "
                    + (isRead ? "the primary fails; reading the backup" : "reading the primary again"))
        }
        return isRead
    }

    private func bookmark(of reader: String) async -> Int? {
        do throws(StoreError) {
            return try await services.buffer.bookmark(of: reader).flatMap { Int(exactly: $0) }
        } catch {
            services.note("\(settings.id): the last position is unknown: \(error)")
            return nil
        }
    }

    /// Loads the tags that were stored before a restart, unless an earlier run of this runner has done so.
    private func readRecentTags() async {
        guard record.withLock({ $0.recent == nil }) else { return }
        var recent = RecentTags()
        do throws(StoreError) {
            recent = RecentTags(stored: try await services.buffer.recentTags(of: settings.id))
        } catch {
            services.note("\(settings.id): the tags from before the restart cannot be loaded: \(error)")
        }
        record.withLock { [recent] in $0.recent = recent }
    }

    /// Sleeps; returns false if the task was cancelled.
    private func sleep(_ duration: Duration) async -> Bool {
        do throws(CancellationError) {
            try await services.clock.sleep(for: duration)
            return true
        } catch {
            return false
        }
    }

    // MARK: Playlists and segments

    private func take(_ load: LivePlaylistLoad, of place: LiveRenditionPlace) {
        let outcome: PlaylistLoadOutcome =
            if let failure = load.failure {
                .failed(
                    FetchFailure(
                        httpStatus: load.status.flatMap { $0 < 300 ? nil : $0 },
                        reason: redaction.text(failure.reason)))
            } else if let newest = load.segments.last {
                .changed(
                    PlaylistEdge(
                        targetDuration: Double(newest.targetSeconds),
                        endDate: newest.listed.programDateTimeMilliseconds.map {
                            Double($0) / 1_000 + newest.listed.duration
                        }))
            } else {
                .unchanged
            }
        services.fetchTimes.observe(.playlist, load.duration)
        update { record, time in
            record.observe(load, of: place.index)
            record.counters.observe(load, of: place.index)
            record.health.observe(outcome, rendition: place.index, at: time)
            record.health.observe(load.update.events, rendition: place.index, at: time)
            for limit in load.exceededLimits {
                record.health.observe(.playlist(limit), rendition: place.index, at: time)
            }
        }
    }

    private func take(
        _ live: LiveSegmentReading, of segment: LiveSegment, in place: LiveRenditionPlace, reader: String,
        behindLive: Double
    ) async {
        let tags = live.reading.tags.map(redaction.tag)
        let new = record.withLock { record in
            tags.filter { record.recent?.insert($0) ?? true }
        }
        await keep(new, reader: reader, position: Int64(segment.listed.mediaSequence))
        let time = services.clock.unixMilliseconds
        for tag in tags.prefix(takeLines(tags.count)) {
            report(MonitorEvent(channel: settings.id, time: time, kind: .tag(tag)))
        }
        var fetch = SegmentFetch(
            name: segment.listed.uri, mediaSequence: UInt64(exactly: segment.listed.mediaSequence),
            duration: segment.listed.duration, seconds: live.duration / .seconds(1))
        if case .failed(let error) = live.reading.outcome {
            fetch.failure = FetchFailure(reason: redaction.text(error.reason))
        }
        if !segment.listed.isGap { services.fetchTimes.observe(.segment, live.duration) }
        let wallTime = Double(time) / 1_000
        update { record, time in
            if !segment.listed.isGap { record.health.observe(fetch, rendition: place.index, at: time) }
            record.health.observe(live.reading.observation, behindLive: behindLive, at: time)
            record.count(live, isGap: segment.listed.isGap, rendition: place.index)
            record.snapshot.secondsBehindLive = behindLive
            let clockGoesOn = segment.isContinuation && !segment.listed.isDiscontinuity
            record.count(tags, new: new, rendition: place.index, clockGoesOn: clockGoesOn, at: wallTime)
            record.draw(
                live, rendition: place.index, clockGoesOn: clockGoesOn, behindLive: behindLive, at: wallTime)
        }
    }

    private func keep(_ tags: [TagOccurrence], reader: String, position: Int64) async {
        guard !tags.isEmpty else { return }
        let recent = record.withLock { $0.recent?.bookmark(of: settings.id, with: tags) }
        do throws(StoreError) {
            let outcome = try await ingest.append(
                tags, bookmark: Bookmark(reader: reader, position: position, recentTags: recent))
            services.bufferHealth.observe(outcome)
            if outcome.acceptedCount == tags.count {
                record.withLock { $0.recent?.markStored(tags) }
            }
        } catch {
            services.bufferHealth.observe(error)
        }
    }

    // MARK: Health

    /// Pauses the checks and clears the alerts.
    func pause() { update { record, time in record.health.pause(at: time) } }

    /// Resumes the checks from the initial state.
    func resume() { update { record, time in record.health.resume(at: time) } }

    /// Stops updating, because a new runner has taken over this channel and its open alerts.
    func retire() { record.withLock { $0.isRetired = true } }

    /// Advances the channel's clock; called about once a second.
    ///
    /// - Parameter losing: The owners that lost tags in the buffer because they exceeded their share.
    func advance(losing: Set<TagOwner>) {
        if losing.contains(owner) { observe(.buffer, settings.policy.count(.channelBuffer)) }
        for source in sources where source.input.takeExceededShare() {
            observe(.transfers, source.input.share)
        }
        update { record, time in record.health.advance(to: time) }
    }

    /// Applies a change and publishes the resulting events; uses the boot clock, so setting the wall clock has no
    /// effect.
    private func update(_ change: (inout ChannelRecord, _ time: Double) -> Void) {
        let now = services.clock.reading
        let time = now.wall
        let steady = now.unixSeconds(steadySince: start)
        let events = record.withLock { record -> [MonitorEvent.Kind] in
            if record.isRetired { return [] }
            record.health.wallTimeOffset = Double(time) / 1_000 - steady
            change(&record, steady)
            let (events, changes) = record.drainEvents(at: services.clock.sinceBoot)
            // Do this with the lock held, to keep the order of raises and clears across threads.
            for change in changes { alerts.observe(change, at: now) }
            return events
        }
        for event in events { tell(event, time) }
    }

    private func tell(_ kind: MonitorEvent.Kind, _ time: Int64) {
        // Always report an exceeded limit.
        if case .finding(.channelOverLimit, _) = kind {} else if takeLines(1) == 0 { return }
        report(MonitorEvent(channel: settings.id, time: time, kind: kind))
    }

    /// Returns how many of the `wanted` events may be reported, and records a finding if the limit is exceeded.
    private func takeLines(_ wanted: Int) -> Int {
        let taken = record.withLock { $0.use.lines.take(wanted, at: services.clock.sinceBoot) }
        if taken < wanted { observe(.lines, settings.policy.count(.channelLines)) }
        return taken
    }
}
