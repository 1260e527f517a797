/// A rule that bytes of a segment can break, with the id that reports print.
///
/// Every id of a malformed range is declared here, and StreamHealth explains each.
package enum MalformedRule: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    // MPEG-2 transport streams (ISO/IEC 13818-1).
    case syncLost = "transport.sync-lost"
    case packetTruncated = "transport.packet-truncated"
    case errorIndicator = "transport.error-indicator"
    case scrambled = "transport.scrambled"
    case packetHeader = "transport.header"
    case noProgramMap = "transport.no-program-map"
    case section = "psi.section"
    case pesStartMissing = "pes.start-missing"
    case pesStartCode = "pes.start-code"
    case pesHeaderTruncated = "pes.header-truncated"
    case pesPayloadDiffers = "pes.payload-differs"

    // Fragmented MP4 (ISO/IEC 14496-12) and packed audio (RFC 8216, section 3.4).
    case boxSizeTooSmall = "isobmff.size-too-small"
    case boxSizePastParent = "isobmff.size-past-parent"
    case boxNestedTooDeep = "isobmff.nested-too-deep"
    case tooManyBoxes = "isobmff.too-many-boxes"
    case boxPayloadTooLong = "isobmff.payload-too-long"
    case boxTruncated = "isobmff.truncated"
    case boxUnknownVersion = "isobmff.unknown-version"
    case boxUnterminatedText = "isobmff.unterminated-text"
    case boxZeroTimescale = "isobmff.zero-timescale"
    case eventMessageWithoutTag = "emsg.no-tag"
    case noAudioFrame = "packed-audio.no-frame"

    // Limits of the reader.
    case tagTooLong = "id3.too-long"
    case tagsTooLong = "segment.tags-too-long"

    // ID3v2: bytes that cannot be read as a tag.
    case tagExpected = "id3.expected"
    case tagHeaderTruncated = "id3.header-truncated"
    case notATag = "id3.not-a-tag"
    case tagVersion = "id3.version"
    case tagRevision = "id3.revision"
    case tagSize = "id3.size"
    case compressedTag = "id3.compressed-tag"
    case extendedHeader = "id3.extended-header"
    case tagTruncated = "id3.tag-truncated"
    case frameIdentifier = "id3.frame-identifier"
    case frameSize = "id3.frame-size"
    case frameBeyondTag = "id3.frame-beyond-tag"
    case frameTruncated = "id3.frame-truncated"
    case frameFields = "id3.frame-fields"
    case frameEncrypted = "id3.frame-encrypted"
    case compressedData = "id3.compressed-data"
    case compressedSize = "id3.compressed-size"

    // ID3v2: deviations that the reader tolerates.
    case plainTagSize = "plain-tag-size"
    case plainFrameSizes = "plain-frame-sizes"
    case syncSafeFrameSizes = "sync-safe-frame-sizes"
    case absentExtendedHeader = "absent-extended-header"
    case extendedHeaderSize = "extended-header-size"
    case absentFooter = "absent-footer"
    case falseUnsynchronisation = "false-unsynchronisation"
    case undefinedFlags = "undefined-flags"
    case dataLengthIndicator = "data-length-indicator"

    /// The id.
    package var description: String { rawValue }

    /// Whether the bytes look like an ID3 tag: a rule of ID3v2, or of an event message that should contain a tag.
    var isOfTags: Bool { rawValue.hasPrefix("id3.") || self == .eventMessageWithoutTag }

    /// Whether bytes that break the rule are skipped, with the tags in them.
    var skipsBytes: Bool {
        switch self {
        case .syncLost, .packetTruncated, .errorIndicator, .scrambled, .packetHeader, .noProgramMap,
            .pesStartMissing, .pesStartCode, .pesHeaderTruncated,
            .boxSizeTooSmall, .boxSizePastParent, .boxNestedTooDeep, .tooManyBoxes, .boxPayloadTooLong,
            .boxTruncated,
            .noAudioFrame, .tagsTooLong:
            true
        // Without one section, the map of the next one applies; a box of an unknown version is not damaged.
        case .section, .pesPayloadDiffers, .boxUnknownVersion, .boxUnterminatedText, .boxZeroTimescale,
            .eventMessageWithoutTag, .tagTooLong:
            false
        case .tagExpected, .tagHeaderTruncated, .notATag, .tagVersion, .tagRevision, .tagSize, .compressedTag,
            .extendedHeader, .tagTruncated, .frameIdentifier, .frameSize, .frameBeyondTag, .frameTruncated,
            .frameFields, .frameEncrypted, .compressedData, .compressedSize:
            false
        case .plainTagSize, .plainFrameSizes, .syncSafeFrameSizes, .absentExtendedHeader, .extendedHeaderSize,
            .absentFooter, .falseUnsynchronisation, .undefinedFlags, .dataLengthIndicator:
            false
        }
    }
}
