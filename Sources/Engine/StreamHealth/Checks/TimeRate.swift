package import NielsenID3

extension CheckID {
    /// `time.rate`.
    package static let timeRate = CheckID("time.rate")
}

extension HealthLimit {
    /// `time.rate`: the maximum drift between the stream clock and the tag clock.
    public static let rateDrift = HealthLimit(
        "limit-rate-drift", 2, "s",
        "time.rate: maximum drift between stream clock and tag clock")
    /// `time.rate`: the number of DATA tags that must show a drift.
    public static let rateTags = HealthLimit(
        "limit-rate-tags", 4, "tags",
        "time.rate: number of DATA tags that must show a drift")
    /// `time.rate`: the time within which a drift is measured.
    public static let rateWindow = HealthLimit(
        "limit-rate-window", 60, "s",
        "time.rate: time within which a drift is measured")
}

/// `time.rate`: the stream clock and the tag clock run at the same rate.
///
/// The classic fault is a transcoder that takes wall-clock time while it reads a file faster than real time. A
/// violation is a drift of more than 2 seconds between PTS and last times in one direction, over at least four tags
/// within 60 seconds of the slower clock. A single step is not a drift: a clock was set, or the PTS jumped.
struct TimeRate: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeRate, on: [.runTag], worst: .fail, clock: .both, limits: [.rateDrift, .rateTags, .rateWindow],
        rowLimit: .rateDrift,
        notRun: "No run has enough DATA tags with a PTS to compute a rate.",
        expectation: "Stream clock and tag clock run at the same rate",
        title: "The tag clock runs at a different rate from the stream clock",
        meaning: """
            Over several tags, the presentation times and the tags' own times drift apart in one direction: for 60 s of
            media, the tags count more or fewer seconds. Their times are wrong, and so is the credit.
            """,
        appearance: """
            PTS increases by 10 s per tag and `last` by 2 s (a file read five times as fast as real time), or the other
            way round. Small drifts show only over several tags.
            """,
        cause: """
            The classic fault of a transcoder: it reads a file as fast as the machine can, while the inserter stamps
            tags with wall-clock time. With FFmpeg, that is an input file without `-re` (or `-readrate 1`) before an
            inserter. Slow drifts come from audio that is stretched after the insertion (`atempo`, 24 to 25 frames per
            second).
            """,
        action: """
            Feed the inserter in real time, or use its file mode, which takes the time from the media. Convert speeds
            before the insertion.
            """)

    /// The maximum number of tags to compare.
    private static let capacity = 64
    /// The maximum step of the tag clock against the direction of a drift, because it counts whole seconds.
    private static let resolution = 1.0
    /// The minimum fraction of a drift outside its largest step.
    private static let spread = 0.25

    private var points: [Point] = []

    private struct Point: Sendable {
        let stream: Double
        let tag: UInt32

        /// The lead of the stream clock over the tag clock, in seconds.
        var lead: Double { stream - Double(tag) }
    }

    mutating func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        switch event {
        case .runTag(let tag, let place, let run):
            ledger.judge(Self.id, check(tag, by: ledger.policy), ofPart: run, at: place)
        case .clockRestart: self = TimeRate()
        default: break
        }
    }

    private mutating func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> CheckResult {
        guard let seconds = tag.seconds, seconds.isFinite, let last = tag.tag.lastTime else { return .notRun }
        points.append(Point(stream: seconds, tag: last))
        while points.count > Self.capacity || isTooLong(policy[.rateWindow]) { points.removeFirst() }
        let enough = max(2, policy.count(.rateTags))
        guard points.count >= enough else { return .notRun }
        let starts = points.indices.dropLast(enough - 1)
        guard let start = starts.first(where: { isDrift(from: $0, policy) }) else { return .pass }
        return .violation(.fail, detail(from: start, policy))
    }

    private func isTooLong(_ window: Double) -> Bool {
        guard let first = points.first, let last = points.last else { return false }
        let stream = (last.stream - first.stream).magnitude
        let tag = (Double(last.tag) - Double(first.tag)).magnitude
        return min(stream, tag) > window
    }

    /// Whether the clocks drift apart from the tag at `start` to the newest one.
    private func isDrift(from start: Int, _ policy: HealthPolicy) -> Bool {
        let drift = points[points.endIndex - 1].lead - points[start].lead
        guard drift.magnitude > policy[.rateDrift] else { return false }
        let direction = drift < 0 ? -1.0 : 1.0
        var largest = 0.0
        for index in points.indices.dropFirst(start + 1) {
            let step = direction * (points[index].lead - points[index - 1].lead)
            guard step >= -Self.resolution else { return false }
            largest = max(largest, step)
        }
        return drift.magnitude - largest >= Self.spread * drift.magnitude
    }

    private func detail(from start: Int, _ policy: HealthPolicy) -> String {
        let first = points[start]
        let last = points[points.endIndex - 1]
        let drift = last.lead - first.lead
        return
            "over \(points.endIndex - start) DATA tags the PTS advances by \(SecondsText(last.stream - first.stream)) "
            + "and the tags' last time by \(SecondsText(Int(last.tag) - Int(first.tag))): they drift apart by "
            + "\(SecondsText(drift.magnitude)), up to \(SecondsText(policy[.rateDrift])) is normal; the encoder "
            + "\(drift > 0 ? "runs faster than" : "is slower than") its input clock (clocks: pts and tag)"
    }
}
