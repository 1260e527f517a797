import HLSInput
import HLSPlaylist
import HostSystem
import NielsenID3
import Synchronization

/// Follows one source of a channel: chooses its renditions, follows them, and chooses again when they are gone.
final class SourceFollower: Sendable {
    /// The followed source.
    let source: ChannelSource

    private let context: ChannelContext
    private let tags: ChannelTags
    private let pipeline: ChannelPipeline
    /// The follower of the primary; nil if this is the primary.
    private let primary: SourceFollower?
    private let followed = Mutex<[LiveRenditionPlace]>([])

    init(
        _ source: ChannelSource, _ context: ChannelContext, tags: ChannelTags, pipeline: ChannelPipeline,
        primary: SourceFollower? = nil
    ) {
        self.source = source
        self.context = context
        self.tags = tags
        self.pipeline = pipeline
        self.primary = primary
    }

    /// The followed playlists; empty before the first are chosen.
    var places: [LiveRenditionPlace] { followed.withLock(\.self) }

    /// The names of the followed renditions.
    private var names: [String?] { places.map(\.name) }

    // MARK: Following

    /// The first and the longest delay before a retry after an address cannot be opened, in seconds.
    private static let firstRetryDelay = 2.0
    private static let longestRetryDelay = 30.0

    /// The way to find the playlists to follow next.
    private enum Start {
        /// They are chosen.
        case choice
        /// The tags have moved to this rendition.
        case moved(LiveRenditionPlace)
    }

    /// Follows the source until the task is cancelled or, for the primary, a channel that may end has ended.
    func run() async {
        var delay = Self.firstRetryDelay
        var start = Start.choice
        while !Task.isCancelled {
            do throws(InputError) {
                let primaryNames = primary?.names ?? []
                let places = try await places(for: start)
                if !places.isEmpty {
                    begin(places)
                    delay = Self.firstRetryDelay
                    let end = await follow(places, from: start, beside: primaryNames)
                    if Task.isCancelled { return }
                    switch end {
                    case .moved(let place):
                        start = .moved(place)
                        continue
                    case .gone: start = .choice
                    case .ended: return pipeline.end()
                    }
                }
            } catch {
                if Task.isCancelled { return }
                pipeline.observe(error, opening: source)
            }
            // Random delays keep many channels of one host from reconnecting at the same time.
            let waiting = delay * .random(in: 0.75..<1.25)
            delay = min(2 * delay, Self.longestRetryDelay)
            guard await context.sleep(.seconds(waiting)) else { return }
        }
    }

    /// Returns the media playlists to follow; empty if they are not known yet.
    private func places(for start: Start) async throws(InputError) -> [LiveRenditionPlace] {
        switch start {
        case .moved(let place): return [place]
        case .choice:
            let chooser = RenditionChooser(source, context, tags: tags, pipeline: pipeline)
            guard let primary else { return try await chooser.choose() }
            return try await chooser.counterparts(of: primary.places, isFailing: pipeline.isFailing(.primary))
        }
    }

    private func begin(_ places: [LiveRenditionPlace]) {
        let last = followed.withLock { followed in
            defer { followed = places }
            return followed.map(\.name)
        }
        let areOthers = primary == nil && !last.isEmpty && last != places.map(\.name)
        pipeline.begin(places, of: source, areOthers: areOthers)
    }

    /// Follows media playlists in parallel until they are complete or the task is cancelled.
    private func follow(
        _ places: [LiveRenditionPlace], from start: Start, beside primaryNames: [String?]
    ) async -> FollowingEnd {
        let continuesReading =
            switch start {
            case .choice: true
            case .moved: false
            }
        return await withTaskGroup(of: FollowingEnd.self) { group in
            for place in places {
                group.addTask {
                    let follower = RenditionFollower(
                        place, of: self, self.context, tags: self.tags, pipeline: self.pipeline,
                        beside: primaryNames, continuesReading: continuesReading)
                    return await follower.run()
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

    // MARK: Renditions

    /// Returns whether this is a backup whose primary no longer follows the renditions with these names.
    func isOutdated(beside names: [String?]) -> Bool { primary.map { $0.names != names } ?? false }

    /// The number of playlists that the channel follows.
    var followedCount: Int { max(1, (primary ?? self).places.count) }

    /// Records that a playlist is complete, and its last segment was read.
    ///
    /// - Returns: Whether it is no longer followed, because the channel may end.
    func observeEnd(of place: LiveRenditionPlace) -> Bool {
        if !context.settings.mayEnd { pipeline.observeEnd(of: place) }
        return context.settings.mayEnd && !source.isBackup
    }

    /// Whether to read the segments of this source.
    var isRead: Bool {
        primary == nil || context.settings.comparesBackup || pipeline.isFailing(.primary)
    }
}
