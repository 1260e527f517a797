/// Which part of its own line of media time a rendition was read over.
struct RenditionCoverage: Sendable {
    /// How many skipped stretches are remembered apart.
    private static let maximumStretchCount = 256

    private(set) var end: Double?
    private(set) var hasEnded = false
    private var begin = 0.0
    private var skipped: [ClosedRange<Double>] = []

    /// Up to where it was read, infinite once it has ended.
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
            // The oldest are the least likely to be asked for: one stretch from the first to the second.
            let first = skipped.removeFirst()
            skipped[0] = first.lowerBound...skipped[0].upperBound
        }
    }

    /// Says that the tags up to a position were forgotten.
    mutating func forget(upTo position: Double) { begin = max(begin, position) }

    /// Says that the tags from a position on were not taken.
    mutating func close(at position: Double) { end = min(end ?? 0, position) }

    /// Whether a tag at a position would have been seen, wherever within `edge` its segment begins or ends.
    func covers(_ position: Double) -> Bool {
        let edge = RenditionComparison.edge
        guard position >= begin + edge, position <= (end ?? (hasEnded ? .infinity : 0)) - edge else {
            return false
        }
        return !isSkipped(position)
    }

    /// Whether a position lies in a stretch that was not read, or within `edge` of one.
    func isSkipped(_ position: Double) -> Bool {
        let edge = RenditionComparison.edge
        return skipped.contains { position >= $0.lowerBound - edge && position <= $0.upperBound + edge }
    }
}
