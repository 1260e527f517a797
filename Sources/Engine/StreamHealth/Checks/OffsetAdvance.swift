package import NielsenID3

extension CheckID {
    /// `cid.offset-advance`.
    package static let offsetAdvance = CheckID("cid.offset-advance")
}

extension HealthLimit {
    /// `cid.offset-advance`: the difference above which the check warns.
    public static let offsetWarn = HealthLimit(
        "limit-offset-warn", 10, "s",
        "cid.offset-advance: difference above which the check warns")
    /// `cid.offset-advance`: the difference above which the check fails.
    public static let offsetFail = HealthLimit(
        "limit-offset-fail", 15, "s",
        "cid.offset-advance: difference above which the check fails")
}

/// `cid.offset-advance`: the offset of a content id advances at the same rate as the tags' last time.
///
/// The reference is the previous DATA tag with the same content id, without a discontinuity or a null id between them.
struct OffsetAdvance: RunCheck {
    static let declaration = CheckDeclaration(
        .offsetAdvance, worst: .fail, clock: .tag, limits: [.offsetWarn, .offsetFail], rowLimit: .offsetWarn,
        notRun: "No run has two DATA tags with the same content id.",
        expectation: "The offset of a CID advances with the tag clock",
        title: "An offset does not advance with the tag clock",
        meaning: """
            While a CID stays the same, its offset advances by as many seconds as the tag's last time. Here the two
            differ: the content jumped within one broadcast day, or the offset is wrong.
            """,
        appearance: """
            For example, `last` advances by 10 and `fd_offset` by 40 or by 0. The finding has both values.
            """,
        cause: """
            Recorded content that was edited or looped after watermark encoding; a discontinuity that was not signaled
            as EXT-X-DISCONTINUITY; or a watermark heard from two sources in turn (crosstalk, or a mix of two channels).
            """,
        action: """
            Check the picture at that point. If the content jumps, the playlist must signal it with EXT-X-DISCONTINUITY.
            If not, look for a second source in the audio path before the inserter.
            """)

    /// The maximum number of content ids to remember, for sources that alternate.
    private static let capacity = 4

    private struct Point: Sendable {
        let id: ContentID
        let offset: Int
        let lastTime: UInt32
    }

    /// The latest point of each content id, the newest last.
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
            "the \(role.rawValue) offset goes from \(before.offset) to \(offset), by \(SecondsText(advance)), while "
                + "the last time advances by \(SecondsText(elapsed)): up to \(SecondsText(warn)) of difference is "
                + "normal, more than \(SecondsText(fail)) is not counted (clock: tag)")
    }
}
