import NielsenID3

/// Compares renditions or sources of a live channel tag by tag while they are read: `rendition.tags-differ` and, for
/// renditions of one source, `rendition.time-differs`.
///
/// Each side is compared with the first. The delay between two sides may be unknown. A tag of one side is missing on
/// the other in either of two cases. It is between two common tags, and the other side was read there without a gap;
/// or the other side continues for a long time without a common tag.
struct ChannelComparison: Sendable {
    /// A set of renditions that must carry every tag, with its name for a sentence.
    typealias Side = (name: String, renditions: [RenditionID])

    /// A check result with its place.
    typealias Result = (check: CheckID, result: CheckResult, place: Finding.Place)

    /// The media read beyond a tag before it counts as missing without a later common tag, in seconds.
    private static let wait = 60.0
    /// The media read of a side before tags without a common one are compared, in seconds.
    private static let shortestReading = 90.0
    /// The number of consecutive tags that make a difference in that case.
    private static let fewestTags = 3
    /// The maximum number of pending tags on a side, and of common and missing tags remembered.
    private static let window = 64

    /// The first side and another one, whose tags have the streams 0 and 1.
    private struct Pair: Sendable {
        var alignment = TagAlignment(.order, streamCount: 2, window: ChannelComparison.window)
        /// The last common tag.
        var anchor: AlignedTag?
        /// The last common tags; a tag found here again is a repeat.
        var common: [RenditionTagIdentity] = []
        /// The media read of each side's renditions since its stretch started or the last common tag, in seconds.
        var media: [[RenditionID: Double]] = [[:], [:]]
        /// Whether the lasting difference between the sides was reported.
        var differsLastingly = false
    }

    private let sides: [Side]
    private let judgesTimes: Bool
    private let limit: Double
    /// The pairs of the first side with each other side.
    private var pairs: [Pair]
    /// The last tags that were missing on the first side, so that each is reported once.
    private var reported: [RenditionTagIdentity] = []
    /// The number of tags of each rendition.
    private var counts: [RenditionID: Int] = [:]

    /// Creates a comparison with the limits of a policy; set `judgesTimes` when the sides share a timeline.
    init(_ sides: [Side], judgesTimes: Bool, policy: HealthPolicy) {
        self.sides = sides
        self.judgesTimes = judgesTimes
        limit = policy[.renditionTime]
        pairs = sides.dropFirst().map { _ in Pair() }
    }

    /// Whether any sides lastingly differ.
    var differsLastingly: Bool { pairs.contains(where: \.differsLastingly) }

    /// Sets the renditions read recently; a lasting difference with a side that is no longer read is dropped.
    ///
    /// The comparison restarts when that side is read again.
    mutating func setRead(_ renditions: Set<RenditionID>) {
        for index in pairs.indices where pairs[index].differsLastingly {
            let areRead = [0, index + 1].allSatisfy { !renditions.isDisjoint(with: sides[$0].renditions) }
            if !areRead { pairs[index] = Pair() }
        }
    }

    /// Records a segment of a rendition and returns the results.
    ///
    /// - Parameter isContinuation: whether the segment directly continues the previous one and tags are expected in it.
    mutating func observe(
        _ tags: [PlacedTag], length: Double, rendition: RenditionID, name: String?, isContinuation: Bool
    ) -> [Result] {
        var results: [Result] = []
        for index in pairs.indices {
            let side = [0, index + 1].firstIndex { sides[$0].renditions.contains(rendition) }
            guard let side else { continue }
            if !isContinuation {
                // A gap before the segment.
                pairs[index].alignment.interrupt(side)
                pairs[index].media[side] = [:]
            }
            for tag in tags where tag.occurrence.position.isFinite {
                var occurrence = RenditionOccurrence(
                    tag.occurrence, stream: side, name: name, index: counts[rendition, default: 0])
                occurrence.place.renditionID = rendition
                results += compare(occurrence, RenditionTagIdentity(tag.occurrence), inPair: index)
            }
            if isContinuation {
                pairs[index].media[side][rendition, default: 0] += length
                if let found = lastingDifference(inPair: index) {
                    pairs[index].differsLastingly = true
                    results.append(found)
                }
            }
        }
        counts[rendition, default: 0] += tags.count
        return results
    }

