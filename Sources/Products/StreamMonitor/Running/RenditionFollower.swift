import HLSInput
import HLSPlaylist
import HostSystem
import StreamHealth
import Synchronization

/// The reason why a media playlist is no longer followed.
enum FollowingEnd: Sendable {
    /// The playlist of a channel that may end is complete, or the task is cancelled.
    case ended
    /// The tags have moved to another rendition.
    case moved(LiveRenditionPlace)
    /// The channel no longer has this rendition, or the primary now follows another one.
    case gone
}

/// Follows one media playlist of a source: loads it again and again, and reads its new segments.
///
/// The segments of a backup are read only when needed.
struct RenditionFollower {
    /// The minimum time that a rendition without tags is followed before the others are probed again.
    private static let probeInterval = Duration.seconds(300)

    private let place: LiveRenditionPlace
    private let follower: SourceFollower
    private let context: ChannelContext
    private let tags: ChannelTags
    private let pipeline: ChannelPipeline
    private let primaryNames: [String?]
    private let continuesReading: Bool
    /// The name under which the buffer stores the read position.
    private let reader: String

    private var input: LiveInput { follower.input }
    private var isBackup: Bool { input.isBackup }
    private var now: Duration { context.services.clock.sinceBoot }

    /// Creates a follower that has loaded nothing.
    ///
    /// - Parameters:
    ///   - primaryNames: The names of the primary's followed renditions when those of the backup were chosen.
    ///   - continuesReading: Whether to resume after the last segment that was read.
    init(
        _ place: LiveRenditionPlace, of follower: SourceFollower, _ context: ChannelContext,
        tags: ChannelTags, pipeline: ChannelPipeline, beside primaryNames: [String?], continuesReading: Bool
    ) {
        self.place = place
        self.follower = follower
        self.context = context
        self.tags = tags
        self.pipeline = pipeline
        self.primaryNames = primaryNames
        self.continuesReading = continuesReading
        reader = follower.input.reader(of: place)
    }

    /// Follows the playlist until other renditions must be chosen, or the task is cancelled.
    ///
    /// A complete playlist is loaded again, because most packagers complete theirs when they are restarted. That of a
    /// channel that may end is not.
    func run() async -> FollowingEnd {
        let position = continuesReading ? await tags.position(of: reader) : nil
        let rendition = LiveRendition(place, of: input, startingAfter: position)
        let isOneOfMany = context.settings.rendition == .automatic && place.name != nil && !isBackup
        // The search runs while the rendition is followed, so no segment is missed.
        let search = RenditionSearch()
        defer { search.cancel() }
        var searchTime = now
        // It was chosen because it was read before the restart; another one may be better now.
        if isOneOfMany, position != nil { search.begin(in: input) }
        var skipped = SkippedSegments()
        var queue = SegmentQueue()
        while !Task.isCancelled {
            let start = now
            if isOneOfMany, start - searchTime > Self.probeInterval, pipeline.snapshot.state == .silent {
                searchTime = start
                search.begin(in: input)
            }
            if let found = search.take(), found.name != place.name {
                follower.logCarriers([found])
                return .moved(found)
            }
            if follower.isOutdated(beside: primaryNames) { return .gone }
            pipeline.beginLoad(of: place.id)
            var load = await rendition.load(
                at: start, jitter: .random(in: 0..<1), awaiting: queue.awaited)
            if Task.isCancelled { return .ended }
            keepShare(of: &load)
            pipeline.observe(load, of: place)
            load.releaseBody()
            if rendition.isGone { return .gone }
            queue.observe(load, at: now)
            if isBackup { skipped.append(load.segments, reservedBy: load.reservation) }
            if follower.isRead {
                let due =
                    isBackup ? skipped.take() : [(segments: load.segments, reservation: load.reservation)]
                for new in due { queue.append(new.segments, reservedBy: new.reservation, at: now) }
                await readDue(&queue, through: rendition)
                // The next reader of the playlist reads an abandoned segment again.
                if Task.isCancelled { return .ended }
            } else {
                queue.removeAll()
            }
            if !isBackup { context.use.hasReadList = true }
            if load.update.isEnded, queue.isEmpty, follower.observeEnd(of: place) { return .ended }
            // Load a playlist less often if its processing takes long. Waiting for a processor does not count: on a
            // busy machine, every channel would fall behind.
            let delay = max(
                load.update.reloadDelay, load.processorTime * (4 * follower.followedCount))
            while start + delay > now {
                // The segments of a source that is no longer read wait for its next load, which drops them.
                let next = follower.isRead ? queue.nextTime : nil
                let wake = min(start + delay, max(now, next ?? start + delay))
                guard await context.sleep(wake - now) else { return .ended }
                if next != nil, follower.isRead { await readDue(&queue, through: rendition) }
                if Task.isCancelled { return .ended }
            }
        }
        return .ended
    }

