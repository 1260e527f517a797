package import NielsenID3

/// The seconds that the tags' clock has gained on the stream's clock, for reports.
///
/// `time.rate` checks the same drift.
package struct ClockDrift: Sendable, Hashable {
    /// The largest step between the two clocks that counts as drift, in seconds.
    ///
    /// A larger step means that one of the clocks jumped.
    private static let jump = 30.0

    private var base: Double?
    private var last: Double?

    /// Creates a drift without observations.
    package init() {}

    /// Restarts the measurement; call it when the stream's clock restarts.
    package mutating func restart() { base = nil }

    /// Adds a tag and returns the seconds gained since the last restart.
    ///
    /// Returns nil for a tag without a time and for anything but a valid DATA tag.
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
