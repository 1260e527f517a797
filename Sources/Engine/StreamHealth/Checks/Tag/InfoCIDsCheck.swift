import NielsenID3

/// `info.cids`: both CIDs of an INFO tag are the null CID.
enum InfoCIDsCheck: TagCheck {
    static let id = CheckID.infoCIDs
    static let absence = "No INFO tag was read."

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard tag.soundKind == .info else { return .notJudged }
        var wrong: [String] = []
        if let id = tag.tag.pcCID, !id.isNull { wrong.append("PC CID \(id)") }
        if let id = tag.tag.fdCID, !id.isNull { wrong.append("FD CID \(id)") }
        guard !wrong.isEmpty else { return .pass }
        return .hit(.fail, "an INFO tag has the \(wrong.joined(separator: " and the ")): both must be null")
    }
}
