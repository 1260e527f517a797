import NielsenID3

/// `info.offsets`: both offsets of an INFO tag are 0.
enum InfoOffsets: TagCheck {
    static let declaration = CheckDeclaration(
        .infoOffsets, worst: .fail,
        notRun: "No INFO tag was read.",
        expectation: "INFO tags have offsets of 0",
        title: "An INFO tag has a nonzero offset",
        meaning: """
            An offset is the position of the content within the broadcast day of its content id. An INFO tag has no
            content, so both offsets must be 00000.
            """,
        appearance: """
            A tag of kind `info` whose `pc_offset` or `fd_offset` is not 0.
            """,
        cause: """
            A faulty inserter version, or a tool that writes offsets into every tag regardless of its kind.
            """,
        action: """
            As for `info.cids`: find the first hop whose output has it.
            """)

    static let rule = TagRule.infoOffsets

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        var found: [String] = []
        if let offset = tag.tag.pcOffset, offset != 0 { found.append("PC offset \(offset)") }
        if let offset = tag.tag.fdOffset, offset != 0 { found.append("FD offset \(offset)") }
        return "an INFO tag has the \(found.joined(separator: " and the ")): both must be 0"
    }
}
