import NielsenID3
import TestSupport

extension Samples {
    /// Returns the Nielsen tag in these bytes.
    static func decode(_ bytes: [UInt8]) -> NielsenTag? { NielsenTag(tagBytes: bytes.span) }

    static func decodeAll(_ bytes: [UInt8]) -> [NielsenTag] { NielsenTag.all(in: bytes.span) }

    /// Returns the Nielsen tag of this owner identifier.
    static func decode(owner: [UInt8]) -> NielsenTag? { NielsenTag(ownerIdentifier: owner.span) }
}
