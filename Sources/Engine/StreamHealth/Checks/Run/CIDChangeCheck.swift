import NielsenID3

/// `cid.change`: information that a content id is another one than before, at a change of source or where a broadcast
/// day begins.
struct CIDChangeCheck: RunCheck {
    static let id = CheckID.cidChange
    static let absence = "No content id was set on two DATA tags of a run."

    /// The content ids that were set last.
    private var last = PerContentID<ContentID?>(repeating: nil)

    mutating func judge(_ tag: TagOccurrence, policy: HealthPolicy) -> [Judgement] {
        ContentIDRole.allCases.map { role in
            guard let id = tag.tag.contentID(role), !id.isNull else { return .notJudged }
            defer { last[role] = id }
            guard let before = last[role] else { return .notJudged }
            guard before != id else { return .pass }
            return .hit(
                .pass,
                "the \(role.rawValue) CID changes from \(before) to \(id): another source, or a broadcast day begins"
            )
        }
    }
}
