import ID3v2
import SegmentDemux

/// Demuxes one segment, all at once or in chunks of one size.
func demux(_ bytes: [UInt8], chunk: Int = .max) throws(DemuxError) -> DemuxedSegment {
    var demuxer = SegmentDemuxer()
    return try demuxer.demux(bytes, chunk: chunk)
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
