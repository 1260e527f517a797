import HLSInput
import HLSPlaylist
import HostSystem
import NielsenID3
import Synchronization

/// Follows one source of a channel: chooses its renditions, follows them, and chooses again when they are gone.
final class SourceFollower: Sendable {
    /// The input that fetches the playlists and segments of the source.
    let input: LiveInput

    private let context: ChannelContext
    private let tags: ChannelTags
    private let pipeline: ChannelPipeline
    /// The follower of the primary; nil if this is the primary.
    private let primary: SourceFollower?
    private let followed = Mutex<[LiveRenditionPlace]>([])

    init(
        _ input: LiveInput, _ context: ChannelContext, tags: ChannelTags, pipeline: ChannelPipeline,
        primary: SourceFollower? = nil
    ) {
        self.input = input
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

    /// Follows the source until the task is cancelled or, for the primary, a channel that may end has ended.
    func run() async {
        var delay = Self.firstRetryDelay
        // The rendition to which the tags have moved; nil if the renditions are chosen.
        var moved: LiveRenditionPlace?
        while !Task.isCancelled {
            do throws(InputError) {
                let primaryNames = primary?.names ?? []
                let places = if let moved { [moved] } else { try await chosenPlaces() }
                if !places.isEmpty {
                    begin(places)
                    delay = Self.firstRetryDelay
                    let end = await follow(places, continuesReading: moved == nil, beside: primaryNames)
                    if Task.isCancelled { return }
                    switch end {
                    case .moved(let place):
                        moved = place
                        continue
                    case .gone: moved = nil
                    case .ended: return pipeline.end()
                    }
                }
            } catch {
                if Task.isCancelled { return }
                pipeline.observe(error, opening: input)
                if primary == nil { context.use.hasReadList = true }
            }
            // Random delays keep many channels of one host from reconnecting at the same time.
            let waiting = delay * .random(in: 0.75..<1.25)
            delay = min(2 * delay, Self.longestRetryDelay)
            guard await context.sleep(.seconds(waiting)) else { return }
        }
    }

    private func begin(_ places: [LiveRenditionPlace]) {
        let last = followed.withLock { followed in
            defer { followed = places }
            return followed.map(\.name)
        }
        let areOthers = primary == nil && !last.isEmpty && last != places.map(\.name)
        pipeline.begin(places, of: input, areOthers: areOthers)
    }

    /// Follows media playlists in parallel until they are complete or the task is cancelled.
    private func follow(
        _ places: [LiveRenditionPlace], continuesReading: Bool, beside primaryNames: [String?]
    ) async -> FollowingEnd {
        await withTaskGroup(of: FollowingEnd.self) { group in
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
        return context.settings.mayEnd && !input.isBackup
    }

    /// Whether to read the segments of this source.
    var isRead: Bool {
        primary == nil || context.settings.comparesBackup || pipeline.isFailing(.primary)
    }

    // MARK: Choosing

    /// Returns the media playlists to follow; empty if they are not known yet.
    private func chosenPlaces() async throws(InputError) -> [LiveRenditionPlace] {
        guard let primary else { return try await choose() }
        return try await counterparts(of: primary.places, isFailing: pipeline.isFailing(.primary))
    }

    /// Returns the counterparts of the primary's renditions in a backup, or the backup's own choice; empty if they are
    /// not known yet.
    ///
    /// - Parameters:
    ///   - primary: The followed renditions of the primary; empty if they are unknown.
    ///   - isFailing: Whether the primary is unusable.
    private func counterparts(
        of primary: [LiveRenditionPlace], isFailing: Bool
    ) async throws(InputError) -> [LiveRenditionPlace] {
        var places: [LiveRenditionPlace] = []
        for place in primary {
            guard let counterpart = try await input.counterpart(of: place) else { continue }
            places.append(counterpart)
        }
        // The primary's renditions are unknown, or the backup has no counterparts: choose among the backup's own.
        if places.isEmpty, !primary.isEmpty || isFailing { places = try await choose() }
        return places
    }

    /// Returns the renditions that the settings choose; empty if the task is cancelled.
    private func choose() async throws(InputError) -> [LiveRenditionPlace] {
        guard case .chosen(let choice) = context.settings.rendition else {
            let all = try await open(.all)
            if all.count == 1 { return all }
            if !input.isBackup, let last = await lastRead(of: all) { return [last] }
            let probed = try await input.probe()
            if Task.isCancelled { return [] }
            logCarriers(probed.filter(\.carriesTags).map(\.place))
            return (probed.cheapestWithTags ?? probed.first?.place).map { [$0] } ?? all
        }
        return try await open(choice)
    }

    /// Loads the playlist of the source; a load that hangs is reported meanwhile.
    private func open(_ choice: RenditionChoice) async throws(InputError) -> [LiveRenditionPlace] {
        let rendition = RenditionID(0, of: input.source)
        pipeline.beginLoad(of: rendition)
        defer { pipeline.endLoad(of: rendition) }
        return try await input.open(choice, maximumCount: context.use.maximumRenditionCount)
    }

    /// Returns the only rendition with tags that were read before a restart; nil if there is none or several.
    ///
    /// Following it at once avoids a gap: if one of the other renditions does not respond, a probe takes so long that
    /// segments would expire. Among several renditions, the media sequence numbers do not show which was read last.
    private func lastRead(of places: [LiveRenditionPlace]) async -> LiveRenditionPlace? {
        var found: [LiveRenditionPlace] = []
        for place in places {
            let reader = input.reader(of: place)
            if await tags.position(of: reader) != nil { found.append(place) }
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Logs which renditions carry tags.
    func logCarriers(_ carriers: [LiveRenditionPlace]) {
        let names = carriers.compactMap(\.printableURI)
        context.note(
            names.isEmpty ? "no rendition carries tags" : "tags are in \(names.joined(separator: ", "))")
    }
}