    /// Compares the next tag of a side with those of the other one.
    private mutating func compare(
        _ occurrence: RenditionOccurrence, _ identity: RenditionTagIdentity?, inPair index: Int
    ) -> [Result] {
        let (side, other) = (occurrence.stream, 1 - occurrence.stream)
        if let identity,
            pairs[index].common.contains(identity)
                || pairs[index].alignment.isWaiting(identity, in: side)
        {
            return []
        }
        let id = pairs[index].alignment.add(occurrence, of: identity)
        guard let identity, let tag = pairs[index].alignment[id], let found = tag.first(in: other) else {
            return []
        }
        let passed = pairs[index].alignment.removeAll(through: id, readLast: side)
        var results = missing(among: passed, before: tag, inPair: index)
        var difference: TagDifference?
        let distance = judgesTimes ? occurrence.clockDistance(from: found) : nil
        // A rounding error in seconds is not a difference.
        if let distance, distance.magnitude > limit + 1e-6 {
            difference = .time(
                identity, distance: distance, from: names(ofPair: index)[other], isOfClock: true, limit: limit
            )
        }
        results.append(
            (
                distance == nil ? .renditionTagsDiffer : .renditionTimeDiffers,
                difference.map { .violation(.fail, $0.detail) } ?? .pass, occurrence.place
            ))
        pairs[index].anchor = tag
        pairs[index].media = [[:], [:]]
        Self.append(identity, to: &pairs[index].common)
        pairs[index].differsLastingly = false
        return results
    }

    private static func append(_ identity: RenditionTagIdentity, to last: inout [RenditionTagIdentity]) {
        last.append(identity)
        if last.count > window { last.removeFirst() }
    }

    private func names(ofPair index: Int) -> [String] { [sides[0].name, sides[index + 1].name] }

    /// Returns the missing tags among those between the last common tag and the next.
    private mutating func missing(
        among passed: [AlignedTag], before next: AlignedTag, inPair index: Int
    ) -> [Result] {
        // Once the timelines diverge, positions on both sides cannot be matched.
        guard let anchor = pairs[index].anchor, anchor.stretches == next.stretches,
            !pairs[index].differsLastingly, let start = anchor.shift(from: 0, to: 1),
            let end = next.shift(from: 0, to: 1), (end - start).magnitude <= TagComparison.edge
        else { return [] }
        let names = names(ofPair: index)
        var results: [Result] = []
        for (carrier, shift) in [(0, start), (1, -start)] {
            let fillers = passed.filter { $0.identity == nil }.compactMap { $0.first(in: 1 - carrier) }
            for tag in passed {
                guard let identity = tag.identity, let occurrence = tag.first(in: carrier),
                    let known = anchor.first(in: carrier), occurrence.position > known.position
                else { continue }
                let place = occurrence.position + shift
                if fillers.contains(where: { ($0.position - place).magnitude <= TagComparison.edge }) {
                    continue
                }
                if carrier == 1 {
                    if reported.contains(identity) { continue }
                    Self.append(identity, to: &reported)
                }
                let difference = TagDifference.missing(
                    identity, carriers: [names[carrier]], others: [names[1 - carrier]])
                results.append(
                    (difference.check, .violation(.fail, difference.detail), occurrence.place))
            }
        }
        return results
    }

    /// Returns the difference found after reading one side for a long time without a common tag; nil once reported.
    private func lastingDifference(inPair index: Int) -> Result? {
        guard !pairs[index].differsLastingly, pairs[index].alignment.count >= Self.fewestTags else {
            return nil
        }
        return lastingDifference(in: pairs[index], names(ofPair: index), carrier: 0)
            ?? lastingDifference(in: pairs[index], names(ofPair: index), carrier: 1)
    }

    private func lastingDifference(in pair: Pair, _ names: [String], carrier: Int) -> Result? {
        let other = 1 - carrier
        let read = pair.media[other].values.min() ?? 0
        let waiting = pair.alignment.waiting
        var tags = waiting.filter {
            $0.identity != nil && $0.stretches[other] == pair.alignment.stretches[other]
                && $0.first(in: carrier) != nil
        }
        if let anchor = pair.anchor, anchor.stretches[other] == pair.alignment.stretches[other],
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
        var difference = TagDifference.none(
            carrier: names[carrier], count: tags.count, other: names[other])
        if !others.isEmpty {
            let strange = others.filter { $0.identity != nil }
            guard strange.count >= Self.fewestTags,
                let one = RenditionOccurrence.tagTimes(of: tags.flatMap(\.occurrences)),
                let two = RenditionOccurrence.tagTimes(of: strange.flatMap(\.occurrences)),
                one.overlaps(two)
            else { return nil }
            let counts = carrier == 0 ? [tags.count, strange.count] : [strange.count, tags.count]
            difference = .strangers((names[0], counts[0]), (names[1], counts[1]))
        }
        return (difference.check, .violation(.fail, difference.detail), place)
    }
}
