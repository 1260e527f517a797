import NielsenID3

/// `time.duration`: a DATA tag spans 4 to 12 seconds, or less where it was closed early because it was full.
enum TagDurationCheck: TagCheck {
    static let id = CheckID.timeDuration
    static let absence = "No DATA tag was read."
    static let limit: HealthLimit? = .longestTag

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard tag.soundKind == .data, let duration = tag.tag.duration else { return .notJudged }
        let longest = context.policy[.longestTag]
        let shortest = context.policy[.shortestTag]
        let unused = tag.tag.unusedBlockCount ?? 0
        if Double(duration) > longest {
            return .hit(
                .fail,
                "\(span(of: tag)) the tag spans \(SecondsText(duration)): up to \(SecondsText(longest)) is normal"
            )
        }
        if Double(duration) < shortest, unused > 0 {
            return .hit(
                .fail,
                "\(span(of: tag)) the tag spans \(SecondsText(duration)) with \(unused) of seven blocks unused: "
                    + "at least \(SecondsText(shortest)) is normal unless all are used")
        }
        return .pass
    }

    private static func span(of tag: TagOccurrence) -> String {
        guard let first = tag.tag.firstTime, let last = tag.tag.lastTime else { return "" }
        return "from \(UTCTime(first)) to \(UTCTime(last))"
    }
}
