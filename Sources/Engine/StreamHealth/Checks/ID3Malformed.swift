import ID3v2
import NielsenID3

/// `id3.malformed`: bytes that begin like an ID3 tag follow the rules of ID3v2.
struct ID3Malformed: SegmentCheck, TagCheck {
    static let declaration = CheckDeclaration(
        .id3Malformed, worst: .fail,
        notRun: "No ID3 tag was read.",
        expectation: "ID3 tags follow ID3v2",
        title: "An ID3 tag is malformed",
        meaning: """
            The tag begins with `ID3` and then violates ID3v2. In a Nielsen tag this is a failure, because a player's
            ID3 parser may reject it. In a tag of another owner it is a warning. Plain sizes where sync-safe sizes are
            required are a warning: a parser that follows the rule reads other lengths.
            """,
        appearance: """
            The finding has the byte offset in the tag and the rule: a frame that extends beyond its tag, a frame id
            with characters other than letters and digits, a size with a high bit set, or flags that version 2.4.0 does
            not define.
            """,
        cause: """
            A tool that builds tags by hand: sizes above 127 written as plain integers are the classic mistake. Or
            damage in transit, in particular five missing bytes at the front, which FFmpeg 5.1 drops when it
            remultiplexes timed ID3.
            """,
        action: """
            Compare the tag's bytes with those before the last hop. If they differ, that hop must pass the tag through
            unaltered. If they are equal, fix the tool that writes the tag.
            """,
        alerting: .init(explainedBy: [.pmtDescriptors]))

    static let needsOnlyOwner = false

    mutating func check(_ content: CheckedSegment, into ledger: inout CheckLedger) {
        report(content.facts.malformed.tags, at: content.place, into: &ledger)
        report(content.malformedOthers, at: content.place, into: &ledger, of: "another owner's tag: ")
    }

    /// Reports the ranges in a list and counts those beyond its capacity.
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
            "at byte \(range.offset) of the segment a Nielsen tag has lost its first five bytes, which FFmpeg 5.1 "
                + "drops when it remultiplexes timed ID3: players cannot read it; the remaining bytes have the owner "
                + "identifier \(String(decoding: owner, as: UTF8.self))")
    }

    private static func text(_ range: CarriageFacts.MalformedRange) -> String {
        let bytes =
            range.length > 0
            ? "\(range.length) bytes at byte \(range.offset)" : "the bytes at byte \(range.offset)"
        return "\(bytes) of the segment begin like an ID3 tag but violate the rule \(range.rule)"
    }
}

extension ID3Malformed {
    static let rule = TagRule.wellFormed

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        if let error = tag.tag.malformation {
            return "at byte \(error.offset) the tag violates the ID3v2 rule \(error.rule)"
        }
        let names = tag.tag.deviations.rules.map(\.rawValue).joined(separator: ", ")
        return tag.status(of: rule) == .warn
            ? "sizes are not encoded as ID3v2 requires, but can still be read: \(names)"
            : "the tag deviates from ID3v2: \(names)"
    }
}
