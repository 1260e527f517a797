import NielsenID3

/// `info.offsets`: both offsets of an INFO tag are 0.
enum InfoOffsetsCheck: TagCheck {
    static let id = CheckID.infoOffsets
    static let absence = "No INFO tag was read."

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard tag.soundKind == .info else { return .notJudged }
        var wrong: [String] = []
        if let offset = tag.tag.pcOffset, offset != 0 { wrong.append("PC offset \(offset)") }
        if let offset = tag.tag.fdOffset, offset != 0 { wrong.append("FD offset \(offset)") }
        guard !wrong.isEmpty else { return .pass }
        return .hit(.fail, "an INFO tag has the \(wrong.joined(separator: " and the ")): both must be 0")
    }
}
