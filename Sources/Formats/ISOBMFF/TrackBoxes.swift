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

/// A handler box, which declares the kind of media in a track (ISO/IEC 14496-12, 8.4.3).
package struct HandlerBox: Sendable, Hashable {
    /// The kind of media.
    package let kind: BoxType

    /// Audio.
    package static let sound = BoxType("soun")
    /// Video.
    package static let video = BoxType("vide")

    /// Reads the payload of the box.
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .handler, newestVersion: 0)
        try reader.skip(4)
        kind = BoxType(rawValue: try reader.readUInt32())
    }
}
