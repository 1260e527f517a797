import ID3v2
import LibAVDemux
import SegmentDemux

/// Demuxes bytes as two segments: whole, in chunks, and with each segment filtered by itself.
///
/// Compares the results.
///
/// The first byte selects the size of the chunks, whether skippable bytes are skipped, and the start of the second
/// segment. `prefix` precedes each segment, so that the demuxer detects the intended container. Returns the number of
/// bytes in the tags, for the caller to use.
public func demuxWholeAndInChunks(_ input: [UInt8], prefix: [UInt8]) -> Int {
    guard let choice = input.first, input.count <= 1 << 16 else { return 0 }
    let bytes = Array(input.dropFirst())
    let cut = bytes.count * Int(choice >> 5) / 8
    let segments = [prefix + bytes[..<cut], prefix + bytes[cut...]]
    let whole = demux(segments, chunk: .max, skips: false)
    let chunked = demux(segments, chunk: Int(choice >> 2 & 7) * 61 + 1, skips: choice & 1 != 0)
    precondition(whole == chunked, "the result depends on the chunks")
    precondition(
        whole == demuxFiltered(segments), "segments that are filtered by themselves give something else")
    var total = 0
    for (result, bytes) in zip(whole, segments) {
        guard case .success(let segment) = result else {
            precondition(result == .failure(.unknownContainer(byteCount: UInt64(bytes.count))))
            continue
        }
        precondition(segment.facts.byteCount == UInt64(bytes.count))
        precondition(segment.facts.malformed.first.count <= CarriageFacts.maximumListed)
        for tag in segment.tags {
            precondition(tag.bytes.starts(with: [0x49, 0x44, 0x33]))
            precondition(bytes[tag.offset...].starts(with: tag.bytes), "not the bytes of the segment")
            if case .truncated(let expected) = tag.completeness { precondition(expected > tag.bytes.count) }
            total &+= tag.bytes.count
        }
    }
    return total
}

private func demux(_ segments: [[UInt8]], chunk: Int, skips: Bool) -> [Result<DemuxedSegment, DemuxError>] {
    var demuxer = SegmentDemuxer()
    return segments.map { bytes in
        Result { () throws(DemuxError) in
            demuxer.beginSegment()
            var position = 0
            while position < bytes.count {
                let skippable = demuxer.skippableByteCount
                if skips, skippable > 0 {
                    let count = min(skippable, UInt64(bytes.count - position))
                    demuxer.skip(count)
                    position += Int(count)
                    continue
                }
                let next = position + min(chunk, bytes.count - position)
                try demuxer.feed(bytes.span.extracting(position..<next))
                position = next
            }
            return try demuxer.endSegment()
        }
    }
}

/// Filters each segment by itself.
///
/// A segment that must be read in order is fed to the demuxer instead.
private func demuxFiltered(_ segments: [[UInt8]]) -> [Result<DemuxedSegment, DemuxError>] {
    var demuxer = SegmentDemuxer()
    return segments.map { bytes in
        Result { () throws(DemuxError) in
            var filter = SegmentFilter()
            filter.feed(bytes.span)
            if let segment = filter.finish() { return try demuxer.demux(segment) }
            demuxer.beginSegment()
            try demuxer.feed(bytes.span)
            return try demuxer.endSegment()
        }
    }
}
