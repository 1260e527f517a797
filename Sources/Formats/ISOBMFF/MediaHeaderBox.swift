/// The timescale of a media header box (ISO/IEC 14496-12, 8.4.2).
package struct MediaHeaderBox: Sendable, Hashable {
    /// Ticks per second of the track's times; never zero.
    package let timescale: UInt32

    /// Reads the payload of the box.
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .mediaHeader, newestVersion: 1)
        try reader.skip(reader.version == 0 ? 8 : 16)
        timescale = try reader.readUInt32()
        guard timescale > 0 else { throw .zeroTimescale(at: 12, type: .mediaHeader) }
    }
}
