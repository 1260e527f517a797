/// A track fragment decode time box (ISO/IEC 14496-12, 8.8.12).
package struct TrackFragmentDecodeTimeBox: Sendable, Hashable {
    /// The decode time of the fragment's first sample, in the timescale of the track's media header.
    package let baseMediaDecodeTime: UInt64

    /// Reads the payload of the box.
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .trackFragmentDecodeTime, newestVersion: 1)
        baseMediaDecodeTime = try reader.readVersionedUInt()
    }
}
