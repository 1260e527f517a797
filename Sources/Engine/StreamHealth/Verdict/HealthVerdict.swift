public import NielsenID3

/// The combined result of all checks of a stream.
public struct HealthVerdict: Sendable, Hashable {
    /// The input as given by the user.
    public var source: String
    /// Seconds of media read of the longest rendition.
    public var duration: Double
    /// The number of segments in all renditions, including those that could not be read.
    public var segmentCount: Int
    /// The number of segments in all renditions that could not be read.
    public var failedSegmentCount: Int
    /// The first segments that could not be read completely, with the reasons; as many as a report keeps findings.
    ///
    /// Segments that the playlist marks as missing are not listed.
    public package(set) var failures: [Failure] = []
    /// Whether the whole stream was read: no segment is missing, failed or truncated, and nothing was cancelled.
    public package(set) var isComplete = true
    /// The number of tags, each counted once even if several renditions carry it.
    public var tags: TagCounts
    /// The checked media playlists, as written in their multivariant playlist; empty without one.
    public var renditions: [String]
    /// One outcome for every check, in the order of `CheckID`; each is the worst among the renditions.
    public var outcomes: [CheckOutcome]
    /// The limits of the checks.
    public var policy: HealthPolicy

    /// The worst status of all outcomes; `notRun` if no check ran.
    public var status: CheckStatus { outcomes.map(\.status).max() ?? .notRun }

    /// Creates a verdict.
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

    /// Merges the rows of an additional comparison into the rows of the same checks.
    package mutating func add(_ rows: [CheckOutcome]) {
        for row in rows {
            guard let index = outcomes.firstIndex(where: { $0.id == row.id }) else { continue }
            outcomes[index].merge(row, keeping: policy.count(.findings))
        }
    }

    /// A segment that could not be read completely.
    public struct Failure: Sendable, Hashable {
        /// The name of the segment.
        public let segment: String
        /// The reason, as half a sentence.
        public let reason: String

        package init(segment: String, reason: String) {
            self.segment = segment
            self.reason = reason
        }
    }

    /// The number of tags by kind.
    public struct TagCounts: Sendable, Hashable {
        /// DATA tags.
        public var data = 0
        /// INFO tags.
        public var info = 0
        /// Nielsen tags of another or unreadable kind.
        public var unknown = 0
        /// Tags of other owners.
        public var otherOwner = 0

        /// Creates counts of zero.
        package init() {}
    }
}
