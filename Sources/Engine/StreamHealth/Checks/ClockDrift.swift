package import NielsenID3

/// How many seconds the tags' clock has gained on the stream's: what `time.rate` goes by, for reports.
package struct ClockDrift: Sendable, Hashable {
    /// A step between the two clocks beyond this many seconds is a jump of one of them, and no drift.
    private static let jump = 30.0

    private var base: Double?
    private var last: Double?

    /// Two clocks of which nothing is known yet.
    package init() {}

    /// Starts anew, where the stream's clock does.
    package mutating func restart() { base = nil }

    /// Takes the next tag, and tells the seconds gained since the clocks last started anew; nil for a tag that is no
    /// valid DATA tag or has no time.
    package mutating func observe(_ tag: TagOccurrence) -> Double? {
        guard tag.validKind == .data, let seconds = tag.seconds, seconds.isFinite,
            let lastTime = tag.tag.lastTime
        else { return nil }
        let lead = Double(lastTime) - seconds
        if let last, abs(lead - last) > Self.jump { base = nil }
        last = lead
        let start = base ?? lead
        base = start
        return lead - start
    }
}
