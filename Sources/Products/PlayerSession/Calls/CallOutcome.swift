/// What became of a call.
public enum CallOutcome: String, Sendable, Hashable, CaseIterable {
    /// The tag was kept.
    case stored
    /// The tag was the last one once more, and was counted.
    case `repeat`
    /// The tag was kept, and waits for the playhead to reach its media time.
    case held
    /// The tag is of another owner, or the call is none of a session.
    case ignored
    /// The tag was no tag.
    case invalid
    /// The tag, or the call, came while the user had opted out or the session was disabled, or after its end.
    case discarded
    /// The call did what it is for.
    case done
    /// The call could not be understood.
    case error
    /// The line of a log could not be read.
    case unreadable
    /// The call waits for the configuration.
    case queued
}
