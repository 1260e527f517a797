import NielsenID3

/// `tag.tail`: the tag has 271 bytes and ends in a zero byte and `A`.
enum TagTail: TagCheck {
    static let declaration = CheckDeclaration(
        .tagTail, worst: .fail,
        notRun: "No complete Nielsen tag was read.",
        expectation: "A Nielsen tag has 271 bytes and ends in NUL and A",
        title: "The tag does not end like a Nielsen tag",
        meaning: """
            A Nielsen tag has 271 bytes and ends in a zero byte and `A`. This one has another length or another end: it
            was truncated, padded or joined with other data.
            """,
        appearance: """
            The last two bytes are not `00 41`, or the length is not 271: with 270 bytes the data byte is missing, with
            266 five bytes are missing, and trailing zeros are padding.
            """,
        cause: """
            A tool that treats the PRIV frame as text and ends it at the first zero byte; a tool that pads to a fixed
            length; or remultiplexing with FFmpeg 5.1, which drops five bytes of each tag.
            """,
        action: """
            Compare with the tag before the last hop, and configure that hop to pass the bytes through unaltered.
            """)

    static let needsOnlyOwner = false

    static let rule = TagRule.tail

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        "the tag does not have 271 bytes that end in a zero byte and \"A\""
    }

    /// Returns the cause: an owner identifier of another length moves the tail.
    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID? {
        violated.contains(.id3Malformed) ? .id3Malformed : TagFormat.causeOfShift(in: tag, among: violated)
    }
}
