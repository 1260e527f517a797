import ID3v2
import LibAVDemux
import SegmentDemux
import Testing

/// Demuxes one segment, all at once or in chunks of one size.
///
/// A player reads its segments without libav, and must get the same tags.
func demux(_ bytes: [UInt8], chunk: Int = .max) throws(DemuxError) -> DemuxedSegment {
    var demuxer = SegmentDemuxer()
    let segment = try demuxer.demux(bytes, chunk: chunk)
    var plain = SegmentDemuxer(limits: DemuxLimits(), library: nil)
    let other = try plain.demux(bytes, chunk: chunk)
    #expect(other.tags == segment.tags)
    #expect(other.facts.unreportedPESCount == 0)
    return segment
}

extension SegmentDemuxer {
    /// Demuxes the next segment, all at once or in chunks of one size.
    mutating func demux(
        _ bytes: [UInt8], chunk: Int = .max, isDiscontinuous: Bool = false
    ) throws(DemuxError) -> DemuxedSegment {
        beginSegment(isDiscontinuous: isDiscontinuous)
        var position = 0
        while position < bytes.count {
            let next = position + min(chunk, bytes.count - position)
            try feed(Array(bytes[position..<next]).span)
            position = next
        }
        return try endSegment()
    }
}

extension TimedMetadata {
    /// The tag's PTS, or nil without one.
    var pts: UInt64? { time?.ticks }

    var pid: UInt16? { if case .transportStream(let pid) = carriage { pid } else { nil } }
}
