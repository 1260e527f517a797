/// `info`: the tags that describe the inserter.
extension CheckExplanation {
    static let infoLate = CheckExplanation(
        .infoLate, worst: .fail, clock: .stream, limits: [.infoInterval, .infoMinimumDuration],
        title: "An INFO tag is late",
        meaning: """
            An inserter describes itself in an INFO tag every 300 s; more than 310 s have gone by without one. The
            DATA tags still count, but Nielsen cannot see which inserter made them.
            """,
        appearance: """
            DATA tags at their pace and no tag of kind `info` between them. A step of one in the sequence where it
            would have been means that it was made and lost.
            """,
        cause: """
            A filter on the way that passes DATA tags only or drops tags with null CIDs; a loss that happened to hit
            the INFO tag; an inserter that is configured not to send them; or content cut so that it begins behind one.
            """,
        action: """
            If the sequence has a step there, look for the loss. If it has none, look at the inserter's setting.
            """)

    static let infoCIDs = CheckExplanation(
        .infoCIDs, worst: .fail,
        title: "An INFO tag has a content id",
        meaning: """
            An INFO tag describes the inserter and no content: both CIDs must be the null CID. One that has another
            is not what it claims to be.
            """,
        appearance: """
            A tag of kind `info` whose `pc_cid` or `fd_cid` is not `X100zdCIGeIlgZnkYj6UvQ==`.
            """,
        cause: """
            A faulty version of an inserter, or a tool that rewrites content ids in every tag without looking at its kind.
            """,
        action: """
            See whether the tag is so at the inserter's output. Then its maker must mend it; otherwise the tool that
            changes tags must be taken out: tags must reach the player unaltered.
            """)

    static let infoOffsets = CheckExplanation(
        .infoOffsets, worst: .fail,
        title: "An INFO tag has an offset",
        meaning: """
            The offsets say how far into the broadcast day a content id's programme is. An INFO tag has no content, so
            both must be 00000.
            """,
        appearance: """
            A tag of kind `info` whose `pc_offset` or `fd_offset` is not 0.
            """,
        cause: """
            A faulty version of an inserter, or a tool that writes offsets into every tag without looking at its kind.
            """,
        action: """
            As for `info.cids`: find the first hop whose output is so.
            """)
}
