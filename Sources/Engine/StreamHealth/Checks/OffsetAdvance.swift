package import NielsenID3

extension CheckID {
    /// `cid.offset-advance`.
    package static let offsetAdvance = CheckID("cid.offset-advance")
}

extension HealthLimit {
    /// `cid.offset-advance`: from here on a warning.
    public static let offsetWarn = HealthLimit(
        "limit-offset-warn", 10, "s",
        "cid.offset-advance: from here on a warning")
    /// `cid.offset-advance`: from here on a failure.
    public static let offsetFail = HealthLimit(
        "limit-offset-fail", 15, "s",
        "cid.offset-advance: from here on a failure")
}

/// `cid.offset-advance`: the offset of a content id advances like the tags' last time.
///
/// Judged against the DATA tag before with the same content id, with no discontinuity and no null between.
struct OffsetAdvance: RunCheck {
    static let declaration = CheckDeclaration(
        .offsetAdvance, worst: .fail, clock: .tag, limits: [.offsetWarn, .offsetFail], rowLimit: .offsetWarn,
        notRun: "No content id is on two DATA tags of a run.",
        expectation: "The offset of a CID advances with the tag clock",
        title: "An offset does not advance like time",
        meaning: """
            While a CID stays the same, its offset goes up by the seconds that the tag's last time goes up by. Here
            the two differ: the content jumped within one broadcast day, or the offset is wrong.
            """,
        appearance: """
            `last` goes up by 10 and `fd_offset` by 40, or by nothing. The finding has both.
            """,
        cause: """
            Recorded content edited together or looped after the encoder of the watermark; a discontinuity that was not
            signaled as EXT-X-DISCONTINUITY; a watermark heard from two sources in turn (crosstalk, a mix of two channels).
            """,
        action: """
            Look at the picture at that place. If content jumps there, the playlist must say so with EXT-X-DISCONTINUITY.
            If not, look at the audio's path in front of the inserter for a second source.
            """)

    /// How many content ids are remembered: sources that take turns.
    private static let capacity = 4

    private struct Point: Sendable {
        let id: ContentID
        let offset: Int
        let lastTime: UInt32
    }

    /// The newest point of each content id, the newest last.
    private var points = PerContentID<[Point]>(repeating: [])

    mutating func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> [CheckResult] {
        ContentIDRole.allCases.map { check(tag.tag, $0, policy) }
    }

    private mutating func check(_ tag: NielsenTag, _ role: ContentIDRole, _ policy: HealthPolicy)
        -> CheckResult
    {
        guard let id = tag.contentID(role), let offset = tag.offset(role), let lastTime = tag.lastTime else {
            return .notRun
        }
        guard !id.isNull else {
            points[role] = []
            return .notRun
        }
        let before = points[role].first { $0.id == id }
        points[role].removeAll { $0.id == id }
        points[role].append(Point(id: id, offset: offset, lastTime: lastTime))
        if points[role].count > Self.capacity { points[role].removeFirst() }
        guard let before else { return .notRun }
        let advance = offset - before.offset
        let elapsed = Int(lastTime) - Int(before.lastTime)
        let difference = Double((advance - elapsed).magnitude)
        let warn = policy[.offsetWarn]
        let fail = policy[.offsetFail]
        guard difference > min(warn, fail) else { return .pass }
        return .violation(
            difference > fail ? .fail : .warn,
            "the \(role.rawValue) offset goes from \(before.offset) to \(offset), by \(SecondsText(advance)), while the "
                + "last time goes on by \(SecondsText(elapsed)): up to \(SecondsText(warn)) of difference is normal, "
                + "more than \(SecondsText(fail)) is not counted (clock: tag)")
    }
}
