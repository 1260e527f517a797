import ID3v2
import NielsenID3
import TimedMedia

/// `id3.malformed`: bytes that claim to be an ID3 tag keep the rules of ID3v2.
struct MalformedTagCheck: SegmentCheck {
    static let id = CheckID.id3Malformed
    static let absence = "No ID3 tag was read."

    mutating func judge(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        report(reading.facts.malformed.tags, at: reading.place, into: &ledger)
        report(reading.malformedOthers, at: reading.place, into: &ledger, of: "another owner's tag: ")
    }

    /// Reports the ranges that a list has, and counts those that it had no room for.
    private func report(
        _ ranges: CarriageFacts.Bounded<CarriageFacts.MalformedRange>, at place: Finding.Place,
        into ledger: inout CheckLedger, of owner: String = ""
    ) {
        for range in ranges.first { ledger.report(Self.id, .warn, at: place, owner + Self.text(range)) }
        ledger.count(Self.id, .warn, hits: ranges.count - ranges.first.count)
    }

    private static func text(_ range: CarriageFacts.MalformedRange) -> String {
        let bytes =
            range.length > 0
            ? "\(range.length) bytes at byte \(range.offset)" : "the bytes at byte \(range.offset)"
        return "\(bytes) of the segment claim to be an ID3 tag and break the rule \(range.rule)"
    }
}

extension MalformedTagCheck {
    /// What it says of a Nielsen tag.
    static func judge(_ tag: TagOccurrence) -> Judgement {
        // Of a transport stream, a tag that was cut is reported as that.
        if tag.isTruncated, case .transportStream = tag.carriage { return .notJudged }
        if let error = tag.tag.malformation {
            return .hit(.fail, "at byte \(error.offset) of the tag the rule \(error.rule) of ID3v2 is broken")
        }
        let deviations = tag.tag.deviations
        guard !deviations.isEmpty else { return .pass }
        let names = deviations.names.joined(separator: ", ")
        if deviations.isSubset(of: .sizes) {
            return .hit(
                .warn, "sizes are not written as ID3v2 has them, and can be read all the same: \(names)")
        }
        return .hit(.fail, "the tag departs from ID3v2: \(names)")
    }
}
