package import NielsenID3

extension CheckID {
    /// `tag.header`.
    package static let tagHeader = CheckID("tag.header")
}

/// `tag.header`: the 20 leading bytes are those of a Nielsen tag.
enum TagHeader: TagCheck {
    static let declaration = CheckDeclaration(
        .tagHeader, worst: .fail,
        notRun: "No whole Nielsen tag was read.",
        expectation: "A Nielsen tag begins with its fixed 20 bytes",
        title: "The first 20 bytes are not those of a Nielsen tag",
        meaning: """
            Every Nielsen tag begins with the same 20 bytes: ID3 header and PRIV frame header, with fixed versions, flags
            and sizes. This one differs, so it was rewritten on the way. The tag must reach the player unaltered.
            """,
        appearance: """
            Correct is `49 44 33 04 00 20 00 00 02 05 50 52 49 56 00 00 01 7b 00 00`. Often the flags byte is 00 in place
            of 20, the version 3 in place of 4, or the size larger than 261 because of padding or another frame.
            """,
        cause: """
            A packager that takes tags apart and writes them again with an ID3 library: it drops the experimental flag,
            changes the version, adds padding, or joins several tags into one.
            """,
        action: """
            Configure the step to pass ID3 through as bytes. A rewritten tag cannot be repaired downstream.
            """)

    static let needsOnlyOwner = false

    static func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> CheckResult {
        guard !tag.isTruncated else { return .notRun }
        guard !tag.tag.hasValidHeader else { return .pass }
        return .violation(
            .fail,
            "the 20 leading bytes are not 49443304002000000205505249560000017B0000, those of every Nielsen tag: "
                + "the tag was written anew on the way")
    }

    /// The sizes in the header follow from an owner identifier of another length.
    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID? {
        violated.contains(.id3Malformed) ? .id3Malformed : TagFormat.causeOfShift(in: tag, among: violated)
    }
}
