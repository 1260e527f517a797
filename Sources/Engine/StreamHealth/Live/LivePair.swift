import NielsenID3

/// Two sides of a live channel, renditions or sources, that must carry the same tags.
///
/// The delay between the sides may be unknown. A tag of one side is missing on the other in either of two cases. It is
/// between two common tags, and the other side was read there without a gap; or the other side continues for a long
/// time without a common tag.
struct LivePair: Sendable {
    /// The media read beyond a tag before it counts as missing without a later common tag, in seconds.
    private static let wait = 60.0
    /// The media read of a side before tags without a common one are compared, in seconds.
    private static let shortestReading = 90.0
    /// The number of consecutive tags that make a difference in that case.
    private static let fewestTags = 3
    /// The maximum number of pending tags on a side, and of common tags remembered.
    private static let capacity = 64

    private var sides = [Side(), Side()]
    private var anchor: Anchor?
    /// The last common tags; a tag found here again is a repeat.
    private var common: [RenditionTagIdentity] = []
    /// Whether the lasting difference between the sides was reported.
    private(set) var differsLastingly = false

    /// A tag that waits for the other side.
    ///
    /// A tag without an identity is damaged and only fills its position.
    private struct Waiting: Sendable {
        let identity: RenditionTagIdentity?
        let occurrence: RenditionOccurrence
        let times: ClosedRange<UInt32>?
        /// The stretches that both sides were in when the tag was observed.
        let stretch: Int
        let otherStretch: Int
    }

    private struct Side: Sendable {
        var waiting: [Waiting] = []
        /// The number of interruptions so far, which identifies a stretch read without a gap.
        var stretch = 0
        /// The media read of each rendition since the stretch started or the last common tag, in seconds.
        var media: [Int: Double] = [:]
        var length: Double { media.values.min() ?? 0 }
        var tags: [Waiting] { waiting.filter { $0.identity != nil } }
    }

    /// The last common tag.
    private struct Anchor: Sendable {
        let positions: [Double]
        let stretches: [Int]
    }

    /// A tag that only one side has.
    struct Missing: Sendable {
        let identity: RenditionTagIdentity
        let occurrence: RenditionOccurrence
        /// The side that has it, 0 or 1.
        let carrier: Int
    }

    /// The outcome of comparing a tag or a segment.
    enum Difference: Sendable {
        case missing(Missing)
        /// The two occurrences of a common tag: on the side read last, and on the other.
        case common(RenditionTagIdentity, RenditionOccurrence, RenditionOccurrence)
        /// The carrier has `count` tags, and the other side has none.
        case none(carrier: Int, count: Int, place: Finding.Place)
        /// Both sides have tags of the same time, but none in common.
        case strangers(counts: [Int], place: Finding.Place)
    }

    /// Marks a gap in a side's reading before its next segment.
    mutating func interrupt(_ side: Int) {
        sides[side].stretch += 1
        sides[side].media = [:]
    }

    /// Records the next tag of a side and returns the differences found.
    mutating func observe(_ tag: TagOccurrence, _ occurrence: RenditionOccurrence, side: Int) -> [Difference]
    {
        let other = 1 - side
        var times: ClosedRange<UInt32>?
        if let first = tag.tag.firstTime, let last = tag.tag.lastTime {
            times = min(first, last)...max(first, last)
        }
        let identity = RenditionTagIdentity(tag)
        let waiting = Waiting(
            identity: identity, occurrence: occurrence, times: times, stretch: sides[side].stretch,
            otherStretch: sides[other].stretch)
        if let identity {
            if common.contains(identity) || sides[side].waiting.contains(where: { $0.identity == identity }) {
                return []
            }
            if let index = sides[other].waiting.firstIndex(where: { $0.identity == identity }) {
                return meet(identity, waiting, of: side, at: index)
            }
        }
        if sides[side].waiting.count >= Self.capacity { sides[side].waiting.removeFirst() }
        sides[side].waiting.append(waiting)
        return []
    }

