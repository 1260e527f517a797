/// The number of tags handed to a session, by outcome.
///
/// At every moment, `handed` is the sum of `stored`, `repeats`, `ignored`, `invalid` and `discarded`.
public struct SessionCounts: Sendable, Hashable {
    /// Tags handed over.
    public private(set) var handed = 0
    /// Tags stored, including held tags.
    public private(set) var stored = 0
    /// Duplicates of the previous tag.
    public private(set) var repeats = 0
    /// Tags of other owners.
    public private(set) var ignored = 0
    /// Invalid tags.
    public private(set) var invalid = 0
    /// Tags that came while the user had opted out or the session was disabled.
    public private(set) var discarded = 0
    /// Stored tags that wait for the playhead.
    public internal(set) var held = 0
    /// Stored tags that the playhead never reached.
    public internal(set) var flushed = 0
    /// Viewing sessions opened.
    public internal(set) var sessions = 0

    /// Creates counts of zero.
    public init() {}

    /// Whether every tag handed over is counted exactly once.
    package var isConserved: Bool {
        handed == stored + repeats + ignored + invalid + discarded && held + flushed <= stored
    }

    /// Counts a tag that was handed over, by its outcome.
    mutating func count(_ outcome: CallOutcome) {
        handed += 1
        switch outcome {
        case .stored, .held: stored += 1
        case .repeat: repeats += 1
        case .ignored: ignored += 1
        case .discarded: discarded += 1
        case .invalid, .lost, .done, .error, .unreadable, .queued, .unknown: invalid += 1
        }
    }

    /// Counts stored tags as discarded.
    mutating func discard(_ count: Int) {
        stored -= count
        discarded += count
    }

    /// Adds the counts of another session.
    package mutating func add(_ other: SessionCounts) {
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

/// The number of a session's stored tags in each place.
///
/// `stored` in the session's counts is the sum of `queued`, `accepted` and `lost`.
public struct SessionStorage: Sendable, Hashable {
    /// Tags in memory that wait for the disk.
    public private(set) var queued = 0
    /// Tags that the buffer accepted: delivered, waiting, held, or counted there with the cause of their loss.
    public private(set) var accepted = 0
    /// Tags lost because the memory queue or the buffer had no room for them.
    public private(set) var lost = 0

    /// Records of the app, of assets and of their playback that the buffer accepted; they do not count as tags.
    public private(set) var summaries = 0
    /// Such records lost for the same reason as tags.
    public private(set) var lostSummaries = 0

    /// Creates counts of zero.
    public init() {}

    /// Counts a record that was added to the queue, or lost because the queue is full.
    mutating func enqueue(_ record: SessionRecord, isAdded: Bool) {
        switch record {
        case .tag where isAdded: queued += 1
        case .tag: lost += 1
        case .player where isAdded: break
        case .player: lostSummaries += 1
        }
    }

    /// Counts a queued record that the buffer has accepted or refused.
    mutating func finish(_ record: SessionRecord, isAccepted: Bool) {
        switch record {
        case .tag:
            queued -= 1
            if isAccepted { accepted += 1 } else { lost += 1 }
        case .player where isAccepted: summaries += 1
        case .player: lostSummaries += 1
        }
    }
}
