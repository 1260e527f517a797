import ID3v2

/// The rules for a single tag, in report order.
///
/// `StreamHealth` has a check for each of them, with its texts.
package enum TagRule: Int, CaseIterable, Sendable {
    /// The PES packets of a transport stream contain the whole tag.
    case complete
    /// The tag follows the rules of ID3v2.
    case wellFormed
    /// The first 20 bytes are those of a Nielsen tag.
    case header
    /// The tag has 271 bytes and ends in a zero byte and `A`.
    case tail
    /// The owner identifier has seven parts of the required lengths and alphabets.
    case format
    /// The checksum in the EDU blob matches its bytes.
    case checksum
    /// The breakout is 00.
    case breakout
    /// A DATA tag spans a normal length of time, or less if it was closed early because it was full.
    case duration
    /// Both CIDs of an INFO tag are the null CID.
    case infoCIDs
    /// Both offsets of an INFO tag are 0.
    case infoOffsets
    /// The offset of a null CID is 0; `infoOffsets` covers INFO tags.
    case offsetOfNull

    /// The check that reports violations.
    package var id: CheckID {
        switch self {
        case .complete: .pesIncomplete
        case .wellFormed: .id3Malformed
        case .header: .tagHeader
        case .tail: .tagTail
        case .format: .tagFormat
        case .checksum: .tagChecksum
        case .breakout: .tagBreakout
        case .duration: .timeDuration
        case .infoCIDs: .infoCIDs
        case .infoOffsets: .infoOffsets
        case .offsetOfNull: .offsetOfNull
        }
    }

    /// Returns `notRun` if there is nothing to check, `pass`, or the severity of the violation.
    func status(of occurrence: TagOccurrence, by policy: TagPolicy) -> CheckStatus {
        let tag = occurrence.tag
        switch self {
        case .complete:
            guard case .transportStream = occurrence.carriage else { return .notRun }
            return occurrence.isTruncated ? .fail : .pass
        case .wellFormed: return Self.form(of: occurrence)
        case .header: return occurrence.isTruncated ? .notRun : tag.hasValidHeader ? .pass : .fail
        case .tail: return occurrence.isTruncated ? .notRun : tag.hasValidTail ? .pass : .fail
        case .format: return occurrence.isTruncated ? .notRun : tag.formatDefect == nil ? .pass : .fail
        case .checksum:
            guard !occurrence.isTruncated, let isValid = tag.isChecksumValid else { return .notRun }
            return isValid ? .pass : .fail
        case .breakout:
            guard !occurrence.isTruncated, let breakout = tag.breakout else { return .notRun }
            return breakout != 0 ? .fail : .pass
        case .duration: return Self.duration(of: occurrence, by: policy)
        case .infoCIDs:
            guard occurrence.validKind == .info else { return .notRun }
            return [tag.pcCID, tag.fdCID].contains { $0?.isNull == false } ? .fail : .pass
        case .infoOffsets:
            guard occurrence.validKind == .info else { return .notRun }
            return [tag.pcOffset, tag.fdOffset].contains { $0 ?? 0 != 0 } ? .fail : .pass
        case .offsetOfNull:
            guard occurrence.validKind == .data else { return .notRun }
            let contents = [(tag.pcCID, tag.pcOffset), (tag.fdCID, tag.fdOffset)]
            return contents.contains { $0?.isNull == true && $1 ?? 0 != 0 } ? .fail : .pass
        }
    }

    private static func form(of occurrence: TagOccurrence) -> CheckStatus {
        // `complete` reports a truncated tag in a transport stream.
        if occurrence.isTruncated, case .transportStream = occurrence.carriage { return .notRun }
        let deviations = occurrence.tag.deviations
        if occurrence.tag.malformation != nil { return .fail }
        if deviations.isEmpty { return .pass }
        // Such sizes are readable, but a parser that follows ID3v2 reads other lengths.
        return deviations.isSubset(of: .sizes) ? .warn : .fail
    }

    private static func duration(of occurrence: TagOccurrence, by policy: TagPolicy) -> CheckStatus {
        guard occurrence.validKind == .data, let duration = occurrence.tag.duration else { return .notRun }
        if Double(duration) > policy.longestTag { return .fail }
        let unused = occurrence.tag.unusedBlockCount ?? 0
        return Double(duration) < policy.shortestTag && unused > 0 ? .fail : .pass
    }
}

extension CheckID {
    /// `carriage.pes-incomplete`.
    package static let pesIncomplete = CheckID("carriage.pes-incomplete")
    /// `id3.malformed`.
    package static let id3Malformed = CheckID("id3.malformed")
    /// `tag.header`.
    package static let tagHeader = CheckID("tag.header")
    /// `tag.tail`.
    package static let tagTail = CheckID("tag.tail")
    /// `tag.format`.
    package static let tagFormat = CheckID("tag.format")
    /// `tag.checksum`.
    package static let tagChecksum = CheckID("tag.checksum")
    /// `tag.breakout`.
    package static let tagBreakout = CheckID("tag.breakout")
    /// `time.duration`.
    package static let timeDuration = CheckID("time.duration")
    /// `info.cids`.
    package static let infoCIDs = CheckID("info.cids")
    /// `info.offsets`.
    package static let infoOffsets = CheckID("info.offsets")
    /// `cid.offset-of-null`.
    package static let offsetOfNull = CheckID("cid.offset-of-null")
}
