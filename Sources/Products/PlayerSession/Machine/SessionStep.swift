/// The result of a call, and the actions to perform.
struct SessionStep: Sendable, Hashable {
    var result = CallResult()
    var actions: [SessionAction] = []

    mutating func find(_ finding: SessionFinding) { result.findings.append(finding) }

    /// Reports an error that leaves the call without effect.
    mutating func fail(_ code: SessionErrorCode) {
        result.outcome = .error
        report(code)
    }

    /// Reports an error; the call still has its effect.
    mutating func report(_ code: SessionErrorCode) {
        result.code = code
        actions.append(.report(code))
    }
}
