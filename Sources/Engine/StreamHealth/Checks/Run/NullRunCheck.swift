import NielsenID3

/// `cid.null-run`: a content id that was set stays null for three DATA tags at most.
struct NullRunCheck: RunCheck {
    static let id = CheckID.nullRun
    static let absence = "No content id was set on a DATA tag that another one follows."
    static let limit: HealthLimit? = .nullRun

    /// How many tags a content id has been null for; nil while it was never set.
    private var counts = PerContentID<Int?>(repeating: nil)

    mutating func judge(_ tag: TagOccurrence, policy: HealthPolicy) -> [Judgement] {
        ContentIDRole.allCases.map { role in
            guard let id = tag.tag.contentID(role) else { return .notJudged }
            guard let count = counts[role] else {
                if !id.isNull { counts[role] = 0 }
                return .notJudged
            }
            guard id.isNull else {
                counts[role] = 0
                return .pass
            }
            counts[role] = count + 1
            let limit = policy.count(.nullRun)
            guard count == limit else { return .pass }
            return .hit(
                .warn,
                "the \(role.rawValue) CID was set and is null for more than \(limit) DATA tags: the watermark is no "
                    + "longer heard")
        }
    }
}

extension NielsenTag {
    func contentID(_ role: ContentIDRole) -> ContentID? { role == .program ? pcCID : fdCID }

    func offset(_ role: ContentIDRole) -> Int? { role == .program ? pcOffset : fdOffset }
}
