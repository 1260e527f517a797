import NielsenID3

/// `time.rate`: the stream's clock and the tags' clock run at one rate.
///
/// The classic fault is a transcoder that is fed the wall clock while a file runs faster than real time. Hit where PTS
/// and last times drift apart by more than 2 seconds in one direction over at least four tags within 60 seconds, of
/// whichever clock is the slower. One step is no drift: a clock was set, or the PTS jumped.
struct RateCheck: RunCheck {
    static let id = CheckID.timeRate
    static let absence = "No run has enough DATA tags with a PTS to tell a rate by."
    static let limit: HealthLimit? = .rateDrift

    /// How many tags are looked at together at most.
    private static let capacity = 64
    /// How far the tags' clock may step the other way within a drift: it counts whole seconds.
    private static let resolution = 1.0
    /// Which part of a drift must lie outside its largest step.
    private static let spread = 0.25

    private var points: [Point] = []
    /// Whether the drift that goes on was reported.
    private var isDrifting = false

    private struct Point: Sendable {
        let stream: Double
        let tag: UInt32

        /// How far the stream's clock is ahead of the tags' clock.
        var lead: Double { stream - Double(tag) }
    }

    mutating func restart() {
        points = []
        isDrifting = false
    }

    mutating func judge(_ tag: TagOccurrence, policy: HealthPolicy) -> [Judgement] {
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
        return [.hit(.fail, detail(from: start, policy))]
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
            + "\(drift > 0 ? "runs faster than" : "lags behind") the clock it is fed (clocks: pts and tag)"
    }
}
