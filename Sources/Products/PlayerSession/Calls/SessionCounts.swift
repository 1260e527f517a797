/// The number of tags handed to a session, by outcome.
///
/// At every moment, `handed` is the sum of `stored`, `repeats`, `ignored`, `invalid` and `discarded`.
public struct SessionCounts: Sendable, Hashable {
    /// Tags handed over.
    public internal(set) var handed = 0
    /// Tags stored, including held tags.
    public internal(set) var stored = 0
    /// Duplicates of the previous tag.
    public internal(set) var repeats = 0
    /// Tags of other owners.
    public internal(set) var ignored = 0
    /// Invalid tags.
    public internal(set) var invalid = 0
    /// Tags that came while the user had opted out or the session was disabled.
    public internal(set) var discarded = 0
    /// Stored tags that wait for the playhead.
    public internal(set) var held = 0
    /// Stored tags that the playhead never reached.
    public internal(set) var flushed = 0
    /// Viewing sessions opened.
    public internal(set) var sessions = 0

    /// Creates counts of zero.
    public init() {}

    /// Whether every tag handed over is counted exactly once.
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
