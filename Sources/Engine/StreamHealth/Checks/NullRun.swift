package import NielsenID3

extension CheckID {
    /// `cid.null-run`.
    package static let nullRun = CheckID("cid.null-run")
}

extension HealthLimit {
    /// `cid.null-run`: the maximum number of consecutive DATA tags with a null CID.
    public static let nullRun = HealthLimit(
        "limit-null-run", 3, "tags",
        "cid.null-run: maximum number of consecutive DATA tags with a null CID")
}

/// `cid.null-run`: a content id that was set stays null for at most three DATA tags.
struct NullRun: RunCheck {
    static let declaration = CheckDeclaration(
        .nullRun, worst: .warn, limits: [.nullRun], rowLimit: .nullRun,
        notRun: "No content id was set on a DATA tag that another one follows.",
        expectation: "A CID that was set does not stay null for long",
        title: "A content id became null and has stayed null",
        meaning: """
            A CID was set and has been null for more than three DATA tags, about 30 s: the inserter no longer hears that
            watermark, of the content (PC) or the distributor (FD). The current content is credited through the other
            CID or not at all. After a change of source, 10 to 20 s without it are normal.
            """,
        appearance: """
            Runs of `X100zdCIGeIlgZnkYj6UvQ==` in one of the two columns, while the other column still has values.
            """,
        cause: """
            A local break or content without that watermark; a switch to an audio track without it; or audio processing
            that removes one of the watermarks.
            """,
        action: """
            Compare with the schedule. If the content should have the watermark, ask the party that encodes it: the
            producer for PC, the station or network for FD.
            """)

    /// The number of consecutive tags with a null content id; nil until the id is first set.
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
