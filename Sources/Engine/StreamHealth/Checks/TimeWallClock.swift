import ID3v2
package import NielsenID3

extension CheckID {
    /// `time.wall-clock`.
    package static let timeWallClock = CheckID("time.wall-clock")
}

extension HealthLimit {
    /// `time.wall-clock`: the maximum distance between a tag's last time and the program date and time.
    public static let wallClock = HealthLimit(
        "limit-wall-clock", 300, "s",
        "time.wall-clock: maximum distance between a tag's last time and the program date and time")
}

/// `time.wall-clock`: a tag's last time is near the program date and time, or, live, near the wall clock.
///
/// Otherwise the content is looped or stale. For a recording this is information, because a recording may be old.
struct TimeWallClock: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeWallClock, on: [.arrival], worst: .warn, clock: .both, limits: [.wallClock],
        rowLimit: .wallClock,
        notRun: "There is no EXT-X-PROGRAM-DATE-TIME, and the input is recorded.",
        expectation: "The times in the tags match the program date and time, or the current time",
        urgency: "now: old content, or a wrong clock",
        title: "The times in the tags do not match the program date and time or the wall clock",
        meaning: """
            The tag's last time is more than five minutes from EXT-X-PROGRAM-DATE-TIME at its place, or, live, from the
            wall clock. The content is old: a loop, a recording, or a stale segment. In recorded input this is
            information.
            """,
        appearance: """
            In `dtvr scan`, `last` and `program_date_time` of a tag differ: by the same amount for all tags of a loop,
            and by a growing amount if a stalled encoder repeats the same segments.
            """,
        cause: """
            A slate or fail-over loop with tags in it; time-shifted or catch-up channels, where this is intended; an
            EXT-X-PROGRAM-DATE-TIME that was set when the packager started and never corrected; or a clock without NTP.
            """,
        action: """
            For a live channel, find out whether it is really live: check the picture and the age of the newest segment.
            Otherwise find out which clock is wrong, the packager's or the inserter's.
            """,
        alerting: .init(explainedBy: [.monitorClock]))

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .arrival(let tag, _, let wallTime, let place) = event else { return }
        ledger.report(Self.id, Self.check(tag, at: wallTime, by: ledger.policy), at: place)
    }

    private static func check(_ tag: TagOccurrence, at wallTime: WallTime?, by policy: HealthPolicy)
        -> CheckResult
    {
        guard let kind = tag.validKind, kind == .data || kind == .info, let last = tag.tag.lastTime else {
            return .notRun
        }
        let limit = policy[.wallClock]
        var clocks: [(name: String, seconds: Double)] = []
        if let date = tag.origin.place.programDateTime {
            clocks.append(("EXT-X-PROGRAM-DATE-TIME", Double(date) / 1_000))
        }
        if let wallTime { clocks.append(("the wall clock", wallTime.unixSeconds)) }
        guard !clocks.isEmpty else { return .notRun }
        let status: CheckStatus = wallTime == nil ? .pass : .warn
        for clock in clocks {
            let distance = Double(last) - clock.seconds
            guard distance.magnitude > limit else { continue }
            return .violation(
                status,
                "the last time \(UTCTime(last).withDate) is \(SecondsText(distance: distance.magnitude)) "
                    + "\(distance < 0 ? "before" : "after") \(clock.name): looped or stale content "
                    + "(up to \(SecondsText(limit)) is normal; clock: tag)")
        }
        return .pass
    }
}

/// The newest date and tag of a live rendition, for comparison with the current time.
///
/// Nothing else shows that a playlist has stopped updating.
struct LiveEdge: Sendable {
    private var newestDate: (seconds: Double, place: Finding.Place)?
    private var newestTag: (seconds: Double, place: Finding.Place)?

    /// Adds a segment at a place.
    mutating func observe(_ segment: ObservedSegment, at place: Finding.Place) {
        guard let date = segment.programDateTime else { return }
        let end = Double(date) / 1_000 + segment.length
        if end > newestDate?.seconds ?? -.infinity { newestDate = (end, place) }
    }

    /// Adds a tag.
    mutating func observe(_ tag: PlacedTag) {
        guard let kind = tag.occurrence.validKind, kind == .data || kind == .info,
            let last = tag.occurrence.tag.lastTime
        else { return }
        if Double(last) > newestTag?.seconds ?? -.infinity { newestTag = (Double(last), tag.place) }
    }

    /// Compares the newest date and the newest tag with the current time.
    func check(now: WallTime, by policy: HealthPolicy, into ledger: inout CheckLedger) {
        let newest = [
            ("the newest segment ends at", "EXT-X-PROGRAM-DATE-TIME", newestDate),
            ("the newest tag's last time is", "clock: tag", newestTag),
        ]
        for (what, clock, edge) in newest {
            guard let edge else { continue }
            ledger.markRun(.timeWallClock)
            let limit = policy[.wallClock]
            let age = now.unixSeconds - edge.seconds
            guard age.magnitude > limit, let time = Int64(exactly: edge.seconds.rounded(.down)) else {
                continue
            }
            let distance = SecondsText(distance: age.magnitude.rounded())
            let problem =
                age < 0
                ? "\(distance) after now: the live playlist is ahead"
                : "\(distance) before now: the live playlist is stalled or stale"
            ledger.report(
                .timeWallClock, .warn, at: edge.place,
                "\(what) \(UTCTime(unixSeconds: time).withDate) (\(clock)), \(problem) "
                    + "(up to \(SecondsText(limit)) is normal)")
        }
    }
}
