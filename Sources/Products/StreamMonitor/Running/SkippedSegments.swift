import HLSInput
import HLSPlaylist

/// The newest segments of a playlist that is followed but not read, in case they are needed later.
struct SkippedSegments {
    /// The maximum media time to hold, in seconds: enough to cover the detection of a failing primary.
    private static let longest = 60.0

    private var segments: [LiveSegment] = []

    /// Appends the new segments of a load.
    mutating func append(_ new: [LiveSegment]) {
        segments += new
        var length = segments.reduce(0) { $0 + $1.listed.duration }
        while length > Self.longest, let first = segments.first {
            length -= first.listed.duration
            segments.removeFirst()
            if !segments.isEmpty { segments[0].isContinuation = false }
        }
    }

    /// Removes and returns the segments, oldest first.
    mutating func take() -> [LiveSegment] {
        defer { segments = [] }
        return segments
    }
}
