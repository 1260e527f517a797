package import NielsenID3

extension CheckID {
    /// `cid.null-run`.
    package static let nullRun = CheckID("cid.null-run")
}

extension HealthLimit {
    /// `cid.null-run`: how many DATA tags a CID may be null for.
    public static let nullRun = HealthLimit(
        "limit-null-run", 3, "tags",
        "cid.null-run: how many DATA tags a CID may be null for")
}

/// `cid.null-run`: a content id that was set stays null for three DATA tags at most.
struct NullRun: RunCheck {
    static let declaration = CheckDeclaration(
        .nullRun, worst: .warn, limits: [.nullRun], rowLimit: .nullRun,
        notRun: "No content id was set on a DATA tag that another one follows.",
        expectation: "A CID that was set does not stay null for long",
        title: "A content id that was there has stayed null",
        meaning: """
            A CID was set and has been null for more than three DATA tags, some 30 s: that watermark, of the content (PC)
            or the distributor (FD), is no longer heard. What is on now is credited by the other one or not at all. 10 to
            20 s of it after a change of source are normal.
            """,
        appearance: """
            Runs of `X100zdCIGeIlgZnkYj6UvQ==` in one of the two columns, while the other one goes on.
            """,
        cause: """
            A local break or content without that watermark; a change to an audio track that has none; audio processing
            that takes one of the watermarks out.
            """,
        action: """
            Compare with the schedule. If the content should have the watermark, ask who encodes it: the
            producer for PC, the station or network for FD.
            """)

    /// How many tags a content id has been null for; nil while it was never set.
    private var counts = PerContentID<Int?>(repeating: nil)

    mutating func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> [CheckResult] {
        ContentIDRole.allCases.map { role in
            guard let id = tag.tag.contentID(role) else { return .notRun }
            guard let count = counts[role] else {
                if !id.isNull { counts[role] = 0 }
                return .notRun
            }
            guard id.isNull else {
                counts[role] = 0
                return .pass
            }
            counts[role] = count + 1
            let limit = policy.count(.nullRun)
            guard count == limit else { return .pass }
            return .violation(
                .warn,
                "the \(role.rawValue) CID was set and is null for more than \(limit) DATA tags: the watermark is no "
                    + "longer heard")
        }
    }
}
