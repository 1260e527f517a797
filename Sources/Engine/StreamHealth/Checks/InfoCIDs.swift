import NielsenID3

/// `info.cids`: both CIDs of an INFO tag are the null CID.
enum InfoCIDs: TagCheck {
    static let declaration = CheckDeclaration(
        .infoCIDs, worst: .fail,
        notRun: "No INFO tag was read.",
        expectation: "INFO tags have the null CID",
        title: "An INFO tag has a content id",
        meaning: """
            An INFO tag describes the inserter, not content: both CIDs must be the null CID. An INFO tag with another
            CID is invalid.
            """,
        appearance: """
            A tag of kind `info` whose `pc_cid` or `fd_cid` is not `X100zdCIGeIlgZnkYj6UvQ==`.
            """,
        cause: """
            A faulty inserter version, or a tool that rewrites the content ids of every tag regardless of its kind.
            """,
        action: """
            If the tag is already like this at the inserter's output, its vendor must fix it. If not, remove the tool
            that changes the tags: they must reach the player unaltered.
            """)

    static let rule = TagRule.infoCIDs

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        var found: [String] = []
        if let id = tag.tag.pcCID, !id.isNull { found.append("PC CID \(id)") }
        if let id = tag.tag.fdCID, !id.isNull { found.append("FD CID \(id)") }
        return "an INFO tag has the \(found.joined(separator: " and the ")): both must be null"
    }
}
