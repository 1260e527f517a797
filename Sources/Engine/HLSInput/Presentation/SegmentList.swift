extension Presentation {
    /// The media segments of a rendition, in order.
    ///
    /// The segments of a playlist are created on access. All of them at once, each with its address, would use more
    /// memory than the playlist itself, which may list 131,072 segments. Lazy creation also makes the first segment
    /// available immediately.
    package struct SegmentList: Sendable, RandomAccessCollection {
        private enum Content {
            case made([Segment])
            case listed(ListedSegments)
        }

        private let content: Content

        /// Creates a list of segments without a playlist.
        init(_ segments: [Segment]) { content = .made(segments) }

        /// Creates a list of the segments in a playlist.
        init(_ segments: ListedSegments) { content = .listed(segments) }

        /// The index of the first segment: 0.
        package var startIndex: Int { 0 }

        /// The number of segments.
        package var endIndex: Int {
            switch content {
            case .made(let segments): segments.count
            case .listed(let segments): segments.count
            }
        }

        /// Returns a segment; if its references cannot be resolved, reading it fails with the reason.
        package subscript(index: Int) -> Segment {
            switch content {
            case .made(let segments): segments[index]
            case .listed(let segments): segments[index]
            }
        }
    }
}
