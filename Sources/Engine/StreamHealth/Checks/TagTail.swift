package import NielsenID3

extension CheckID {
    /// `tag.tail`.
    package static let tagTail = CheckID("tag.tail")
}

/// `tag.tail`: the tag ends in a zero byte and `A`, and has 271 bytes.
enum TagTail: TagCheck {
    static let declaration = CheckDeclaration(
        .tagTail, worst: .fail,
        notRun: "No whole Nielsen tag was read.",
        expectation: "A Nielsen tag has 271 bytes and ends in NUL and A",
        title: "The tag does not end as a Nielsen tag",
        meaning: """
            A Nielsen tag has 271 bytes and ends in a zero byte and `A`. This one has another length or another end: it
            was truncated, padded or joined with something.
            """,
        appearance: """
            The last two bytes are not `00 41`, or the length is not 271: with 270 the data byte is gone, with 266 five
            bytes are gone, and a tail of zeros is padding.
            """,
        cause: """
            Tools that treat the PRIV frame as text and end it at the first zero byte; tools that pad to a fixed length; and
            remultiplexing by FFmpeg 5.1, which loses five bytes a tag.
            """,
        action: """
            Compare with the tag before the last hop, and have that hop pass the bytes through unaltered.
            """)

    static let needsOnlyOwner = false

    static func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> CheckResult {
        guard !tag.isTruncated else { return .notRun }
        guard !tag.tag.hasValidTail else { return .pass }
        return .violation(.fail, "the tag does not have 271 bytes that end in a zero byte and \"A\"")
    }

    /// An owner identifier of another length moves the tail.
    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID? {
        violated.contains(.id3Malformed) ? .id3Malformed : TagFormat.causeOfShift(in: tag, among: violated)
    }
}
