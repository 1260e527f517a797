/// Which rule of ISO/IEC 14496-12, or of a standard on top of it, some bytes break.
///
/// Offsets count from the start of the bytes that the reader was given: the file for `BoxWalker`, the box's
/// payload for the boxes.
package enum ISOBMFFError: Error, Sendable, Hashable {
    /// A box says it is shorter than its own header (4.2.2).
    case sizeTooSmall(at: UInt64, type: BoxType, size: UInt64)
    /// A box says it is longer than the rest of the box it is in (4.2.2).
    case sizePastParent(at: UInt64, type: BoxType, size: UInt64, available: UInt64)
    /// A box lies in more boxes than are followed.
    case nestedTooDeep(at: UInt64, type: BoxType)
    /// The file has more boxes than are followed.
    case tooManyBoxes(at: UInt64)
    /// A box is longer than what is held of one.
    case payloadTooLong(at: UInt64, type: BoxType, size: UInt64)
    /// The bytes end before the box does.
    case truncated(at: UInt64, type: BoxType, needed: UInt64, available: UInt64)
    /// The box has a version that its standard does not know.
    case unknownVersion(at: UInt64, type: BoxType, version: UInt8)
    /// A text is not ended by a zero byte inside its box.
    case unterminatedText(at: UInt64, type: BoxType)
    /// The box counts time in zero ticks a second.
    case zeroTimescale(at: UInt64, type: BoxType)

    /// Where the rule is broken.
    package var offset: UInt64 {
        switch self {
        case .sizeTooSmall(let offset, _, _), .sizePastParent(let offset, _, _, _),
            .nestedTooDeep(let offset, _), .tooManyBoxes(let offset), .payloadTooLong(let offset, _, _),
            .truncated(let offset, _, _, _), .unknownVersion(let offset, _, _),
            .unterminatedText(let offset, _), .zeroTimescale(let offset, _):
            offset
        }
    }

    /// The name of the rule, which stays the same from version to version.
    package var rule: String {
        switch self {
        case .sizeTooSmall: "isobmff.size-too-small"
        case .sizePastParent: "isobmff.size-past-parent"
        case .nestedTooDeep: "isobmff.nested-too-deep"
        case .tooManyBoxes: "isobmff.too-many-boxes"
        case .payloadTooLong: "isobmff.payload-too-long"
        case .truncated: "isobmff.truncated"
        case .unknownVersion: "isobmff.unknown-version"
        case .unterminatedText: "isobmff.unterminated-text"
        case .zeroTimescale: "isobmff.zero-timescale"
        }
    }
}
