/// What a session answers to a call.
public struct CallResult: Sendable, Hashable {
    /// What became of it.
    public var outcome = CallOutcome.done
    /// The error, where there was one.
    public var code: SessionErrorCode?
    /// What a guide would not have allowed.
    public var findings: [SessionFinding] = []
    /// Where the session is after it.
    public var state = SessionState.initial

    /// An answer.
    public init() {}
}
