package import NielsenID3
package import StreamHealth
import TimedMedia

/// Judges a programme while it is read: each rendition by itself, and all of them against each other.
///
/// Give it every observation of a `ProgrammeReader` that `observes`, in order, and ask for the verdict at the end.
/// What it keeps is bounded, however long the programme is.
package struct ProgrammeJudge: Sendable {
    /// How many segments of each rendition wait at most until it is known what each rendition is to the others.
    private static let maximumWaitingSegments = 16

    private let source: String
    private let policy: HealthPolicy
    private let listsSettledFindings: Bool
    private var units: RenditionUnits
    private let starts: [Double]?
    private var waiting: [SegmentObservation] = []
    private let maximumWaitingCount: Int
    /// What judges, once it is known what the renditions are to each other.
    private var health: ProgrammeHealth?

    /// A judge of a programme of which nothing was read yet.
    ///
    /// - Parameter listsSettledFindings: for those who call `takeSettledFindings` after each segment.
    package init(
        _ programme: Programme, policy: HealthPolicy = HealthPolicy(), listsSettledFindings: Bool = false
    ) {
        source = programme.source
        self.policy = policy
        self.listsSettledFindings = listsSettledFindings
        units = RenditionUnits(
            names: programme.renditions.map(\.uri), audio: programme.renditions.map(\.audioURI))
        starts = programme.windowStarts
        maximumWaitingCount = Self.maximumWaitingSegments * programme.renditions.count
    }

    /// Takes what was read next.
    package mutating func observe(_ observation: SegmentObservation) {
        if health != nil {
            judge(observation)
            return
        }
        units.note(
            observation.segment?.facts, rendition: observation.rendition, isLast: observation.isLast)
        waiting.append(observation)
        if units.isSettled || waiting.count >= maximumWaitingCount { begin() }
    }

    /// The findings that settled since the last call, each with its check; empty unless they are listed.
    package mutating func takeSettledFindings() -> [(check: CheckID, finding: Finding)] {
        health?.takeSettled() ?? []
    }

    /// What all checks together say of what was read; nothing can be observed after it.
    package mutating func finish() -> HealthVerdict {
        if health == nil { begin() }
        var judged = health ?? fresh
        judged.finish()
        health = judged
        return judged.verdict
    }

    /// The health of the programme as far as what is known of its renditions, with nothing observed yet.
    private var fresh: ProgrammeHealth {
        ProgrammeHealth(
            policy: policy, source: source, renditions: units.descriptions, starts: starts,
            listsSettledFindings: listsSettledFindings)
    }

    private mutating func begin() {
        health = fresh
        let observations = waiting
        waiting = []
        for observation in observations { judge(observation) }
    }

    private mutating func judge(_ observation: SegmentObservation) {
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

extension Programme {
    /// Where the renditions begin on one line of time, in seconds, where their playlists begin with different
    /// segments, as those of a live programme may that were fetched one after the other; nil where they begin
    /// together, or do not say when.
    fileprivate var windowStarts: [Double]? {
        let firsts = renditions.compactMap(\.segments.first)
        guard firsts.count == renditions.count, Set(firsts.map(\.mediaSequence)).count > 1 else { return nil }
        let dates = firsts.compactMap(\.programDateTime)
        guard dates.count == firsts.count, let earliest = dates.min() else { return nil }
        return dates.map { Double($0) / 1_000 - Double(earliest) / 1_000 }
    }
}
