@testable import SegmentDemux

/// A demuxer that creates the filter of its next segment.
protocol FilteringDemuxer: ContainerDemuxer, ~Copyable {
    /// Returns a filter with the state of the previous segments.
    func makeFilter(_ limits: DemuxLimits) -> Filter
}

extension TransportStreamDemuxer: FilteringDemuxer {
    func makeFilter(_ limits: DemuxLimits) -> TransportStreamFilter {
        TransportStreamFilter(map: map, limits: limits)
    }
}

extension FragmentedMP4Demuxer: FilteringDemuxer {
    func makeFilter(_ limits: DemuxLimits) -> FragmentedMP4Filter { FragmentedMP4Filter(limits: limits) }
}

extension PackedAudioDemuxer: FilteringDemuxer {
    func makeFilter(_ limits: DemuxLimits) -> PackedAudioFilter { PackedAudioFilter(limits: limits) }
}

extension FilteringDemuxer where Self: ~Copyable {
    /// Demuxes one segment in chunks of a size; with `skipping`, skippable bytes are skipped.
    mutating func segment(
        _ bytes: [UInt8], index: Int = 0, chunk: Int? = nil, skipping: Bool = false,
        isDiscontinuous: Bool = false, limits: DemuxLimits = DemuxLimits()
    ) throws -> DemuxedSegment {
        var filter = makeFilter(limits)
        beginSegment(index: index, isDiscontinuous: isDiscontinuous)
        var position = 0
        while position < bytes.count {
            if skipping, filter.skippableByteCount > 0 {
                let count = min(filter.skippableByteCount, UInt64(bytes.count - position))
                filter.skip(count)
                position += Int(count)
                continue
            }
            let end = min(position + (chunk ?? bytes.count), bytes.count)
            filter.feed(bytes.span.extracting(position..<end))
            position = end
        }
        return try endSegment(filter.finish())
    }
}

/// Returns the bytes of an integer, most significant first.
func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// Returns an ID3v2.4 tag with one PRIV frame; owner and data have at most 100 bytes.
func privateTag(owner: String, data: [UInt8] = [0x41]) -> [UInt8] {
    let body = Array(owner.utf8) + [0] + data
    let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
    return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
}

/// Returns the tag that states a segment's time (RFC 8216, section 3.4).
func timestampTag(_ pts: UInt64) -> [UInt8] {
    privateTag(owner: "com.apple.streaming.transportStreamTimestamp", data: bigEndian(pts))
}