    /// Records the end of a side's segment, after its tags.
    mutating func advance(_ side: Int, rendition: Int, by length: Double) -> Difference? {
        sides[side].media[rendition, default: 0] += length
        guard !differsLastingly, let found = difference(carrier: 0) ?? difference(carrier: 1) else {
            return nil
        }
        differsLastingly = true
        return found
    }

    // MARK: Between two common tags

    private mutating func meet(
        _ identity: RenditionTagIdentity, _ tag: Waiting, of side: Int, at index: Int
    ) -> [Difference] {
        let other = 1 - side
        let found = sides[other].waiting[index]
        let passed = [side: sides[side].waiting, other: Array(sides[other].waiting[..<index])]
        var differences: [Difference] = []
        var positions = [0.0, 0.0]
        positions[side] = tag.occurrence.position
        positions[other] = found.occurrence.position
        var stretches = [0, 0]
        stretches[side] = tag.stretch
        stretches[other] = found.stretch
        if let anchor, anchor.stretches == stretches, !differsLastingly {
            let lengths = [positions[0] - anchor.positions[0], positions[1] - anchor.positions[1]]
            // Once the timelines diverge, positions on both sides cannot be matched.
            if (lengths[0] - lengths[1]).magnitude <= RenditionComparison.edge {
                for carrier in [0, 1] {
                    differences += missing(
                        passed[carrier] ?? [], carrier: carrier, fillers: passed[1 - carrier] ?? [], anchor)
                }
            }
        }
        differences.append(.common(identity, tag.occurrence, found.occurrence))
        anchor = Anchor(positions: positions, stretches: stretches)
        sides[other].waiting.removeFirst(index + 1)
        sides[side].waiting = []
        for index in sides.indices { sides[index].media = [:] }
        common.append(identity)
        if common.count > Self.capacity { common.removeFirst() }
        differsLastingly = false
        return differences
    }

    private func missing(
        _ tags: [Waiting], carrier: Int, fillers: [Waiting], _ anchor: Anchor
    ) -> [Difference] {
        tags.compactMap { tag in
            guard let identity = tag.identity, tag.occurrence.position > anchor.positions[carrier] else {
                return nil
            }
            let place = tag.occurrence.position - anchor.positions[carrier] + anchor.positions[1 - carrier]
            let isFilled = fillers.contains {
                $0.identity == nil && ($0.occurrence.position - place).magnitude <= RenditionComparison.edge
            }
            return isFilled
                ? nil : .missing(.init(identity: identity, occurrence: tag.occurrence, carrier: carrier))
        }
    }

    // MARK: Without a common tag

    /// Returns the difference found after reading the other side for a long time without a common tag.
    private func difference(carrier: Int) -> Difference? {
        let other = sides[1 - carrier]
        var tags = sides[carrier].tags.filter { $0.otherStretch == other.stretch }
        if let anchor, anchor.stretches[1 - carrier] == other.stretch {
            let reach = anchor.positions[carrier] + other.length - Self.wait
            tags = tags.filter { $0.stretch == anchor.stretches[carrier] && $0.occurrence.position <= reach }
        } else if other.length < Self.shortestReading {
            return nil
        }
        guard tags.count >= Self.fewestTags, let place = tags.first?.occurrence.place else { return nil }
        let others = other.waiting
        if others.isEmpty { return .none(carrier: carrier, count: tags.count, place: place) }
        let strange = others.filter { $0.identity != nil }
        guard strange.count >= Self.fewestTags, let one = Self.times(of: tags),
            let two = Self.times(of: strange),
            one.overlaps(two)
        else { return nil }
        var counts = [tags.count, tags.count]
        counts[1 - carrier] = strange.count
        return .strangers(counts: counts, place: place)
    }

    private static func times(of tags: [Waiting]) -> ClosedRange<UInt32>? {
        let times = tags.compactMap(\.times)
        guard let first = times.map(\.lowerBound).min(), let last = times.map(\.upperBound).max() else {
            return nil
        }
        return first...last
    }
}
