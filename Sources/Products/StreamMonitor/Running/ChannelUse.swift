import HLSPlaylist
import NielsenID3
import StreamHealth

/// The rate limits of a channel on resources that all channels share.
struct ChannelUse: Sendable {
    /// The limit on new segments that are read.
    var segments: RateShare
    /// The limit on tags and findings that are reported.
    var lines: RateShare

    /// The limit on events in the first minute, when every segment of the playlist is new.
    private static let initialLineCount = 100_000

    init(_ policy: HealthPolicy) {
        segments = RateShare(
            policy.count(.channelSegments), every: .seconds(60),
            initialCount: PlaylistLimit.segments.maximum)
        lines = RateShare(
            policy.count(.channelLines), every: .seconds(60), initialCount: Self.initialLineCount)
    }
}
