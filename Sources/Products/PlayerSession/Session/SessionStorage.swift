/// The number of a session's stored tags in each place.
///
/// `stored` in the session's counts is the sum of `queued`, `accepted` and `lost`.
public struct SessionStorage: Sendable, Hashable {
    /// Tags in memory that wait for the disk.
    public internal(set) var queued = 0
    /// Tags that the buffer accepted: delivered, waiting, held, or counted there with the cause of their loss.
    public internal(set) var accepted = 0
    /// Tags lost because the disk was full or read-only for longer than the memory queue lasted.
    public internal(set) var lost = 0

    /// Summaries of assets of sessions without tags that the buffer accepted; they do not count as tags.
    public internal(set) var summaries = 0
    /// Summaries lost for the same reason as tags.
    public internal(set) var lostSummaries = 0

    /// Creates counts of zero.
    public init() {}
}
