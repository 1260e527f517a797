import NielsenID3

/// `tag.header`: the 20 leading bytes are those of a Nielsen tag.
enum TagHeaderCheck: TagCheck {
    static let id = CheckID.tagHeader
    static let absence = "No whole Nielsen tag was read."

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard !tag.isTruncated else { return .notJudged }
        guard tag.tag.problems.contains(.header) else { return .pass }
        return .hit(
            .fail,
            "the 20 leading bytes are not 49443304002000000205505249560000017B0000, those of every Nielsen tag: "
                + "the tag was written anew on the way")
    }
}
