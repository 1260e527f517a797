import NielsenID3

/// `tag.header`: the first 20 bytes are those of a Nielsen tag.
enum TagHeader: TagCheck {
    static let declaration = CheckDeclaration(
        .tagHeader, worst: .fail,
        notRun: "No complete Nielsen tag was read.",
        expectation: "A Nielsen tag begins with its fixed 20 bytes",
        title: "The first 20 bytes are not those of a Nielsen tag",
        meaning: """
            Every Nielsen tag begins with the same 20 bytes: the ID3 header and the PRIV frame header, with fixed
            versions, flags and sizes. This one differs, so it was rewritten in transit. The tag must reach the player
            unaltered.
            """,
        appearance: """
            Correct is `49 44 33 04 00 20 00 00 02 05 50 52 49 56 00 00 01 7b 00 00`. Often the flags byte is 00 instead
            of 20, the version is 3 instead of 4, or the size is larger than 261 because of padding or another frame.
            """,
        cause: """
            A packager that parses tags and rewrites them with an ID3 library: it drops the experimental flag, changes
            the version, adds padding, or joins several tags into one.
            """,
        action: """
            Configure the step to pass ID3 through as bytes. A rewritten tag cannot be repaired downstream.
            """)

    static let needsOnlyOwner = false

    static let rule = TagRule.header

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        "the first 20 bytes are not 49443304002000000205505249560000017B0000, as in every Nielsen tag: "
            + "the tag was rewritten in transit"
    }

    /// Returns the cause: an owner identifier of another length changes the sizes in the header.
    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID? {
        violated.contains(.id3Malformed) ? .id3Malformed : TagFormat.causeOfShift(in: tag, among: violated)
    }
}
