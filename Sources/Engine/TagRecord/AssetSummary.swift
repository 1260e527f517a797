package import NielsenID3

/// A summary of the playback of an asset in a session that reports playheads only and has no tags.
package struct AssetSummary: Sendable, Hashable {
    /// The viewing session, the asset and the last playhead.
    package var session: SessionPlace
    /// The first playhead, in seconds, or in Unix seconds for live.
    package var firstPlayhead: Double
    /// The seconds that the playhead advanced, without jumps.
    package var watched: Double

    /// Creates a summary of an asset.
    package init(session: SessionPlace, firstPlayhead: Double, watched: Double) {
        self.session = session
        self.firstPlayhead = firstPlayhead
        self.watched = watched
    }
}
