package import NielsenID3

extension CheckID {
    /// `cid.change`.
    package static let cidChange = CheckID("cid.change")
}

/// `cid.change`: information that a content id is another one than before, at a change of source or where a broadcast
/// day begins.
struct CIDChange: RunCheck {
    static let declaration = CheckDeclaration(
        .cidChange, worst: .pass,
        notRun: "No content id was set on two DATA tags of a run.",
        expectation: "Changes of source, and the start of a day, as information",
        title: "A content id changes",
        meaning: """
            From here on the content is of another source or another broadcast day. This is information: it happens at a
            change of source, at a local break, and at the start of the day at 3 a.m.
            """,
        appearance: """
            Another `pc_cid` or `fd_cid` than in the DATA tag before. Equal text means the same source and the same day.
            """,
        cause: """
            As above; nothing is wrong. Changes back and forth with every tag hint at two sources that are mixed.
            """,
        action: """
            Nothing, unless a change is where the schedule has none.
            """)

    /// The content ids that were set last.
    private var last = PerContentID<ContentID?>(repeating: nil)

    mutating func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> [CheckResult] {
        ContentIDRole.allCases.map { role in
            guard let id = tag.tag.contentID(role), !id.isNull else { return .notRun }
            defer { last[role] = id }
            guard let before = last[role] else { return .notRun }
            guard before != id else { return .pass }
            return .violation(
                .pass,
                "the \(role.rawValue) CID changes from \(before) to \(id): another source, or a broadcast day begins"
            )
        }
    }
}
