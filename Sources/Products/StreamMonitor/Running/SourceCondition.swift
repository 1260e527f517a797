import NielsenID3

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
        var isFailing: Bool {
            isStale || hasEnded || loadFailureCount >= failureCount || segmentFailureCount >= failureCount
        }
    }

    /// Whether the source is unusable: it cannot be opened, or each playlist fails, is stale, has ended, or lists
    /// segments that fail.
    var isFailing: Bool {
        isClosed || !renditions.isEmpty && renditions.values.allSatisfy(\.isFailing)
    }

    /// Records whether the source could be opened; on success, its playlists are loaded next.
    mutating func observeOpening(isFailure: Bool) {
        isClosed = isFailure
        if !isFailure { renditions = [:] }
    }

    /// Records a playlist load.
    mutating func observeLoad(of rendition: RenditionID, isFailure: Bool, isStale: Bool) {
        renditions[rendition, default: Rendition()].loadFailureCount =
            isFailure ? (renditions[rendition]?.loadFailureCount ?? 0) + 1 : 0
        if isStale { renditions[rendition]?.isStale = true }
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
