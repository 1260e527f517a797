import NielsenID3

/// `cid.offset-of-null`: the offset of a null CID is 0.
///
/// INFO tags, whose offsets are always 0, are judged by `info.offsets`.
enum OffsetOfNullCheck: TagCheck {
    static let id = CheckID.offsetOfNull
    static let absence = "No DATA tag was read."

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard tag.soundKind == .data else { return .notJudged }
        var wrong: [String] = []
        for (name, id, offset) in [
            ("PC", tag.tag.pcCID, tag.tag.pcOffset), ("FD", tag.tag.fdCID, tag.tag.fdOffset),
        ] {
            guard let id, id.isNull, let offset, offset != 0 else { continue }
            wrong.append("the \(name) CID is null and its offset \(offset)")
        }
        guard !wrong.isEmpty else { return .pass }
        return .hit(.fail, "\(wrong.joined(separator: ", ")): the offset of a null CID is 0")
    }
}
