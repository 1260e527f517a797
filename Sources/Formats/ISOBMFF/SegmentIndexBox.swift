/// The times of a segment index box (ISO/IEC 14496-12, 8.16.3).
///
///     reference_ID (4)  timescale (4)  earliest_presentation_time (4 or 8)  first_offset (4 or 8)  …
package struct SegmentIndexBox: Sendable, Hashable {
    /// Ticks per second; never zero.
    package let timescale: UInt32

    /// The earliest presentation time in the indexed media, in ticks.
    package let earliestPresentationTime: UInt64

    /// Reads the payload of the box.
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .segmentIndex, newestVersion: 1)
        try reader.skip(4)
        timescale = try reader.readUInt32()
        earliestPresentationTime = try reader.readVersionedUInt()
        guard timescale > 0 else { throw .zeroTimescale(at: 8, type: .segmentIndex) }
    }
}
