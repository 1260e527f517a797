import NielsenID3

/// `tag.breakout`: the breakout is 00.
enum TagBreakout: TagCheck {
    static let declaration = CheckDeclaration(
        .tagBreakout, worst: .fail,
        notRun: "No Nielsen tag with a readable breakout was read.",
        expectation: "The breakout is 00",
        title: "The breakout is not 00",
        meaning: """
            The last two digits of an owner identifier must be `00`. Other values are not defined for this kind of
            stream, and the tag may be rejected.
            """,
        appearance: """
            The owner identifier does not end in `/00`.
            """,
        cause: """
            An inserter that is configured for another product, or an owner identifier from a test tool.
            """,
        action: """
            Set the inserter's breakout code back to 00 and ask its vendor why it was changed.
            """)

    static let rule = TagRule.breakout

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        let breakout = tag.tag.breakout ?? 0
        return "the breakout is \(breakout < 10 ? "0" : "")\(breakout), not 00"
    }
}
