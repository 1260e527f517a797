package import NielsenID3
package import TimedMedia

/// Checks a presentation while it is read: each rendition individually, and all renditions against each other.
///
/// Call `observe` for each segment in order, then `finish` for the verdict. Its memory is bounded, regardless of the
/// length of the presentation.
package struct PresentationChecker: Sendable {
    /// The maximum number of pending segments per rendition before the roles of all renditions are known.
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
    /// The running checks; nil until the roles of the renditions are known.
    private var health: PresentationHealth?

    /// Creates the checks of a presentation.
    ///
    /// - Parameters:
    ///   - now: the time in Unix seconds to compare the newest segment of a live presentation with; nil to skip this.
    ///   - listsSettledFindings: whether the caller drains the settled findings after each segment.
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

    /// Records the next observation.
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

    /// Returns the findings settled since the last call, each with its check; empty unless they are listed.
    package mutating func drainSettledFindings() -> [(check: CheckID, finding: Finding)] {
        health?.drainSettled() ?? []
    }

    /// Finishes the checks and returns the verdict; nothing can be observed afterwards.
    package mutating func finish() -> HealthVerdict {
        if health == nil { begin() }
        var finished = health ?? fresh
        finished.finish()
        health = finished
        return finished.verdict
    }

    /// A new health value built from the known roles of the renditions.
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
    /// The start of each rendition on a common timeline, in seconds.
    ///
    /// Renditions of a live presentation that are loaded one after the other may start with different segments. The
    /// value is nil when all renditions start together, or when a date is missing.
    fileprivate var windowStarts: [Double]? {
        guard renditions.allSatisfy(\.hasSegments), Set(renditions.map(\.firstMediaSequence)).count > 1 else {
            return nil
        }
        let dates = renditions.compactMap(\.firstDate)
        guard dates.count == renditions.count, let earliest = dates.min() else { return nil }
        return dates.map { Double($0) / 1_000 - Double(earliest) / 1_000 }
    }
}
