extension Presentation {
    /// The media segments of a rendition, in their order.
    ///
    /// Those of a playlist are made when they are asked for, from what the playlist says. All at once, with an
    /// address each, they would take more memory than the playlist itself, and a playlist may name 131,072 of
    /// them; one by one, the first is there before the last was looked at.
    package struct SegmentList: Sendable, RandomAccessCollection {
        private enum Content {
            case made([Segment])
            case listed(ListedSegments)
        }

        private let content: Content

        /// Segments that no playlist says anything about.
        init(_ segments: [Segment]) { content = .made(segments) }

        /// The segments of a playlist.
        init(_ segments: ListedSegments) { content = .listed(segments) }

        /// The index of the first segment: 0.
        package var startIndex: Int { 0 }

        /// How many segments there are.
        package var endIndex: Int {
            switch content {
            case .made(let segments): segments.count
            case .listed(let segments): segments.count
            }
        }

        /// A segment; of a playlist's, one whose references cannot be resolved says so when it is read.
        package subscript(index: Int) -> Segment {
            switch content {
            case .made(let segments): segments[index]
            case .listed(let segments): segments[index]
            }
        }
    }
}
