/// What all checks together say about a stream.
public struct HealthVerdict: Sendable, Hashable {
    /// The input as the user gave it.
    public var source: String
    /// Seconds of media that were read, of the longest rendition.
    public var duration: Double
    /// How many segments were read, of all renditions.
    public var segmentCount: Int
    /// How many segments could not be read, of all renditions.
    public var failedSegmentCount: Int
    /// How many tags there were, each counted once however many renditions carry it.
    public var tags: TagCounts
    /// The media playlists that were checked, as their multivariant playlist has them; empty without one.
    public var renditions: [String]
    /// One outcome for every check, in the order of `CheckID`; each the worst of the renditions.
    public var outcomes: [CheckOutcome]
    /// The limits that were checked by.
    public var policy: HealthPolicy

    /// The worst of the outcomes; `notRun` where no check was run.
    public var status: CheckStatus { outcomes.map(\.status).max() ?? .notRun }

    /// A verdict.
    package init(
        source: String, duration: Double, segmentCount: Int, failedSegmentCount: Int, tags: TagCounts,
        renditions: [String], outcomes: [CheckOutcome], policy: HealthPolicy
    ) {
        self.source = source
        self.duration = duration
        self.segmentCount = segmentCount
        self.failedSegmentCount = failedSegmentCount
        self.tags = tags
        self.renditions = renditions
        self.outcomes = outcomes
        self.policy = policy
    }

    /// Adds what a further comparison says to the rows of the same checks.
    package mutating func add(_ rows: [CheckOutcome]) {
        for row in rows {
            guard let index = outcomes.firstIndex(where: { $0.id == row.id }) else { continue }
            outcomes[index].merge(row, keeping: policy.count(.findings))
        }
    }

    /// How many tags there were, by kind.
    public struct TagCounts: Sendable, Hashable {
        /// DATA tags.
        public var data = 0
        /// INFO tags.
        public var info = 0
        /// Nielsen tags of another kind, or whose kind cannot be read.
        public var unknown = 0
        /// Tags of other owners.
        public var otherOwner = 0

        /// None yet.
        package init() {}
    }
}
