/// The result of a call.
public struct CallResult: Sendable, Hashable {
    /// The outcome of the call.
    public var outcome = CallOutcome.done
    /// The error; nil if there was none.
    public var code: SessionErrorCode?
    /// The deviations from the guides that the call revealed.
    public var findings: [SessionFinding] = []
    /// The state of the session after the call.
    public var state = SessionState.initial

    /// Creates a result with the outcome `done`.
    public init() {}
}
