import NielsenID3

/// `cid.offset-of-null`: the offset of a null CID is 0.
///
/// `info.offsets` checks INFO tags, whose offsets are always 0.
enum OffsetOfNull: TagCheck {
    static let declaration = CheckDeclaration(
        .offsetOfNull, worst: .fail,
        notRun: "No DATA tag was read.",
        expectation: "A null CID has an offset of 0",
        title: "A null content id has a nonzero offset",
        meaning: """
            A null CID means that no watermark of this kind was heard. An offset has no reference point then, so it must
            be 00000.
            """,
        appearance: """
            `pc_cid` is `X100zdCIGeIlgZnkYj6UvQ==` with a `pc_offset` other than 0, or the same for FD.
            """,
        cause: """
            An inserter that keeps the last offset when it loses the watermark, or a tool that clears content ids but
            not their offsets.
            """,
        action: """
            Check whether the tag is already like this at the inserter's output. If so, report it to the vendor with the
            tag from the finding.
            """)

    static let rule = TagRule.offsetOfNull

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        var found: [String] = []
        for (name, id, offset) in [
            ("PC", tag.tag.pcCID, tag.tag.pcOffset), ("FD", tag.tag.fdCID, tag.tag.fdOffset),
        ] {
            guard let id, id.isNull, let offset, offset != 0 else { continue }
            found.append("the \(name) CID is null and its offset is \(offset)")
        }
        return "\(found.joined(separator: ", ")): the offset of a null CID must be 0"
    }
}
