import NielsenID3

/// `time.wall-clock`: a tag's last time is near the programme's date and time, or live near the wall clock.
///
/// Beyond that the content is looped or stale. Of a recording that is information: it may be as old as it likes.
enum WallClockCheck: TagCheck {
    static let id = CheckID.timeWallClock
    static let absence = "There is no EXT-X-PROGRAM-DATE-TIME, and the input is recorded."
    static let limit: HealthLimit? = .wallClock

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard let kind = tag.soundKind, kind == .data || kind == .info, let last = tag.tag.lastTime else {
            return .notJudged
        }
        let limit = context.policy[.wallClock]
        var clocks: [(name: String, seconds: Double)] = []
        if let date = tag.origin.place.programDateTime {
            clocks.append(("EXT-X-PROGRAM-DATE-TIME", Double(date) / 1_000))
        }
        if let wall = context.wallTime { clocks.append(("the wall clock", wall)) }
        guard !clocks.isEmpty else { return .notJudged }
        let status: CheckStatus = context.wallTime == nil ? .pass : .warn
        for clock in clocks {
            let distance = Double(last) - clock.seconds
            guard distance.magnitude > limit else { continue }
            return .hit(
                status,
                "the last time \(UTCTime(last).withDate) is \(SecondsText(distance.magnitude)) "
                    + "\(distance < 0 ? "behind" : "ahead of") \(clock.name): looped or stale content "
                    + "(up to \(SecondsText(limit)) is normal; clock: tag)")
        }
        return .pass
    }
}
