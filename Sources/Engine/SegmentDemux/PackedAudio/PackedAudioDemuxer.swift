internal import ID3v2

/// Converts the tags of packed audio segments, which are independent of each other.
struct PackedAudioDemuxer: ContainerDemuxer, Sendable {
    typealias Filter = PackedAudioFilter

    private var segmentIndex = 0
    private var tags: [TimedMetadata] = []

    mutating func beginSegment(index: Int, isDiscontinuous: Bool) {
        segmentIndex = index
        tags = []
    }

    mutating func demux(_ part: FilteredAudio) {
        tags += part.tags.map { tag in
            TimedMetadata(
                bytes: tag.bytes, time: tag.time, carriage: .packedAudio, segmentIndex: segmentIndex,
                offset: tag.offset, completeness: tag.completeness)
        }
    }

    mutating func endSegment(_ last: FilteredAudio) -> DemuxedSegment {
        demux(last)
        defer { tags = [] }
        return DemuxedSegment(tags: tags, facts: last.facts)
    }

    /// Returns no tags: a tag truncated by the end of its segment is returned with that segment.
    mutating func finish() -> [TimedMetadata] { [] }
}
