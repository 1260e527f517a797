import NielsenID3

/// The differences between two sides of a live channel, renditions or sources, that must carry the same tags.
///
/// The delay between the sides may be unknown. A tag of one side is missing on the other in either of two cases. It is
/// between two common tags, and the other side was read there without a gap; or the other side continues for a long
/// time without a common tag.
struct LiveDifferences: Sendable {
    /// The media read beyond a tag before it counts as missing without a later common tag, in seconds.
    private static let wait = 60.0
    /// The media read of a side before tags without a common one are compared, in seconds.
    private static let shortestReading = 90.0
    /// The number of consecutive tags that make a difference in that case.
    private static let fewestTags = 3
    /// The maximum number of pending tags on a side, and of common tags remembered.
    private static let window = 64

    private var alignment = TagAlignment(.order, streamCount: 2, window: Self.window)
    /// The last common tag.
    private var anchor: AlignedTag?
    /// The last common tags; a tag found here again is a repeat.
    private var common: [RenditionTagIdentity] = []
    /// The media read of each side's renditions since its stretch started or the last common tag, in seconds.
    private var media: [[RenditionID: Double]] = [[:], [:]]
    /// Whether the lasting difference between the sides was reported.
    private(set) var differsLastingly = false

    /// The outcome of comparing a tag or a segment; a carrier is the side that has tags, 0 or 1.
    enum Difference: Sendable {
        case missing(RenditionTagIdentity, RenditionOccurrence, carrier: Int)
        /// The two occurrences of a common tag: on the side read last, and on the other.
        case common(RenditionTagIdentity, RenditionOccurrence, RenditionOccurrence)
        /// The carrier has `count` tags, and the other side has none.
        case none(carrier: Int, count: Int, place: Finding.Place)
        /// Both sides have tags of the same time, but none in common.
        case strangers(counts: [Int], place: Finding.Place)
    }

    /// Marks a gap in a side's reading before its next segment.
    mutating func interrupt(_ side: Int) {
        alignment.interrupt(side)
        media[side] = [:]
    }

    /// Records the next tag of a side, the stream of its occurrence, and returns the differences found.
    mutating func observe(
        _ occurrence: RenditionOccurrence, of identity: RenditionTagIdentity?
    ) -> [Difference] {
        if let identity, common.contains(identity) || alignment.isWaiting(identity, in: occurrence.stream) {
            return []
        }
        let id = alignment.add(occurrence, of: identity)
        guard let identity, let tag = alignment[id], let found = tag.first(in: 1 - occurrence.stream) else {
            return []
        }
        let passed = alignment.removeAll(through: id, readLast: occurrence.stream)
        var differences = missing(among: passed, before: tag)
        differences.append(.common(identity, occurrence, found))
        anchor = tag
        media = [[:], [:]]
        common.append(identity)
        if common.count > Self.window { common.removeFirst() }
        differsLastingly = false
        return differences
    }

    /// Records the end of a side's segment, after its tags.
    mutating func advance(_ side: Int, rendition: RenditionID, by length: Double) -> Difference? {
        media[side][rendition, default: 0] += length
        guard !differsLastingly, let found = difference(carrier: 0) ?? difference(carrier: 1) else {
            return nil
        }
        differsLastingly = true
        return found
    }

    /// Returns the missing tags among those between the last common tag and the next.
    private func missing(among passed: [AlignedTag], before next: AlignedTag) -> [Difference] {
        // Once the timelines diverge, positions on both sides cannot be matched.
        guard let anchor, anchor.stretches == next.stretches, !differsLastingly,
            let start = anchor.shift(from: 0, to: 1), let end = next.shift(from: 0, to: 1),
            (end - start).magnitude <= RenditionComparison.edge
        else { return [] }
        return [0, 1].flatMap { carrier in
            passed.compactMap { tag -> Difference? in
                guard let identity = tag.identity, let occurrence = tag.first(in: carrier),
                    let known = anchor.first(in: carrier), occurrence.position > known.position,
                    let shift = anchor.shift(from: carrier, to: 1 - carrier)
                else { return nil }
                let place = occurrence.position + shift
                let isFilled = passed.contains {
                    guard $0.identity == nil, let filler = $0.first(in: 1 - carrier) else { return false }
                    return (filler.position - place).magnitude <= RenditionComparison.edge
                }
                return isFilled ? nil : .missing(identity, occurrence, carrier: carrier)
            }
        }
    }

    /// Returns the difference found after reading the other side for a long time without a common tag.
    private func difference(carrier: Int) -> Difference? {
        let other = 1 - carrier
        guard alignment.count >= Self.fewestTags else { return nil }
        let read = media[other].values.min() ?? 0
        let waiting = alignment.waiting
        var tags = waiting.filter {
            $0.identity != nil && $0.stretches[other] == alignment.stretches[other]
                && $0.first(in: carrier) != nil
        }
        if let anchor, anchor.stretches[other] == alignment.stretches[other],
            let start = anchor.first(in: carrier)
        {
            let reach = start.position + read - Self.wait
            tags = tags.filter {
                $0.stretches[carrier] == anchor.stretches[carrier]
                    && $0.occurrences.allSatisfy { $0.position <= reach }
            }
        } else if read < Self.shortestReading {
            return nil
        }
        guard tags.count >= Self.fewestTags, let place = tags.first?.occurrences.first?.place else {
            return nil
        }
        let others = waiting.filter { $0.first(in: other) != nil }
        if others.isEmpty { return .none(carrier: carrier, count: tags.count, place: place) }
        let strange = others.filter { $0.identity != nil }
        guard strange.count >= Self.fewestTags, let one = Self.times(of: tags),
            let two = Self.times(of: strange), one.overlaps(two)
        else { return nil }
        var counts = [tags.count, tags.count]
        counts[other] = strange.count
        return .strangers(counts: counts, place: place)
    }

    private static func times(of tags: [AlignedTag]) -> ClosedRange<UInt32>? {
        let times = tags.flatMap(\.occurrences).compactMap(\.tagTimes)
        guard let first = times.map(\.lowerBound).min(), let last = times.map(\.upperBound).max() else {
            return nil
        }
        return first...last
    }
}
