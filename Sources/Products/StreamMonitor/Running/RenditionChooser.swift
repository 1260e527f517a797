import HLSInput
import NielsenID3
import Synchronization

/// Chooses the renditions of a source that are followed.
struct RenditionChooser: Sendable {
    private let source: ChannelSource
    private let context: ChannelContext
    private let tags: ChannelTags
    private let pipeline: ChannelPipeline

    init(
        _ source: ChannelSource, _ context: ChannelContext, tags: ChannelTags, pipeline: ChannelPipeline
    ) {
        self.source = source
        self.context = context
        self.tags = tags
        self.pipeline = pipeline
    }

    /// Returns the counterparts of the primary's renditions in a backup, or the backup's own choice; empty if they are
    /// not known yet.
    ///
    /// - Parameters:
    ///   - primary: The followed renditions of the primary; empty if they are unknown.
    ///   - isFailing: Whether the primary is unusable.
    func counterparts(
        of primary: [LiveRenditionPlace], isFailing: Bool
    ) async throws(InputError) -> [LiveRenditionPlace] {
        var places: [LiveRenditionPlace] = []
        for place in primary {
            guard let counterpart = try await source.input.counterpart(of: place) else { continue }
            places.append(counterpart)
        }
        // The primary's renditions are unknown, or the backup has no counterparts: choose among the backup's own.
        if places.isEmpty, !primary.isEmpty || isFailing { places = try await choose() }
        return places
    }

    /// Returns the renditions that the settings choose; empty if the task is cancelled.
    func choose() async throws(InputError) -> [LiveRenditionPlace] {
        guard case .chosen(let choice) = context.settings.rendition else {
            let all = try await open(.all)
            if all.count == 1 { return all }
            if !source.isBackup, let last = await lastRead(of: all) { return [last] }
            let probed = try await source.input.probe()
            if Task.isCancelled { return [] }
            Self.logCarriers(probed.filter(\.carriesTags).map(\.place), in: context)
            return (probed.cheapestWithTags ?? probed.first?.place).map { [$0] } ?? all
        }
        return try await open(choice)
    }

    /// Loads the playlist of the source; a load that hangs is reported meanwhile.
    private func open(_ choice: RenditionChoice) async throws(InputError) -> [LiveRenditionPlace] {
        let rendition = RenditionID(0, of: source.input.source)
        pipeline.beginLoad(of: rendition)
        defer { pipeline.endLoad(of: rendition) }
        return try await source.input.open(choice, maximumCount: context.use.maximumRenditionCount)
    }

    /// Returns the only rendition with tags that were read before a restart; nil if there is none or several.
    ///
    /// Following it at once avoids a gap: if one of the other renditions does not respond, a probe takes so long that
    /// segments would expire. Among several renditions, the media sequence numbers do not show which was read last.
    private func lastRead(of places: [LiveRenditionPlace]) async -> LiveRenditionPlace? {
        var found: [LiveRenditionPlace] = []
        for place in places {
            let reader = source.reader(of: place, in: context.settings.id)
            if await tags.position(of: reader) != nil { found.append(place) }
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Logs which renditions carry tags.
    static func logCarriers(_ carriers: [LiveRenditionPlace], in context: ChannelContext) {
        let names = carriers.compactMap(\.printableURI)
        context.note(
            names.isEmpty ? "no rendition carries tags" : "tags are in \(names.joined(separator: ", "))")
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
