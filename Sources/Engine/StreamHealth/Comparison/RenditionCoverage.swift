/// The parts of a rendition's own media timeline that were read.
struct RenditionCoverage: Sendable {
    /// The maximum number of separate skipped stretches remembered.
    private static let maximumStretchCount = 256

    private(set) var end: Double?
    private(set) var hasEnded = false
    private var begin = 0.0
    private var skipped: [ClosedRange<Double>] = []

    /// The position up to which it was read; infinite once it has ended.
    var frontier: Double { hasEnded ? .infinity : end ?? 0 }

    mutating func advance(to position: Double) {
        if position == .infinity {
            hasEnded = true
        } else if position.isFinite {
            end = max(end ?? 0, position)
        }
    }

    mutating func skip(to position: Double) {
        let start = end ?? 0
        guard position > start else { return }
        end = position
        if let last = skipped.last, last.upperBound == start {
            skipped[skipped.count - 1] = last.lowerBound...position
        } else {
            skipped.append(start...position)
        }
        if skipped.count > Self.maximumStretchCount {
            // The oldest stretches are the least likely to be needed, so the first two are merged.
            let first = skipped.removeFirst()
            skipped[0] = first.lowerBound...skipped[0].upperBound
        }
    }

    /// Excludes the tags up to a position, because they were dropped.
    mutating func forget(upTo position: Double) { begin = max(begin, position) }

    /// Excludes the tags from a position on, because they were not added.
    mutating func close(at position: Double) { end = min(end ?? 0, position) }

    /// Returns whether a tag at a position would have been seen, allowing for `edge` at the ends of segments.
    func covers(_ position: Double) -> Bool {
        let edge = RenditionComparison.edge
        guard position >= begin + edge, position <= (end ?? (hasEnded ? .infinity : 0)) - edge else {
            return false
        }
        return !isSkipped(position)
    }

    /// Returns whether a position is in a skipped stretch, or within `edge` of one.
    func isSkipped(_ position: Double) -> Bool {
        let edge = RenditionComparison.edge
        return skipped.contains { position >= $0.lowerBound - edge && position <= $0.upperBound + edge }
    }
}
