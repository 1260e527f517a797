package import NielsenID3

/// How an asset was played in a session that goes by playheads alone, and has no tags.
package struct AssetSummary: Sendable, Hashable {
    /// The viewing session, what was played, and the last playhead.
    package var session: SessionPlace
    /// The first playhead, in seconds, or in Unix seconds for live.
    package var firstPlayhead: Double
    /// By how many seconds the playhead went on, without its jumps.
    package var watched: Double

    /// A summary of an asset.
    package init(session: SessionPlace, firstPlayhead: Double, watched: Double) {
        self.session = session
        self.firstPlayhead = firstPlayhead
        self.watched = watched
    }
}
