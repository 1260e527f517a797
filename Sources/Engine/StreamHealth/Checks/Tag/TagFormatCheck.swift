import NielsenID3

/// `tag.format`: the owner identifier has its seven pieces, each of the right length and alphabet.
enum TagFormatCheck: TagCheck {
    static let id = CheckID.tagFormat
    static let absence = "No whole Nielsen tag was read."

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard !tag.isTruncated else { return .notJudged }
        guard tag.tag.problems.contains(.format) else { return .pass }
        guard let defect = tag.tag.formatDefect else {
            return .hit(.fail, "the owner identifier does not have the form of a Nielsen tag's")
        }
        return .hit(
            .fail,
            "the owner identifier is wrong at \(defect) (counted from 0): \(expected(defect.piece)); "
                + "the tag cannot be counted")
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
