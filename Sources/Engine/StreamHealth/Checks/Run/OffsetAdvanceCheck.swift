import NielsenID3

/// `cid.offset-advance`: the offset of a content id advances like the tags' last time.
///
/// Judged against the DATA tag before with the same content id, with no discontinuity and no null between.
struct OffsetAdvanceCheck: RunCheck {
    static let id = CheckID.offsetAdvance
    static let absence = "No content id stands on two DATA tags of a run."
    static let limit: HealthLimit? = .offsetWarn

    /// How many content ids are remembered: sources that take turns.
    private static let capacity = 4

    private struct Point: Sendable {
        let id: ContentID
        let offset: Int
        let lastTime: UInt32
    }

    /// The newest point of each content id, the newest last.
    private var points = PerContentID<[Point]>(repeating: [])

    mutating func judge(_ tag: TagOccurrence, policy: HealthPolicy) -> [Judgement] {
        ContentIDRole.allCases.map { judge(tag.tag, $0, policy) }
    }

    private mutating func judge(_ tag: NielsenTag, _ role: ContentIDRole, _ policy: HealthPolicy) -> Judgement
    {
        guard let id = tag.contentID(role), let offset = tag.offset(role), let lastTime = tag.lastTime else {
            return .notJudged
        }
        guard !id.isNull else {
            points[role] = []
            return .notJudged
        }
        let before = points[role].first { $0.id == id }
        points[role].removeAll { $0.id == id }
        points[role].append(Point(id: id, offset: offset, lastTime: lastTime))
        if points[role].count > Self.capacity { points[role].removeFirst() }
        guard let before else { return .notJudged }
        let advance = offset - before.offset
        let elapsed = Int(lastTime) - Int(before.lastTime)
        let difference = Double((advance - elapsed).magnitude)
        let warn = policy[.offsetWarn]
        let fail = policy[.offsetFail]
        guard difference > min(warn, fail) else { return .pass }
        return .hit(
            difference > fail ? .fail : .warn,
            "the \(role.rawValue) offset goes from \(before.offset) to \(offset), by \(SecondsText(advance)), while the "
                + "last time goes on by \(SecondsText(elapsed)): up to \(SecondsText(warn)) of difference is normal, "
                + "more than \(SecondsText(fail)) is not counted (clock: tag)")
    }
}
