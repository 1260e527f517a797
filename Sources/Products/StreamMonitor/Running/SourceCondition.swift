/// Whether a source of a channel fails, so that its backup is read.
struct SourceCondition: Sendable {
    /// After how many failures in a row a playlist counts as one that fails.
    private static let failureCount = 2

    private var renditions: [Int: Rendition] = [:]
    private var isClosed = false

    private struct Rendition: Sendable {
        var loadFailureCount = 0
        var segmentFailureCount = 0
        var isStale = false
        var isFailing: Bool {
            isStale || loadFailureCount >= failureCount || segmentFailureCount >= failureCount
        }
    }

    /// Whether nothing can be had from it: it cannot be opened, or each of its playlists fails, stands still or names
    /// segments that fail.
    var isFailing: Bool {
        isClosed || !renditions.isEmpty && renditions.values.allSatisfy(\.isFailing)
    }

    /// Takes that it could not be opened, or that it was and its playlists are loaded next.
    mutating func observeOpening(isFailure: Bool) {
        isClosed = isFailure
        if !isFailure { renditions = [:] }
    }

    /// Takes a load of a playlist.
    mutating func observeLoad(of rendition: Int, isFailure: Bool, isStale: Bool) {
        renditions[rendition, default: Rendition()].loadFailureCount =
            isFailure ? (renditions[rendition]?.loadFailureCount ?? 0) + 1 : 0
        if isStale { renditions[rendition]?.isStale = true }
    }

    /// Takes how reading a segment ended.
    mutating func observeSegment(of rendition: Int, isFailure: Bool) {
        var state = renditions[rendition] ?? Rendition()
        state.segmentFailureCount = isFailure ? state.segmentFailureCount + 1 : 0
        state.isStale = false
        renditions[rendition] = state
    }
}
