package import NielsenID3

extension CheckID {
    /// `info.cids`.
    package static let infoCIDs = CheckID("info.cids")
}

/// `info.cids`: both CIDs of an INFO tag are the null CID.
enum InfoCIDs: TagCheck {
    static let declaration = CheckDeclaration(
        .infoCIDs, worst: .fail,
        notRun: "No INFO tag was read.",
        expectation: "INFO tags have the null CID",
        title: "An INFO tag has a content id",
        meaning: """
            An INFO tag describes the inserter and no content: both CIDs must be the null CID. One that has another
            is not a valid INFO tag.
            """,
        appearance: """
            A tag of kind `info` whose `pc_cid` or `fd_cid` is not `X100zdCIGeIlgZnkYj6UvQ==`.
            """,
        cause: """
            A faulty version of an inserter, or a tool that rewrites content ids in every tag without looking at its kind.
            """,
        action: """
            If the tag already is like this at the output of the inserter, its vendor must fix it; if not, remove the tool
            that changes tags: they must reach the player unaltered.
            """)

    static func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> CheckResult {
        guard tag.validKind == .info else { return .notRun }
        var found: [String] = []
        if let id = tag.tag.pcCID, !id.isNull { found.append("PC CID \(id)") }
        if let id = tag.tag.fdCID, !id.isNull { found.append("FD CID \(id)") }
        guard !found.isEmpty else { return .pass }
        return .violation(
            .fail, "an INFO tag has the \(found.joined(separator: " and the ")): both must be null")
    }
}
