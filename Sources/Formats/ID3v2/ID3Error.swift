/// A reason why bytes are not a valid ID3v2 tag or frame.
///
/// Every case has the offset of the violation, in bytes from the start of the given span.
package enum ID3Error: Error, Sendable, Hashable {
    /// Fewer bytes are available than the ten of a tag header.
    case headerTruncated(at: Int, available: Int)
    /// The bytes do not begin with `ID3`.
    case notATag(at: Int)
    /// The version is not 2.2, 2.3 or 2.4.
    case unknownVersion(at: Int, major: UInt8)
    /// The version or the revision is 0xFF, which is reserved (ID3v2.4.0 structure, 3.1).
    case forbiddenRevision(at: Int)
    /// The size is not sync-safe, and as a plain number it does not lead to a frame.
    case sizeNotSyncSafe(at: Int)
    /// A tag of version 2.2 is compressed as a whole, but no compression method is defined (id3v2-00, 3.1).
    case compressedTag(at: Int)
    /// The extended header extends past the tag or has an impossible size.
    case extendedHeaderInvalid(at: Int)
    /// The bytes end before the end of the tag.
    case tagTruncated(at: Int, declared: Int, available: Int)
    /// The bytes at a frame position are neither a frame identifier nor padding.
    case frameIdentifierInvalid(at: Int)
    /// The size of a frame is unreadable.
    case frameSizeInvalid(at: Int)
    /// The size of a frame exceeds the rest of its tag.
    case frameBeyondTag(at: Int, declared: Int, available: Int)
    /// The bytes end before the end of the frame, although the frame fits in its tag.
    case frameTruncated(at: Int, declared: Int, available: Int)
    /// The flags of a frame announce more fields than the frame has room for.
    case frameFieldsMissing(at: Int)
    /// The frame is encrypted and the key is unknown.
    case frameEncrypted(at: Int)
    /// The compressed data of a frame is damaged.
    case compressedDataInvalid(at: Int)
    /// The decompressed data of a frame would exceed `InflateLimits`.
    case compressedDataTooLarge(at: Int)

    /// The position of the violation, in bytes from the start of the given span.
    package var offset: Int {
        switch self {
        case .headerTruncated(let offset, _), .notATag(let offset), .unknownVersion(let offset, _),
            .forbiddenRevision(let offset), .sizeNotSyncSafe(let offset), .compressedTag(let offset),
            .extendedHeaderInvalid(let offset), .frameIdentifierInvalid(let offset),
            .frameSizeInvalid(let offset), .frameBeyondTag(let offset, _, _),
            .frameTruncated(let offset, _, _), .tagTruncated(let offset, _, _),
            .frameFieldsMissing(let offset), .frameEncrypted(let offset),
            .compressedDataInvalid(let offset), .compressedDataTooLarge(let offset):
            offset
        }
    }

    /// The broken rule.
    package var rule: MalformedRule {
        switch self {
        case .headerTruncated: .tagHeaderTruncated
        case .notATag: .notATag
        case .unknownVersion: .tagVersion
        case .forbiddenRevision: .tagRevision
        case .sizeNotSyncSafe: .tagSize
        case .compressedTag: .compressedTag
        case .extendedHeaderInvalid: .extendedHeader
        case .tagTruncated: .tagTruncated
        case .frameIdentifierInvalid: .frameIdentifier
        case .frameSizeInvalid: .frameSize
        case .frameBeyondTag: .frameBeyondTag
        case .frameTruncated: .frameTruncated
        case .frameFieldsMissing: .frameFields
        case .frameEncrypted: .frameEncrypted
        case .compressedDataInvalid: .compressedData
        case .compressedDataTooLarge: .compressedSize
        }
    }
}
