/// A handler box: what kind of media a track has (ISO/IEC 14496-12, 8.4.3).
public struct HandlerBox: Sendable, Hashable {
    /// The kind of media.
    public let kind: BoxType

    /// Sound.
    public static let sound = BoxType("soun")
    /// Pictures.
    public static let video = BoxType("vide")

    /// Reads the payload of the box.
    public init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .handler, newestVersion: 0)
        try reader.skip(4)
        kind = BoxType(rawValue: try reader.readUInt32())
    }
}
