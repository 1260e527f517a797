/// Where a session is.
public enum SessionState: String, Sendable, Hashable, CaseIterable {
    /// Not initialized, or freed.
    case initial
    /// Initialized, and nothing is played.
    case idle
    /// Something is played, or interrupted.
    case processing
    /// Switched off, or its initialization failed.
    case disabled
}
