import NielsenID3

/// `tag.breakout`: the breakout is 00.
enum TagBreakoutCheck: TagCheck {
    static let id = CheckID.tagBreakout
    static let absence = "No Nielsen tag was read whose breakout can be told."

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard !tag.isTruncated, let breakout = tag.tag.breakout else { return .notJudged }
        guard breakout != 0 else { return .pass }
        return .hit(.fail, "the breakout is \(breakout < 10 ? "0" : "")\(breakout), not 00")
    }
}
