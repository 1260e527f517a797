import HLSInput
import HLSPlaylist

/// The newest segments of a playlist that is followed but not read, in case they are needed later.
struct SkippedSegments {
    /// The maximum media time to hold, in seconds: enough to cover the detection of a failing primary.
    private static let longest = 60.0

    private var segments: [LiveSegment] = []

    /// Appends the new segments of a load, in time linear in their number.
    mutating func append(_ new: [LiveSegment]) {
        segments += new
        var length = segments.reduce(0) { $0 + $1.listed.duration }
        var dropped = 0
        while length > Self.longest, dropped < segments.count {
            length -= segments[dropped].listed.duration
            dropped += 1
        }
        guard dropped > 0 else { return }
        segments.removeFirst(dropped)
        if !segments.isEmpty { segments[0].isContinuation = false }
    }

    /// Removes and returns the segments, oldest first.
    mutating func take() -> [LiveSegment] {
        defer { segments = [] }
        return segments
    }
}
