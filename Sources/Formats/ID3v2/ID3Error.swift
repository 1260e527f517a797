/// What keeps bytes from being an ID3v2 tag or a frame of one.
///
/// Every case has the offset, in bytes from the start of the span that was given, at which the rule is broken.
package enum ID3Error: Error, Sendable, Hashable {
    /// Fewer than the ten bytes of a tag header are there.
    case headerTruncated(at: Int, available: Int)
    /// The bytes do not begin `ID3`.
    case notATag(at: Int)
    /// The version is not 2.2, 2.3 or 2.4.
    case unknownVersion(at: Int, major: UInt8)
    /// The version or the revision is 0xFF, which no tag has (ID3v2.4.0 structure, 3.1).
    case forbiddenRevision(at: Int)
    /// The size is not sync-safe, and read as a plain number it leads to no frame.
    case sizeNotSyncSafe(at: Int)
    /// A tag of version 2.2 is compressed as a whole, for which no method was ever defined (id3v2-00, 3.1).
    case compressedTag(at: Int)
    /// The extended header runs past the tag, or it cannot have that size.
    case extendedHeaderInvalid(at: Int)
    /// The bytes end before the tag does.
    case tagTruncated(at: Int, declared: Int, available: Int)
    /// A frame was expected, and what is there is neither a frame identifier nor padding.
    case frameIdentifierInvalid(at: Int)
    /// The size of a frame cannot be read.
    case frameSizeInvalid(at: Int)
    /// A frame says it is longer than the rest of its tag.
    case frameBeyondTag(at: Int, declared: Int, available: Int)
    /// The bytes end before the frame does, though its tag has room for it.
    case frameTruncated(at: Int, declared: Int, available: Int)
    /// The flags of a frame announce fields that it has no room for.
    case frameFieldsMissing(at: Int)
    /// The frame is encrypted, and no key is known.
    case frameEncrypted(at: Int)
    /// The compressed data of a frame is damaged.
    case compressedDataInvalid(at: Int)
    /// The compressed data of a frame becomes larger than `InflateLimits` allow.
    case compressedDataTooLarge(at: Int)

    /// Where the rule is broken, in bytes from the start of the span that was given.
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

    /// The rule that is broken: a short name that does not change, for reports to count by.
    package var rule: String {
        switch self {
        case .headerTruncated: "id3.header-truncated"
        case .notATag: "id3.not-a-tag"
        case .unknownVersion: "id3.version"
        case .forbiddenRevision: "id3.revision"
        case .sizeNotSyncSafe: "id3.size"
        case .compressedTag: "id3.compressed-tag"
        case .extendedHeaderInvalid: "id3.extended-header"
        case .tagTruncated: "id3.tag-truncated"
        case .frameIdentifierInvalid: "id3.frame-identifier"
        case .frameSizeInvalid: "id3.frame-size"
        case .frameBeyondTag: "id3.frame-beyond-tag"
        case .frameTruncated: "id3.frame-truncated"
        case .frameFieldsMissing: "id3.frame-fields"
        case .frameEncrypted: "id3.frame-encrypted"
        case .compressedDataInvalid: "id3.compressed-data"
        case .compressedDataTooLarge: "id3.compressed-size"
        }
    }
}
