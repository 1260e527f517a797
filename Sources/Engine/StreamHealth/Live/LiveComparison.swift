import NielsenID3

/// Compares renditions or sources of a live channel tag by tag while they are read: `rendition.tags-differ` and, for
/// renditions of one source, `rendition.time-differs`.
///
/// Each is compared with the first.
struct LiveComparison: Sendable {
    /// A set of renditions that must carry every tag, with its name for a sentence.
    struct Side: Sendable, Hashable {
        let name: String
        /// The renditions that form the unit.
        let renditions: [RenditionID]
    }

    /// A check result with its place.
    struct Result: Sendable {
        let check: CheckID
        let result: CheckResult
        let place: Finding.Place
    }

    /// The maximum number of tags remembered as missing on the first side, so that each is reported once.
    private static let capacity = 64

    private let sides: [Side]
    private let judgesTimes: Bool
    private let limit: Double
    /// The pairs of the first side with each other side.
    private var pairs: [LiveDifferences]
    private var told: [RenditionTagIdentity] = []
    /// The number of tags of each rendition.
    private var counts: [RenditionID: Int] = [:]

    /// Creates a comparison with the limits of a policy; set `judgesTimes` when the sides share a timeline.
    init(_ sides: [Side], judgesTimes: Bool, policy: HealthPolicy) {
        self.sides = sides
        self.judgesTimes = judgesTimes
        limit = policy[.renditionTime]
        pairs = sides.dropFirst().map { _ in LiveDifferences() }
    }

    /// Whether any sides lastingly differ.
    var differsLastingly: Bool { pairs.contains(where: \.differsLastingly) }

    /// Sets the renditions read recently; a lasting difference with a side that is no longer read is dropped.
    ///
    /// The comparison restarts when that side is read again.
    mutating func setRead(_ renditions: Set<RenditionID>) {
        for index in pairs.indices where pairs[index].differsLastingly {
            let areRead = [0, index + 1].allSatisfy { !renditions.isDisjoint(with: sides[$0].renditions) }
            if !areRead { pairs[index] = LiveDifferences() }
        }
    }

    /// Records a segment of a rendition and returns the results.
    ///
    /// - Parameter isContinuation: whether the segment directly continues the previous one and tags are expected in it.
    mutating func observe(
        _ tags: [PlacedTag], length: Double, rendition: RenditionID, name: String?, isContinuation: Bool
    ) -> [Result] {
        var results: [Result] = []
        for (index, pair) in pairs.indices.map({ ($0, [0, $0 + 1]) }) {
            guard let side = pair.firstIndex(where: { sides[$0].renditions.contains(rendition) }) else {
                continue
            }
            if !isContinuation { pairs[index].interrupt(side) }
            for tag in tags where tag.occurrence.position.isFinite {
                var occurrence = RenditionOccurrence(
                    tag.occurrence, stream: side, name: name, index: counts[rendition, default: 0])
                occurrence.place.renditionID = rendition
                let identity = RenditionTagIdentity(tag.occurrence)
                for difference in pairs[index].observe(occurrence, of: identity) {
                    if let result = result(of: difference, pair) { results.append(result) }
                }
            }
            if isContinuation, let difference = pairs[index].advance(side, rendition: rendition, by: length),
                let result = result(of: difference, pair)
            {
                results.append(result)
            }
        }
        counts[rendition, default: 0] += tags.count
        return results
    }

    private mutating func result(of difference: LiveDifferences.Difference, _ pair: [Int]) -> Result? {
        let names = pair.map { sides[$0].name }
        switch difference {
        case .missing(let identity, let occurrence, let carrier):
            if carrier == 1 {
                if told.contains(identity) { return nil }
                told.append(identity)
                if told.count > Self.capacity { told.removeFirst() }
            }
            return tagsDiffer(
                .missing(identity, carriers: [names[carrier]], others: [names[1 - carrier]]),
                at: occurrence.place)
        case .none(let carrier, let count, let place):
            return tagsDiffer(
                .none(carrier: names[carrier], count: count, other: names[1 - carrier]), at: place)
        case .strangers(let counts, let place):
            return tagsDiffer(.strangers((names[0], counts[0]), (names[1], counts[1])), at: place)
        case .common(let identity, let one, let other):
            guard judgesTimes, let distance = one.clockDistance(from: other) else {
                return Result(check: .renditionTagsDiffer, result: .pass, place: one.place)
            }
            // A rounding error in seconds is not a difference.
            guard distance.magnitude > limit + 1e-6 else {
                return Result(check: .renditionTimeDiffers, result: .pass, place: one.place)
            }
            return Result(
                check: .renditionTimeDiffers,
                result: .violation(
                    .fail,
                    "\(identity.text) is \(RenditionFindings.text(distance.magnitude)) "
                        + "\(distance < 0 ? "before" : "after") its position in \(names[other.stream]) "
                        + "(presentation time); the limit is \(RenditionFindings.text(limit))."),
                place: one.place)
        }
    }

    private func tagsDiffer(_ difference: TagDifference, at place: Finding.Place) -> Result {
        Result(check: .renditionTagsDiffer, result: .violation(.fail, difference.detail), place: place)
    }
}
