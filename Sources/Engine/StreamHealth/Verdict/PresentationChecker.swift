package import ID3v2
package import NielsenID3

/// Checks a presentation while it is read: each rendition individually, and all renditions against each other.
///
/// Call `observe` for each segment in order, then `finish` for the verdict. Its memory is bounded, regardless of the
/// length of the presentation.
package struct PresentationChecker: Sendable {
    /// The maximum number of pending segments per rendition before the roles of all renditions are known.
    private static let maximumWaitingSegments = 16

    private let outline: PresentationOutline
    private let policy: HealthPolicy
    private let now: WallTime?
    private let listsSettledFindings: Bool
    private var units: RenditionUnits
    private var waiting: [SegmentObservation] = []
    private let maximumWaitingCount: Int
    /// The running checks; nil until the roles of the renditions are known.
    private var health: PresentationHealth?

    /// Creates the checks of a presentation.
    ///
    /// - Parameters:
    ///   - now: the current time, to compare the newest segment of a live presentation with; nil to skip this.
    ///   - listsSettledFindings: whether the caller drains the settled findings after each segment.
    package init(
        _ outline: PresentationOutline, policy: HealthPolicy = HealthPolicy(), now: WallTime? = nil,
        listsSettledFindings: Bool = false
    ) {
        self.outline = outline
        self.policy = policy
        self.now = now
        self.listsSettledFindings = listsSettledFindings
        units = RenditionUnits(
            names: outline.renditions.map(\.name), audio: outline.renditions.map(\.audioName))
        maximumWaitingCount = Self.maximumWaitingSegments * outline.renditions.count
    }

    /// Creates the checks of an input without playlists.
    package init(source: String, policy: HealthPolicy) {
        self.init(PresentationOutline(source: source, renditions: [.init(name: nil)]), policy: policy)
    }

    /// Records the next observation.
    package mutating func observe(_ observation: SegmentObservation) {
        if health != nil {
            health?.observe(observation)
            return
        }
        units.observe(
            observation.segment?.facts, rendition: observation.rendition.index, isLast: observation.isLast)
        waiting.append(observation)
        if units.isSettled || waiting.count >= maximumWaitingCount { begin() }
    }

    /// Returns the findings settled since the last call, each with its check; empty unless they are listed.
    package mutating func drainSettledFindings() -> [(check: CheckID, finding: Finding)] {
        health?.drainSettled() ?? []
    }

    /// Finishes the checks and returns the verdict; nothing can be observed afterwards.
    package mutating func finish() -> HealthVerdict {
        var finished = begin()
        finished.finish()
        health = finished
        return finished.verdict
    }

    /// Starts the checks with the observations so far, unless they are running.
    @discardableResult
    private mutating func begin() -> PresentationHealth {
        if let health { return health }
        var begun = PresentationHealth(
            outline, units: units.units, policy: policy, now: now, listsSettledFindings: listsSettledFindings)
        for observation in waiting { begun.observe(observation) }
        waiting = []
        health = begun
        return begun
    }
}
