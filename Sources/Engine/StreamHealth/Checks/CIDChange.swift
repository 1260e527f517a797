package import NielsenID3

extension CheckID {
    /// `cid.change`.
    package static let cidChange = CheckID("cid.change")
}

/// `cid.change`: reports, as information, that a content id differs from the previous one.
///
/// This happens at a change of source and at the start of a broadcast day.
struct CIDChange: RunCheck {
    static let declaration = CheckDeclaration(
        .cidChange, worst: .pass,
        notRun: "No run has two DATA tags with a content id.",
        expectation: "Changes of source and starts of a broadcast day, as information",
        title: "A content id changes",
        meaning: """
            From this tag on, the content comes from another source or belongs to another broadcast day. This is
            information: it happens at a change of source, at a local break, and when the broadcast day starts at 3 a.m.
            """,
        appearance: """
            `pc_cid` or `fd_cid` differs from the previous DATA tag. Equal text means the same source and the same day.
            """,
        cause: """
            A change of source or day, as described above; nothing is wrong. A content id that alternates from tag to
            tag suggests that two sources are mixed.
            """,
        action: """
            Nothing, unless the change comes where the schedule has none.
            """)

    /// The latest content ids that were not null.
    private var last = PerContentID<ContentID?>(repeating: nil)

    mutating func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> [CheckResult] {
        ContentIDRole.allCases.map { role in
            guard let id = tag.tag.contentID(role), !id.isNull else { return .notRun }
            defer { last[role] = id }
            guard let before = last[role] else { return .notRun }
            guard before != id else { return .pass }
            return .violation(
                .pass,
                "the \(role.rawValue) CID changes from \(before) to \(id): a new source or a new broadcast day"
            )
        }
    }
}
