/// The parts of a rendition's own media timeline that were read, and the damaged tags there.
struct RenditionCoverage: Sendable {
    /// The maximum number of separate skipped stretches remembered.
    private static let maximumStretchCount = 256

    private var end: Double?
    private var hasEnded = false
    /// Whether later parts are not compared.
    private(set) var isClosed = false
    /// The positions of the last damaged tags.
    private(set) var filled: [Double] = []
    private var begin = 0.0
    private var skipped: [ClosedRange<Double>] = []

    /// The position up to which it was read; infinite once it has ended.
    var frontier: Double { hasEnded ? .infinity : end ?? 0 }

    mutating func advance(to position: Double) {
        guard !isClosed else { return }
        if position == .infinity {
            hasEnded = true
        } else if position.isFinite {
            end = max(end ?? 0, position)
        }
    }

    mutating func skip(to position: Double) {
        let start = end ?? 0
        guard position > start, !isClosed else { return }
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
    mutating func close(at position: Double) {
        end = min(end ?? 0, position)
        isClosed = true
    }

    /// Records a damaged tag, which fills its position.
    mutating func fill(_ position: Double) {
        filled.append(position)
        if filled.count > TagComparison.capacity { filled.removeFirst() }
    }

    /// Returns whether a damaged tag occupies a position.
    func isFilled(_ position: Double) -> Bool {
        filled.contains { abs($0 - position) <= TagComparison.edge }
    }

    /// Returns whether a tag at a position would have been seen, allowing for `edge` at the ends of segments.
    func covers(_ position: Double) -> Bool {
        let edge = TagComparison.edge
        guard position >= begin + edge, position <= (end ?? (hasEnded ? .infinity : 0)) - edge else {
            return false
        }
        return !isSkipped(position)
    }

    /// Returns whether a position is in a skipped stretch, or within `edge` of one.
    func isSkipped(_ position: Double) -> Bool {
        let edge = TagComparison.edge
        return skipped.contains { position >= $0.lowerBound - edge && position <= $0.upperBound + edge }
    }
}