    /// Drops the oldest new segments if there are more than the channel may read now, and reports each exceeded limit.
    private func keepShare(of load: inout LivePlaylistLoad) {
        if load.keepNewest(context.use.claimSegments(load.segments.count, at: now)) {
            pipeline.observe(.segments, maximum: .channelSegments, in: place.id)
        }
        if load.isShortened { pipeline.observe(.memory, maximum: .channelMemory, in: place.id) }
    }

    /// Reads the segments that are due, and judges them in order; stops if the task is cancelled.
    private func readDue(_ queue: inout SegmentQueue, through rendition: LiveRendition) async {
        while let step = queue.next(at: now) {
            if step.isLimited {
                let delay = rendition.delayBeforeRetry(of: step.segment)
                if delay > .zero {
                    queue.postpone(step.id, until: now + delay)
                    continue
                }
            }
            switch step.kind {
            case .read:
                let (live, isComplete) = await rendition.attempt(step.segment) {
                    queue.isComplete($0, of: step)
                }
                await record(live, of: step, isComplete: isComplete, in: &queue)
            case .readLate(let earlier):
                let live = await rendition.readLate(step.segment, from: earlier)
                await record(live, of: step, isComplete: queue.isComplete(live, of: step), in: &queue)
            case .pass(let live):
                rendition.pass(step.segment)
                queue.pass(step.id)
                // A tag that is truncated now may be complete later.
                await store(live.withCompleteTags(), of: step, in: &queue)
            }
            if Task.isCancelled { return }
            for read in queue.takeResults(at: now) { pipeline.judge(read) }
        }
        pipeline.observe(failures: queue.takeFailures(at: now), in: place)
        for read in queue.takeResults(at: now) { pipeline.judge(read) }
    }

    /// Records a reading, and stores its tags unless the segment is read again.
    private func record(
        _ live: LiveSegmentReading, of step: SegmentQueue.Step, isComplete: Bool, in queue: inout SegmentQueue
    ) async {
        if Task.isCancelled { return }
        // A segment that is still missing is one failure of the source.
        let isRepeatedFailure = step.isRetry && live.failure != nil
        if !step.segment.isGap, !isRepeatedFailure {
            pipeline.observeAttempt(live.failure == nil, toReadSegmentOf: place.id)
        }
        if let stored = queue.record(live, of: step, isComplete: isComplete, at: now) {
            await store(stored, of: step, in: &queue)
        }
    }

    private func store(
        _ live: LiveSegmentReading, of step: SegmentQueue.Step, in queue: inout SegmentQueue
    ) async {
        let read = await pipeline.store(
            live, of: step.segment, in: place, reader: reader,
            position: queue.position(through: step.segment),
            behindLive: queue.seconds(after: step.id))
        queue.complete(step.id, with: read, at: now)
        if queue.isBehind(step.id) { pipeline.observeArrival(of: read) }
    }
}

/// Searches for the rendition that carries a channel's tags while another one is followed.
final class RenditionSearch: Sendable {
    private let state = Mutex(State())

    private struct State {
        var task: Task<Void, Never>?
        var found: LiveRenditionPlace?
    }

    /// Starts a search, unless one is running.
    func begin(in input: LiveInput) {
        state.withLock { state in
            guard state.task == nil else { return }
            state.task = Task {
                do throws(InputError) {
                    self.end(with: try await input.probe().cheapestWithTags)
                } catch {
                    // The runner of the channel reports that the address fails.
                    self.end(with: nil)
                }
            }
        }
    }

    private func end(with place: LiveRenditionPlace?) {
        state.withLock { state in
            state.task = nil
            state.found = place
        }
    }

    /// Returns the rendition found since the last call, or nil if there is none.
    func take() -> LiveRenditionPlace? {
        state.withLock { state in
            defer { state.found = nil }
            return state.found
        }
    }

    /// Cancels the search.
    func cancel() { state.withLock { $0.task?.cancel() } }
}
