/// What became of the tags that were handed to a session.
///
/// `handed` is the sum of `stored`, `repeats`, `ignored`, `invalid` and `discarded` at every moment.
public struct SessionCounts: Sendable, Hashable {
    /// Tags that were handed over.
    public internal(set) var handed = 0
    /// Tags that were kept, those that are held among them.
    public internal(set) var stored = 0
    /// Tags that were the last one once more.
    public internal(set) var repeats = 0
    /// Tags of other owners.
    public internal(set) var ignored = 0
    /// Tags that were none.
    public internal(set) var invalid = 0
    /// Tags that came while the user had opted out or the session was disabled.
    public internal(set) var discarded = 0
    /// Kept tags that wait for the playhead.
    public internal(set) var held = 0
    /// Kept tags that the playhead never reached.
    public internal(set) var flushed = 0
    /// Viewing sessions that were opened.
    public internal(set) var sessions = 0

    /// Nothing yet.
    public init() {}

    /// Whether every tag that was handed over is counted once.
    public var isConserved: Bool {
        handed == stored + repeats + ignored + invalid + discarded && held + flushed <= stored
    }

    /// Adds the counts of another session.
    public mutating func add(_ other: SessionCounts) {
        handed += other.handed
        stored += other.stored
        repeats += other.repeats
        ignored += other.ignored
        invalid += other.invalid
        discarded += other.discarded
        held += other.held
        flushed += other.flushed
        sessions += other.sessions
    }
}
