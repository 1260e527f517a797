/// The state of a session.
public enum SessionState: String, Sendable, Hashable, CaseIterable {
    /// Not initialized, or shut down.
    case initial
    /// Initialized; nothing is playing.
    case idle
    /// Something is playing, or is interrupted.
    case processing
    /// Disabled, or the initialization failed.
    case disabled
}
