import HLSInput
import HLSPlaylist

/// The segments of a playlist that is followed and not read, as far back as they may be needed.
struct SkippedSegments {
    /// How much media is kept, in seconds: what comes while the other source is found to fail.
    private static let longest = 60.0

    private var segments: [LiveSegment] = []

    /// Takes the new segments of a load.
    mutating func append(_ new: [LiveSegment]) {
        segments += new
        var length = segments.reduce(0) { $0 + $1.listed.duration }
        while length > Self.longest, let first = segments.first {
            length -= first.listed.duration
            segments.removeFirst()
            if !segments.isEmpty { segments[0].isContinuation = false }
        }
    }

    /// Hands over what was kept, the oldest first.
    mutating func take() -> [LiveSegment] {
        defer { segments = [] }
        return segments
    }
}
