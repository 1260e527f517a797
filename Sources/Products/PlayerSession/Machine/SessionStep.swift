/// What comes of one call: its answer, and what is to be done.
struct SessionStep: Sendable, Hashable {
    var result = CallResult()
    var actions: [SessionAction] = []

    mutating func find(_ finding: SessionFinding) { result.findings.append(finding) }

    /// An error that leaves the call without effect.
    mutating func fail(_ code: SessionErrorCode) {
        result.outcome = .error
        report(code)
    }

    /// An error beside which the call has its effect.
    mutating func report(_ code: SessionErrorCode) {
        result.code = code
        actions.append(.report(code))
    }
}
