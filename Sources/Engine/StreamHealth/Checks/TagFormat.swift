import NielsenID3

/// `tag.format`: the owner identifier has seven parts of the required lengths and alphabets.
enum TagFormat: TagCheck {
    static let declaration = CheckDeclaration(
        .tagFormat, worst: .fail,
        notRun: "No complete Nielsen tag was read.",
        expectation: "The owner identifier has the published format",
        title: "The owner identifier is not well-formed",
        meaning: """
            The 249 characters that a player reports to Nielsen do not have the form `www.nielsen.com/` CID `/` CID `/`
            blob `/` offset `/` offset `/` breakout. They cannot be processed: this tag is not counted.
            """,
        appearance: """
            The finding names the part and the character, as in `FD CID, character 47`. Typical are `=` missing at the
            end of base64, `+` and `/` instead of `-` and `_`, and a truncated text.
            """,
        cause: """
            A step that treats the identifier as a URL or as text: percent-encoding (`%3D`), JSON escapes (`\\u003d`),
            case folding, truncation at 128 or 255 characters, or re-encoding base64 with the other alphabet.
            """,
        action: """
            Find the step that handles the identifier as text and configure it to pass bytes through. `dtvr check
            --owners FILE` reads identifiers from logs and reports which of them only the log damaged.
            """)

    static let rule = TagRule.format

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        guard let defect = tag.tag.formatDefect else { return "the owner identifier is invalid" }
        return "the owner identifier is invalid at \(defect) (counted from 0): \(expected(defect.piece)); "
            + "the tag cannot be counted"
    }

    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID? {
        if violated.contains(.id3Malformed) { return .id3Malformed }
        return runsIntoTail(tag, violated) ? .tagTail : nil
    }

    /// Returns `tag.format` if an owner identifier of another length explains wrong header sizes and a wrong tail.
    static func causeOfShift(in tag: NielsenTag, among violated: Set<CheckID>) -> CheckID? {
        guard violated.contains(.tagFormat), !runsIntoTail(tag, violated) else { return nil }
        return tag.ownerIdentifier.count == 249 ? nil : .tagFormat
    }

    /// Whether the owner identifier continues into the place of the final zero.
    private static func runsIntoTail(_ tag: NielsenTag, _ violated: Set<CheckID>) -> Bool {
        tag.formatDefect?.piece == .end && violated.contains(.tagTail)
    }

    private static func expected(_ piece: FormatDefect.Piece) -> String {
        switch piece {
        case .domain: "www.nielsen.com and a slash are expected"
        case .pcCID, .fdCID: "22 characters of URL-safe base64, == and a slash are expected"
        case .blob: "167 characters of URL-safe base64, = and a slash are expected"
        case .pcOffset, .fdOffset: "five digits and a slash are expected"
        case .breakout: "two digits are expected"
        case .end: "nothing may follow the breakout"
        }
    }
}
