import HLSInput
import HLSPlaylist
import NielsenID3
import StreamHealth

/// Decides whether a source of a channel is failing, so that its backup must be read.
struct SourceCondition: Sendable {
    /// The number of consecutive failures after which a playlist counts as failing.
    private static let failureCount = 2

    private var renditions: [RenditionID: Rendition] = [:]
    private var isClosed = false

    private struct Rendition: Sendable {
        var loadFailureCount = 0
        var segmentFailureCount = 0
        var isStale = false
        var hasEnded = false
        /// The start of the load that is in progress; nil if none is.
        var loadStart: Duration?
        /// The time that the load of a playlist without new segments may take.
        var longestLoad: Duration?

        func isFailing(at time: Duration) -> Bool {
            if let loadStart, let longestLoad, time - loadStart > longestLoad { return true }
            return isStale || hasEnded || loadFailureCount >= failureCount
                || segmentFailureCount >= failureCount
        }
    }

    /// Returns whether the source is unusable: it cannot be opened, or each playlist fails, is not answered for so long
    /// that it would be stale, is stale, has ended, or lists segments that fail.
    func isFailing(at time: Duration) -> Bool {
        isClosed || !renditions.isEmpty && renditions.values.allSatisfy { $0.isFailing(at: time) }
    }

    /// Records whether the source could be opened; on success, its playlists are loaded next.
    mutating func observeOpening(isFailure: Bool) {
        isClosed = isFailure
        if !isFailure { renditions = [:] }
    }

    /// Records that a load of a playlist began.
    mutating func beginLoad(of rendition: RenditionID, at time: Duration) {
        renditions[rendition, default: Rendition()].loadStart = time
    }

    /// Records a playlist load.
    mutating func observe(_ load: LivePlaylistLoad, of rendition: RenditionID, policy: HealthPolicy) {
        var state = renditions[rendition] ?? Rendition()
        state.loadStart = nil
        state.loadFailureCount = load.failure == nil ? 0 : state.loadFailureCount + 1
        if let target = load.segments.last?.targetSeconds {
            state.longestLoad = StaleLimit(policy).duration(of: .seconds(target))
        }
        if load.update.events.contains(where: { if case .stale = $0 { true } else { false } }) {
            state.isStale = true
        }
        renditions[rendition] = state
    }

    /// Records that a playlist is complete, and its last segment was read.
    mutating func observeEnd(of rendition: RenditionID) {
        renditions[rendition, default: Rendition()].hasEnded = true
    }

    /// Records the outcome of reading a segment.
    mutating func observeSegment(of rendition: RenditionID, isFailure: Bool) {
        var state = renditions[rendition] ?? Rendition()
        state.segmentFailureCount = isFailure ? state.segmentFailureCount + 1 : 0
        state.isStale = false
        state.hasEnded = false
        renditions[rendition] = state
    }
}
