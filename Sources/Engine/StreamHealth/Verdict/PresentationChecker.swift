package import NielsenID3
package import TimedMedia

/// Checks a presentation while it is read: each rendition by itself, and all of them against each other.
///
/// Give it every segment's observation, in order, and ask for the verdict at the end. What it keeps is bounded,
/// however long the presentation is.
package struct PresentationChecker: Sendable {
    /// How many segments of each rendition wait at most until it is known what each rendition is to the others.
    private static let maximumWaitingSegments = 16

    private let source: String
    private let policy: HealthPolicy
    private let listsSettledFindings: Bool
    private var units: RenditionUnits
    private let starts: [Double]?
    private let live: Set<Int>
    private let now: Double?
    private var waiting: [SegmentObservation] = []
    private let maximumWaitingCount: Int
    /// What runs the checks, once it is known what the renditions are to each other.
    private var health: PresentationHealth?

    /// The checks of a presentation of which nothing was read yet.
    ///
    /// - Parameters:
    ///   - now: the time in Unix seconds that the newest of a live presentation is compared with; nil for none.
    ///   - listsSettledFindings: for those who call `drainSettledFindings` after each segment.
    package init(
        _ outline: PresentationOutline, policy: HealthPolicy = HealthPolicy(), now: Double? = nil,
        listsSettledFindings: Bool = false
    ) {
        source = outline.source
        self.policy = policy
        self.listsSettledFindings = listsSettledFindings
        units = RenditionUnits(
            names: outline.renditions.map(\.name), audio: outline.renditions.map(\.audioName))
        starts = outline.windowStarts
        live = Set(outline.renditions.indices.filter { outline.renditions[$0].isLive })
        self.now = now
        maximumWaitingCount = Self.maximumWaitingSegments * outline.renditions.count
    }

    /// Takes what was read next.
    package mutating func observe(_ observation: SegmentObservation) {
        if health != nil {
            check(observation)
            return
        }
        units.observe(
            observation.segment?.facts, rendition: observation.rendition, isLast: observation.isLast)
        waiting.append(observation)
        if units.isSettled || waiting.count >= maximumWaitingCount { begin() }
    }

    /// The findings that settled since the last call, each with its check; empty unless they are listed.
    package mutating func drainSettledFindings() -> [(check: CheckID, finding: Finding)] {
        health?.drainSettled() ?? []
    }

    /// What all checks together say of what was read; nothing can be observed after it.
    package mutating func finish() -> HealthVerdict {
        if health == nil { begin() }
        var finished = health ?? fresh
        finished.finish()
        health = finished
        return finished.verdict
    }

    /// The health of the presentation as far as what is known of its renditions, with nothing observed yet.
    private var fresh: PresentationHealth {
        PresentationHealth(
            policy: policy, source: source, renditions: units.descriptions, starts: starts, live: live,
            now: now, listsSettledFindings: listsSettledFindings)
    }

    private mutating func begin() {
        health = fresh
        let observations = waiting
        waiting = []
        for observation in observations { check(observation) }
    }

    private mutating func check(_ observation: SegmentObservation) {
        let rendition = observation.rendition
        if let segment = observation.segment {
            health?.observe(
                segment, tags: observation.tags, rendition: rendition,
                otherOwnerCount: observation.otherTagCount, malformedOthers: observation.malformedOtherTags)
        }
        if !observation.trailingTags.isEmpty {
            health?.observe(trailing: observation.trailingTags, rendition: rendition)
        }
    }
}

extension PresentationOutline {
    /// Where the renditions begin on one line of time, in seconds, where their playlists begin with different
    /// segments, as those of a live presentation may that were fetched one after the other; nil where they begin
    /// together, or do not say when.
    fileprivate var windowStarts: [Double]? {
        guard renditions.allSatisfy(\.hasSegments), Set(renditions.map(\.firstMediaSequence)).count > 1 else {
            return nil
        }
        let dates = renditions.compactMap(\.firstDate)
        guard dates.count == renditions.count, let earliest = dates.min() else { return nil }
        return dates.map { Double($0) / 1_000 - Double(earliest) / 1_000 }
    }
}
