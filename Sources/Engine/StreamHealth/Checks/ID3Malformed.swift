import ID3v2
package import NielsenID3
import TimedMedia

extension CheckID {
    /// `id3.malformed`.
    package static let id3Malformed = CheckID("id3.malformed")
}

/// `id3.malformed`: bytes that claim to be an ID3 tag keep the rules of ID3v2.
struct ID3Malformed: SegmentCheck, TagCheck {
    static let declaration = CheckDeclaration(
        .id3Malformed, worst: .fail,
        notRun: "No ID3 tag was read.",
        expectation: "ID3 tags keep to ID3v2",
        title: "Bytes that claim to be an ID3 tag break its rules",
        meaning: """
            The tag begins `ID3` and then breaks ID3v2. Of a Nielsen tag that is a failure, because a player's ID3 reader
            may reject it; of another owner's it is a warning. Plain sizes where sync-safe ones belong are a warning:
            readers that follow the rule see other lengths.
            """,
        appearance: """
            The finding has the byte offset in the tag and the rule: a frame that reaches beyond its tag, a frame id
            that is not letters and digits, a size with a high bit set, flags that version 2.4.0 does not have.
            """,
        cause: """
            A tool that builds tags by hand: sizes above 127 written as plain integers are the classic mistake. Or damage
            on the way, in particular five bytes that are missing at the front, which FFmpeg 5.1 drops when it
            remultiplexes timed ID3.
            """,
        action: """
            Compare the tag's bytes with those before the last hop. If they differ, that hop must pass the tag through
            unaltered. If they do not, whoever writes the tag must fix the writer.
            """)

    static let needsOnlyOwner = false

    mutating func check(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        report(reading.facts.malformed.tags, at: reading.place, into: &ledger)
        report(reading.malformedOthers, at: reading.place, into: &ledger, of: "another owner's tag: ")
    }

    /// Reports the ranges that a list has, and counts those that it had no room for.
    private func report(
        _ ranges: CarriageFacts.Bounded<CarriageFacts.MalformedRange>, at place: Finding.Place,
        into ledger: inout CheckLedger, of owner: String = ""
    ) {
        for range in ranges.first {
            if let identifier = range.headlessOwner {
                Self.report(headless: identifier, of: range, at: place, into: &ledger)
            } else {
                ledger.report(Self.id, .warn, at: place, owner + Self.text(range))
            }
        }
        ledger.count(Self.id, .warn, violations: ranges.count - ranges.first.count)
    }

    private static func report(
        headless owner: [UInt8], of range: CarriageFacts.MalformedRange, at place: Finding.Place,
        into ledger: inout CheckLedger
    ) {
        var place = place
        let tag = NielsenTag(ownerIdentifier: owner.span)
        place.sequence = tag?.sequence
        ledger.report(
            Self.id, .fail, at: place,
            "at byte \(range.offset) of the segment a Nielsen tag has lost its first five bytes, as FFmpeg 5.1 takes "
                + "them away when it remultiplexes timed ID3: no player reads it; what is left has the owner "
                + "identifier \(String(decoding: owner, as: UTF8.self))")
    }

    private static func text(_ range: CarriageFacts.MalformedRange) -> String {
        let bytes =
            range.length > 0
            ? "\(range.length) bytes at byte \(range.offset)" : "the bytes at byte \(range.offset)"
        return "\(bytes) of the segment claim to be an ID3 tag and break the rule \(range.rule)"
    }
}

extension ID3Malformed {
    static func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> CheckResult {
        // A truncated tag of a transport stream is one of `carriage.pes-incomplete`.
        if tag.isTruncated, case .transportStream = tag.carriage { return .notRun }
        if let error = tag.tag.malformation {
            return .violation(
                .fail, "at byte \(error.offset) of the tag the rule \(error.rule) of ID3v2 is broken")
        }
        let deviations = tag.tag.deviations
        guard !deviations.isEmpty else { return .pass }
        let names = deviations.names.joined(separator: ", ")
        if deviations.isSubset(of: .sizes) {
            return .violation(
                .warn, "sizes are not written as ID3v2 has them, and can be read all the same: \(names)")
        }
        return .violation(.fail, "the tag departs from ID3v2: \(names)")
    }
}
