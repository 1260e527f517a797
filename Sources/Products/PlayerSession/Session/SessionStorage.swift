/// Where the tags are that a session has kept: `stored` of its counts is the sum of the three.
public struct SessionStorage: Sendable, Hashable {
    /// Tags that wait for the disk, in memory.
    public internal(set) var queued = 0
    /// Tags that the buffer has: delivered, waiting, held, or counted there with the cause of their loss.
    public internal(set) var accepted = 0
    /// Tags that were lost because the disk took nothing for longer than there was memory for them.
    public internal(set) var lost = 0

    /// How many assets of sessions without tags the buffer has been given a summary of; no tags, and counted by themselves.
    public internal(set) var summaries = 0
    /// Summaries that were lost as tags are.
    public internal(set) var lostSummaries = 0

    /// None yet.
    public init() {}
}
