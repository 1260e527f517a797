/// The outcome of a call.
public enum CallOutcome: String, Sendable, Hashable, CaseIterable {
    /// The tag was stored.
    case stored
    /// Duplicate of the previous tag: counted, not stored.
    case `repeat`
    /// The tag was stored, and is held until the playhead reaches its media time.
    case held
    /// The tag has another owner, or the call is unknown.
    case ignored
    /// The tag is invalid: empty, too long, not text, or undecodable base64.
    case invalid
    /// The tag or the call came while the user had opted out or the session was disabled, or after its end.
    case discarded
    /// Success.
    case done
    /// The arguments of the call are missing or invalid.
    case error
    /// The line of a call log is malformed.
    case unreadable
    /// The call is queued until the user's choice and the configuration have been read.
    case queued
}
