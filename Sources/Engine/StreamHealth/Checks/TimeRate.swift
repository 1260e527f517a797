package import NielsenID3

extension CheckID {
    /// `time.rate`.
    package static let timeRate = CheckID("time.rate")
}

extension HealthLimit {
    /// `time.rate`: how far stream and tag clock may drift apart.
    public static let rateDrift = HealthLimit(
        "limit-rate-drift", 2, "s",
        "time.rate: how far stream and tag clock may drift apart")
    /// `time.rate`: the DATA tags that show a drift.
    public static let rateTags = HealthLimit(
        "limit-rate-tags", 4, "tags",
        "time.rate: the DATA tags that show a drift")
    /// `time.rate`: within this time.
    public static let rateWindow = HealthLimit(
        "limit-rate-window", 60, "s",
        "time.rate: within this time")
}

/// `time.rate`: the stream's clock and the tags' clock run at one rate.
///
/// The classic fault is a transcoder that is fed the wall clock while a file runs faster than real time. Hit where PTS
/// and last times drift apart by more than 2 seconds in one direction over at least four tags within 60 seconds, of
/// whichever clock is the slower. One step is no drift: a clock was set, or the PTS jumped.
struct TimeRate: RunCheck {
    static let declaration = CheckDeclaration(
        .timeRate, worst: .fail, clock: .both, limits: [.rateDrift, .rateTags, .rateWindow],
        rowLimit: .rateDrift,
        notRun: "No run has enough DATA tags with a PTS to tell a rate by.",
        expectation: "Stream clock and tag clock run at the same rate",
        title: "The tags' clock runs at another rate than the stream",
        meaning: """
            Over several tags the presentation times and the tags' own times drift apart in one direction: while 60 s of
            media went by, the tags say that more or fewer did. Their times are wrong, and so is the credit.
            """,
        appearance: """
            PTS goes up by 10 s a tag and `last` by 2 s (a file read five times as fast as real time), or the other way
            round. Small drifts show over some tags only.
            """,
        cause: """
            The classic fault of a transcoder: a file is read as fast as the machine can, while the inserter stamps tags with
            the wall clock. With FFmpeg that is an input file without `-re` (or `-readrate 1`) in front of an inserter. Slow
            drifts come from audio that is stretched (`atempo`, 24 to 25 frames a second) after the insertion.
            """,
        action: """
            Feed the inserter in real time, or use its mode for files, in which time comes from the media. Move conversions
            of speed in front of the insertion.
            """)

    static let needsOnlyOwner = false

    /// At most how many tags are compared.
    private static let capacity = 64
    /// How far the tags' clock may step the other way within a drift: it counts whole seconds.
    private static let resolution = 1.0
    /// Which part of a drift must lie outside its largest step.
    private static let spread = 0.25

    private var points: [Point] = []
    /// Whether the drift that goes on was reported.
    private var isDrifting = false

    var isLasting: Bool { isDrifting }

    private struct Point: Sendable {
        let stream: Double
        let tag: UInt32

        /// How far the stream's clock leads the tags' clock.
        var lead: Double { stream - Double(tag) }
    }

    mutating func restart() {
        points = []
        isDrifting = false
    }

    mutating func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> [CheckResult] {
        guard let seconds = tag.seconds, seconds.isFinite, let last = tag.tag.lastTime else { return [] }
        points.append(Point(stream: seconds, tag: last))
        while points.count > Self.capacity || isTooLong(policy[.rateWindow]) { points.removeFirst() }
        let enough = max(2, policy.count(.rateTags))
        guard points.count >= enough else { return [] }
        guard let start = points.indices.dropLast(enough - 1).first(where: { isDrift(from: $0, policy) })
        else {
            isDrifting = false
            return [.pass]
        }
        guard !isDrifting else { return [.pass] }
        isDrifting = true
        return [.violation(.fail, detail(from: start, policy))]
    }

    private func isTooLong(_ window: Double) -> Bool {
        guard let first = points.first, let last = points.last else { return false }
        let stream = (last.stream - first.stream).magnitude
        let tag = (Double(last.tag) - Double(first.tag)).magnitude
        return min(stream, tag) > window
    }

    /// Whether the clocks drift apart from one tag to the newest.
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
            "over \(points.endIndex - start) DATA tags the PTS goes on by \(SecondsText(last.stream - first.stream)) "
            + "and the tags' last time by \(SecondsText(Int(last.tag) - Int(first.tag))): they drift apart by "
            + "\(SecondsText(drift.magnitude)), up to \(SecondsText(policy[.rateDrift])) is normal; the encoder "
            + "\(drift > 0 ? "runs faster than" : "is slower than") the clock it is fed (clocks: pts and tag)"
    }
}
