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
