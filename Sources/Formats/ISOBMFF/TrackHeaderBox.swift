/// The track number in a track header box (ISO/IEC 14496-12, 8.3.2).
package struct TrackHeaderBox: Sendable, Hashable {
    /// The track's number.
    package let trackID: UInt32

    /// Reads the payload of the box.
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .trackHeader, newestVersion: 1)
        try reader.skip(reader.version == 0 ? 8 : 16)
        trackID = try reader.readUInt32()
    }
}
