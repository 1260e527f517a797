import NielsenID3

/// `tag.tail`: the tag ends in a zero byte and `A`, and has 271 bytes.
enum TagTailCheck: TagCheck {
    static let id = CheckID.tagTail
    static let absence = "No whole Nielsen tag was read."

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard !tag.isTruncated else { return .notJudged }
        guard tag.tag.problems.contains(.tail) else { return .pass }
        return .hit(.fail, "the tag does not have 271 bytes that end in a zero byte and \"A\"")
    }
}
