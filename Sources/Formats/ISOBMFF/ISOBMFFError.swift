package import ID3v2

/// A violation of ISO/IEC 14496-12 or of a standard based on it.
///
/// Offsets count from the start of the bytes given to the reader: the file for `BoxWalker`, the payload for a box.
package enum ISOBMFFError: Error, Sendable, Hashable {
    /// A box is shorter than its own header (4.2.2).
    case sizeTooSmall(at: UInt64, type: BoxType, size: UInt64)
    /// A box is longer than the rest of the box that contains it (4.2.2).
    case sizePastParent(at: UInt64, type: BoxType, size: UInt64, available: UInt64)
    /// A box is nested more deeply than the limit.
    case nestedTooDeep(at: UInt64, type: BoxType)
    /// The file has more boxes than the limit.
    case tooManyBoxes(at: UInt64)
    /// The payload of a box is longer than the limit.
    case payloadTooLong(at: UInt64, type: BoxType, size: UInt64)
    /// The bytes end before the end of the box.
    case truncated(at: UInt64, type: BoxType, needed: UInt64, available: UInt64)
    /// The standard does not define this version of the box.
    case unknownVersion(at: UInt64, type: BoxType, version: UInt8)
    /// A text has no terminating zero byte inside its box.
    case unterminatedText(at: UInt64, type: BoxType)
    /// The timescale of the box is zero.
    case zeroTimescale(at: UInt64, type: BoxType)

    /// The position of the violation.
    package var offset: UInt64 {
        switch self {
        case .sizeTooSmall(let offset, _, _), .sizePastParent(let offset, _, _, _),
            .nestedTooDeep(let offset, _), .tooManyBoxes(let offset), .payloadTooLong(let offset, _, _),
            .truncated(let offset, _, _, _), .unknownVersion(let offset, _, _),
            .unterminatedText(let offset, _), .zeroTimescale(let offset, _):
            offset
        }
    }

    /// The broken rule.
    package var rule: MalformedRule {
        switch self {
        case .sizeTooSmall: .boxSizeTooSmall
        case .sizePastParent: .boxSizePastParent
        case .nestedTooDeep: .boxNestedTooDeep
        case .tooManyBoxes: .tooManyBoxes
        case .payloadTooLong: .boxPayloadTooLong
        case .truncated: .boxTruncated
        case .unknownVersion: .boxUnknownVersion
        case .unterminatedText: .boxUnterminatedText
        case .zeroTimescale: .boxZeroTimescale
        }
    }
}
